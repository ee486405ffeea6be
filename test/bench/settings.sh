# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Rows of ours with settings of their own: "ours+workers=1+worker_vgs=8" is ours with these keys in
# lvmevent.conf.

# settings_of ROW: what lvmevent.conf holds for it; nothing for a row without settings. 1: it is none
settings_of() {
	local pairs pair
	[[ $1 == *+* ]] || return 0
	IFS=+ read -r -a pairs <<<"${1#*+}"
	echo "event {"
	for pair in "${pairs[@]}"; do
		[[ $pair =~ ^[a-z_]+=[0-9]+$ ]] || return 1
		echo "	${pair%=*} = ${pair#*=}"
	done
	echo "}"
}
