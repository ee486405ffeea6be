# shellcheck shell=bash disable=SC2016 # guest scripts stand in single quotes
# SPDX-License-Identifier: GPL-2.0-or-later
# a mix of VGs (read-only, fixed minor, flags, raid1, thin): the same result as stock's
# long
. "$GUEST_HERE/compare.sh"

# raid, thin and snapshots need kernel targets, so a guest makes them, on the four empty disks
prepare_mix() {
	guest_new maker "$(layout mix 32)"
	guest_boot || die "no guest to make raid and thin in"
	guest_quiet >/dev/null
	guest_run 'set -e
		disk() { for d in /sys/block/sd*; do
			case $(cat $d/device/wwid) in *$(printf %x $1)) echo /dev/${d##*/}; esac; done; }
		vgcreate -s 1m raid $(disk 28) $(disk 29)
		lvcreate -y --type raid1 -m 1 -L 4M -n mirror raid
		lvcreate -y -s -L 2M -n snap raid/mirror
		lvcreate -y -L 4M -n merged raid
		lvcreate -y -s -L 2M -n merging raid/merged
		exec 9</dev/raid/merged
		lvconvert -y --merge raid/merging
		exec 9<&-
		vgcreate -s 1m thin $(disk 30) $(disk 31)
		lvcreate -y --type thin-pool -L 12M -n pool thin
		lvcreate -y -V 20M --thin -n volume thin/pool
		i=0; until [ "$(lvs --noheadings -o sync_percent raid/mirror | tr -d " ")" = 100.00 ]; do
			i=$((i + 1)); [ $i -lt 60 ]; sleep 1; done
		vgchange -an raid thin' >"$JUNK/maker.log" 2>&1 || { cat "$JUNK/maker.log"; die "raid and thin could not be made"; }
	guest_shutdown || die "the maker does not shut down"
	mv "$GUEST/disks" "$JUNK/disks"
	cp "$(layout mix 32)/expect" "$JUNK/native"
	: >"$JUNK/disks/expect"
}

prepare_mix
# The activation starts the merge; polling completes it.
# shellcheck disable=SC2034 # compare.sh reads it
GUEST_UNTIL='[ -e /dev/raid/merged ] && ! dmsetup info -c --noheadings -o name | grep -q merged-real'
# the parts of raid and thin count as well: nine and five
compare_boots "$JUNK/disks" $(($(wc -l <"$JUNK/native") + 14)) raid thin
claim "control: with stock, dmeventd watches a raid1, its snapshot and a thin pool" \
	same <(printf '%s\n' 'raid mirror' 'raid snap' 'thin pool') <(awk '{ print $1, $2 }' "$JUNK/stock.watched")
claim "a pending merge is completed" not grep -q merging "$JUNK/stock.tables" "$JUNK/ours.tables"
claim "control: stock's LVs include the expected ones" not grep -vxF -f "$JUNK/stock.names" "$JUNK/native"
