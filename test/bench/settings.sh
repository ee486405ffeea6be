# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Rows of ours with their own settings: "ours+workers=1+lvs_in_flight=8" is ours with these keys in lvmevent.conf.

# settings_of ROW: prints its lvmevent.conf; nothing for a row without settings. Returns 1 for a malformed row.
# Unless they say otherwise, these rows leave device-mapper's rules as installed, so that their figures stay
# comparable with those of stock lvm2, of the floors and of earlier versions. ours-fast has the defaults.
settings_of() {
	local pairs=() pair
	[[ $1 == ours || $1 == *+* ]] || return 0
	[[ $1 != *+* ]] || IFS=+ read -r -a pairs <<<"${1#*+}"
	[[ $1 == *+fast_dm_rules=* ]] || pairs+=(fast_dm_rules=0)
	echo "event {"
	for pair in "${pairs[@]}"; do
		[[ $pair =~ ^[a-z_]+=[0-9]+$ ]] || return 1
		echo "	${pair%=*} = ${pair#*=}"
	done
	echo "}"
}
