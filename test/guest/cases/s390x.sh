# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# a big-endian machine, s390x, with 8 disks: the same tables, names and links as stock's
# long

GUEST_SUITE=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)-s390x
"$GUEST_HERE/prepare" --suite "$GUEST_SUITE" || die "no root"
# Not what run was given: that is for this machine.
if with_ours; then
	"$GUEST_HERE/../ports/run" --build "$JUNK/build" s390x || die "no package"
	GUEST_PACKAGE=$JUNK/build/install
	[ -e "$GUEST_PACKAGE" ] || die "no package"
fi
# shellcheck source-path=SCRIPTDIR source=../compare.sh
. "$GUEST_HERE/compare.sh"
GUEST_LIMIT=300
compare_boots "$(layout quad 8)" 4
