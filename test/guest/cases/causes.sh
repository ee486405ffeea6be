# shellcheck shell=bash disable=SC2016 # guest scripts stand in single quotes
# SPDX-License-Identifier: GPL-2.0-or-later
# lvmevent explain names each cause that can be made on a machine, and nothing else in its place
# long

if ! with_ours; then
	skip "explain names each cause" "stock only"
	return
fi
guest_new machine "$(layout blank 21)"
# metadata that lvm2 makes only on a machine with a cluster, lvmlockd or another name, or a later lvm2
PYTHONDONTWRITEBYTECODE=1 python3 - "$GUEST_HERE/../bench" "$GUEST/disks" <<-'END' || die "no disks"
	import sys
	sys.path.insert(0, sys.argv[1])
	import pvimage
	changes = {16: (b'"RESIZEABLE", ', b'"RESIZEABLE", "CLUSTERED", '), 18: (b'"READ", "WRITE"]', b'"READ"]'),
	           17: (b"max_lv = 0\n", b'max_lv = 0\nlock_type = "sanlock"\nlock_args = "1.0.0:lvmlock"\n'),
	           19: (b"max_lv = 0\n", b'max_lv = 0\nsystem_id = "elsewhere"\n'),
	           15: (b'type = "striped"', b'type = "later"')}
	# with its hyphens doubled a name of more than 127 characters
	changes[20] = (b"fixed {", b"x" + b"-x" * 45 + b" {")
	for disk, (old, new) in changes.items():
	    pvid = pvimage.make_id("PV", disk)
	    text = pvimage.vg_text("fixed", pvimage.make_id("VG", disk), [pvid], lvs=1)
	    assert text.count(old) == 1
	    pvimage.write(f"{sys.argv[2]}/d{disk}", pvid, text.replace(old, new))
END
overlay_program ten-steps
overlay_program causes-steps
printf 'activation { monitoring = 0 }\nglobal { use_lvmpolld = 0 }\n' | overlay_file etc/lvm/lvmlocal.conf
guest_package
guest_boot || die "no guest"
guest_quiet >/dev/null
run_steps 1800 /usr/lib/guest/causes-steps
