# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# VDO: made by stock lvm2, up and down by ours, beside stock's, as types does it; trixie in any case
# long

# With LVMEVENT_LONG: on RAID, too.
# Debian has its tools since 13.
GUEST_SUITE=trixie-vdo
"$GUEST_HERE/prepare" --suite "$GUEST_SUITE" || die "no root with VDO"
# Pools want 5 GiB each, of which next to nothing is written, and their indexes memory.
# shellcheck disable=SC2034 # types.sh and lib.sh read them
GUEST_TYPES="vdo vdothin${LVMEVENT_LONG:+ vdoraid}" GUEST_TYPES_MIB=6144 GUEST_MEMORY=3072
# shellcheck source-path=SCRIPTDIR source=types.sh
. "$GUEST_HERE/cases/types.sh"
