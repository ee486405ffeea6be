# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# as types: RAID of every level, mirrors, integrity, layers, moves and merges in progress
# long
# uml

: "${GUEST_TYPES=raids mirror integ layers thincache plain move merge}"
GUEST_TYPES_DISKS=27
# shellcheck source-path=SCRIPTDIR source=types.sh
. "$GUEST_HERE/cases/types.sh"
