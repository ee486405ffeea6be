# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# For tests that need Debian's units and its systemd, not this machine's: sourced.

# unpack SUITE FOLDER: that Debian's root, as the guests have it, without kernel, texts and the guests' agent
unpack() {
	local cache=${LVMEVENT_GUEST_DIR:-/var/cache/lvmevent-guest}
	if [ ! -e "$cache/$1/root.tar" ]; then
		"$(dirname "${BASH_SOURCE[0]}")/../guest/prepare" --suite "$1" || return
	fi
	mkdir -p "$2" && tar -xf "$cache/$1/root.tar" -C "$2" --exclude=./usr/lib/modules --exclude=./boot \
		--exclude='./usr/share/[dlm]o*' --exclude=./usr/share/man --exclude=./usr/lib/firmware &&
		rm -f "$2"/etc/systemd/system/*.wants/guest-agent.service
}

# charge STAGED FOLDER [SETTINGS]: what the generator of STAGED writes, but for what it finds on this machine
charge() {
	local lvm
	lvm=$(mktemp -d) && echo "event { ${3-} }" >"$lvm/lvmevent.conf" && mkdir -p "$2" || return
	LVM_SYSTEM_DIR=$lvm "$1/usr/libexec/lvmevent/lvmevent-generator" "$2" || return
	rm -rf "$lvm" "$2"/*.device.d "$2"/lvm-needed.target.d
}
