# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Packages from the mirror that this machine's apt uses, unpacked below the cache of the virtual machines; to be
# sourced. One download at a time.
# shellcheck source=tests/vm/places.sh
. "$(dirname "${BASH_SOURCE[0]}")/places.sh"
mkdir -p "$vm_cache/apt" || exit
exec 9>"$vm_cache/lock"
flock -n 9 || echo "another download is under way: it is waited for"
flock 9

# shellcheck disable=SC2016
mirror=$(apt-get indextargets --format '$(REPO_URI)' 2>/dev/null | grep -m 1 '/debian/$')
if [ -z "$mirror" ]; then
	echo "apt on this machine knows no mirror of Debian: no kernel can be had" | tee "$vm_cache/why-not"
	exit 3
fi

# apt_of SUITE COMMAND...: apt with lists and a cache of its own, and no package of that suite installed.
apt_of() {
	local at=$vm_cache/apt/$1 command=$2

	mkdir -p "$at/lists/partial" "$at/archives/partial"
	[ -e "$at/status" ] || : >"$at/status"
	echo "deb $mirror $1 main contrib" >"$at/sources.list"
	"$command" -q -q -o Debug::NoLocking=1 -o Dir::Etc::SourceList="$at/sources.list" -o Dir::Etc::SourceParts=- \
		-o Dir::State::Lists="$at/lists" -o Dir::State::Status="$at/status" -o Dir::Cache="$at" \
		-o Dir::Cache::Archives="$at/archives" -o APT::Sandbox::User=root "${@:3}"
}

# unpack ARCHIVES DIRECTORY: as this machine has it, with bin, sbin and lib below usr.
unpack() {
	local archive part

	for archive in "$1"/*.deb; do
		dpkg-deb -x "$archive" "$2" || return
	done
	for part in bin sbin lib lib64; do
		[ ! -d "$2/$part" ] || { mkdir -p "$2/usr/$part" && cp -a "$2/$part/." "$2/usr/$part" && rm -r "${2:?}/$part"; } ||
			return
	done
}
