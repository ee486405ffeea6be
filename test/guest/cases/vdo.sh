# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# as types, for VDO; always on Debian 13 (trixie)
# long

# With LVMEVENT_LONG: on RAID, too. Debian has VDO's tools since release 13.
GUEST_SUITE=trixie-vdo
"$GUEST_HERE/prepare" --suite "$GUEST_SUITE" || die "no root with VDO"
# Pools need 5 GiB each, almost all of it unwritten, and their indexes need memory.
# shellcheck disable=SC2034 # types.sh and lib.sh read them
GUEST_TYPES="vdo vdothin${LVMEVENT_LONG:+ vdoraid}" GUEST_TYPES_MIB=6144 GUEST_MEMORY=3072
# shellcheck source-path=SCRIPTDIR source=types.sh
. "$GUEST_HERE/cases/types.sh"
