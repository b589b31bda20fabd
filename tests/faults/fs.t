#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does Tuesday see a file system run out of space, of inodes, or stopped by an error, and leave one
# alone that is half full, or read-only on purpose?
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
needs jq losetup mkfs.ext4 setpriv unshare
# A test beside this one that makes a mount namespace would keep a copy of our mount, and so its file system.
[ "${OWN_MOUNTS:-}" = "$0" ] || OWN_MOUNTS=$0 exec unshare -m "$0"
begin

# is_good WHEN: of the file system under test no metric accuses.
is_good() {
	examine --quick fs
	check_that "fs does not accuse it $1" fs \
		"[.metrics[]? | select(.instance == \"$at\") | .verdict] | index(\"bad\", \"maybe\") | not"
}

# fills TO: with a file, until so many per cent are used.
fill_to() {
	local used size

	read -r used size < <(df -k --output=used,size "$at" | tail -n 1)
	head -c "$((size * $1 / 100 - used))k" /dev/zero >"$at/fill.$1" 2>/dev/null
}

truncate -s 64M "$scratch/image"
mkfs.ext4 -q -m 0 -N 1024 "$scratch/image" || bail "mkfs.ext4 fails"
loop=$(losetup -f --show "$scratch/image") || skip_all "no loop device"
undo losetup -d "$loop"
at=$scratch/mnt
mkdir "$at"
mount -o errors=remount-ro "$loop" "$at" || skip_all "cannot mount"
undo umount "$at"

# Half of it used, and a log that would fill the rest in minutes.
write_slowly() {
	echo ready
	# shellcheck disable=SC2016
	exec setpriv --pdeathsig KILL bash -c \
		'for i in {1..200}; do head -c 32k /dev/zero >>"$1"; sleep 0.1; done' - "$at/log"
}
fill_to 50
start slowly write_slowly
is_good "when it is half full"
stop slowly

fill_to 80
start slowly write_slowly
examine --quick fs
accuses fs time_to_full_seconds
check_that "fs is no more than maybe while it fills" fs '.verdict == "maybe"'
stop slowly

fill_to 99
examine --quick fs
accuses fs space_used_ratio
check_that "fs is bad when it is full" fs '.verdict == "bad"'
names fs device "$loop"
rm "$at"/fill.* "$at/log"
recovers fs

mkdir "$at/files"
(cd "$at/files" && touch $(seq 1005))
examine --quick fs
accuses fs inodes_used_ratio
check_that "fs is bad without inodes" fs '.verdict == "bad"'
check_that "  though there is space" fs "[.metrics[] | select(.name == \"space_used_ratio\"
	and .instance == \"$at\") | .verdict] | index(\"bad\", \"maybe\") | not"
rm -r "$at/files"
recovers fs

mount -o remount,ro "$at"
is_good "when it is read-only on purpose"
mount -o remount,rw "$at"
# Again and again, so that one falls between the first look and the last, whenever these are.
(for _ in {1..100}; do sleep 0.1 && echo 1 >"/sys/fs/ext4/${loop#/dev/}/trigger_fs_error"; done) &
errors=$!
examine --quick ext4
kill "$errors" && wait "$errors" 2>/dev/null
accuses ext4 new_error_count
check_that "ext4 is bad when it finds an error" ext4 '.verdict == "bad"'
examine --quick fs ext4
check_that "ext4 is bad while it takes no writes for an error" ext4 '.verdict == "bad"'
accuses ext4 remounted_read_only_count
accuses fs forced_read_only_count
check_that "fs is bad when an error has stopped it" fs '.verdict == "bad"'
umount "$at"
recovers fs
recovers ext4

plan
