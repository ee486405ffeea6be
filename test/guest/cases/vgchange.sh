# shellcheck shell=bash disable=SC2016 # guest scripts stand in single quotes
# SPDX-License-Identifier: GPL-2.0-or-later
# vgchange -a, ours and stock's in one guest: output, exit codes, tables, names, links
# uml
# first

# sentence|--config|commands
cat >"$JUNK/rows" <<'ROWS'
linear VG on and off||-ay solo0000;-an solo0000
autoactivation||-aay solo0001;-an solo0001
on twice, off twice||-ay pieces;-ay pieces;-an pieces;-an pieces
striped and linear||-ay quad0006;-an quad0006
read-only||-ay ro;-an ro
fixed minor, skip flag, autoactivation off: -ay||-ay flags;-an flags
fixed minor, skip flag, autoactivation off: -aay||-aay flags
skip flag ignored||-ay -K flags
autoactivation off for the VG||-aay noauto;-ay noauto
names with dashes||-ay with-dash;-an with-dash
several VGs at once||-ay solo0000 pieces ro;-an pieces ro
all VGs||-aay;-an
no such VG||-ay nothing;-ay solo0000 nothing
a bad name||-ay 'bad name'
volume_list without it|activation/volume_list=["ro"]|-ay solo0000 ro
volume_list with one LV|activation/volume_list=["pieces/other"]|-ay pieces
auto_activation_volume_list|activation/auto_activation_volume_list=["ro"]|-aay solo0000 ro;-ay solo0000
read_only_volume_list|activation/read_only_volume_list=["pieces/lv"]|-ay pieces
activation skip by tag that nothing has||-ay @none
event autoactivation||-aay --autoactivation event solo0002
test mode||-ay -t solo0000
quiet||-ay -q solo0000
udev makes no nodes|activation { udev_rules=0 udev_sync=0 }|-ay solo0000;-an solo0000
no udev by environment||DM_DISABLE_UDEV=1 -ay solo0000;DM_DISABLE_UDEV=1 -an solo0000
no wait for udev||-ay --noudevsync solo0000;-an --noudevsync solo0000
system id of others|local/system_id="elsewhere"|-ay solo0000
ROWS
cat >"$JUNK/partial" <<'ROWS'
a PV is missing||-ay quad0006
a PV is missing: -aay||-aay quad0006
a PV is missing: degraded||-ay --activationmode degraded quad0006
a PV is missing: complete||-ay --activationmode complete quad0006
a PV is missing: off||-an quad0006
ROWS

numbered() { awk -F'|' -v s="$2" '{ print s NR "|" $2 "|" $3 }' "$1"; }

# same_row NUMBER: did stock and ours give the same results?
same_row() { same "$JUNK/rows.out/$1.stock.state" "$JUNK/rows.out/$1.ours.state" &&
	same "$JUNK/rows.out/$1.stock.out" "$JUNK/rows.out/$1.ours.out"; }

claims_of() { # FILE PREFIX
	local n=0 sentence
	while IFS='|' read -r sentence _; do
		n=$((n + 1))
		# lvm2 processes VGs in no particular order
		if [ "$sentence" = "all VGs" ]; then
			sort -o "$JUNK/rows.out/$2$n.stock.out" "$JUNK/rows.out/$2$n.stock.out"
			sort -o "$JUNK/rows.out/$2$n.ours.out" "$JUNK/rows.out/$2$n.ours.out"
		fi
		claim "$sentence" same_row "$2$n"
	done <"$1"
}

same_warnings() {
	local f status=0
	for f in "$JUNK"/rows.out/*.stock.err; do
		same "$f" "${f%.stock.err}.ours.err" || status=1
	done
	return $status
}

stock=/usr/sbin/vgchange ours=/usr/sbin/vgchange
if with_ours; then
	ours=$(package_vgchange) || die "no lvmevent/vgchange in the package"
else
	note "stock against itself: shows that the comparison is sound"
fi

disks=$(layout mix 32)
guest_new machine "$disks"
numbered "$JUNK/rows" a | overlay_file usr/lib/guest/rows
numbered "$JUNK/partial" b | overlay_file usr/lib/guest/partial
overlay_program vgchange-rows
# on a busy host udev gets little time; what we say about that is no difference
printf 'event { probe_deadline_ms = 120000 }\n' | overlay_file etc/lvm/lvmevent.conf
# the programs are installed but not enabled: only the rows' commands run
if with_ours; then overlay "$GUEST_PACKAGE"; fi
guest_boot || die "no guest"
guest_wait_lvs "$(wc -l <"$disks/expect")" 200
guest_quiet >/dev/null
guest_run 'vgchange -an' >/dev/null
GUEST_PATIENCE=2400 guest_run "/usr/lib/guest/vgchange-rows /usr/lib/guest/rows /run/rows $stock $ours" || die "the rows did not end"
notes_left=$(guest_run "mkdir -p /run/lvm/vgs_online; touch /run/lvm/vgs_online/pieces /run/lvm/vgs_online/ro
	$ours -ay pieces ro >/dev/null; $ours -an pieces ro >/dev/null; ls /run/lvm/vgs_online | grep -xc -e pieces -e ro")
if with_ours; then claim "-an of two VGs removes lvm2's mark of each" [ "$notes_left" = 0 ]; fi
# the last disk of the quad VG is unplugged
qmp_del_disks d9
guest_wait_for 60 '[ "$(ls -d /sys/block/sd* | wc -l)" -eq '$((${#GUEST_DISKS[@]} - 1))' ]' || die "the disk stays"
guest_run 'udevadm settle -t 60; rm -f /run/lvm/pvs_online/* /run/lvm/vgs_online/*'
GUEST_PATIENCE=900 guest_run "/usr/lib/guest/vgchange-rows /usr/lib/guest/partial /run/rows $stock $ours" || die "the partial rows did not end"
mkdir "$JUNK/rows.out"
guest_run 'cd /run/rows && tar -cz .' | tar -xz -C "$JUNK/rows.out" || die "no results"
claims_of "$JUNK/rows" a
claims_of "$JUNK/partial" b
claim "control: rows activate something" grep -q linear "$JUNK/rows.out/a1.stock.state"
claim "control: a missing PV is noticed" grep -qi -e missing -e "not found" -e "couldn't find" "$JUNK/rows.out/b1.stock.err"
claim "warnings and errors are the same in all rows" same_warnings
guest_off
