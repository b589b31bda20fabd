#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does Tuesday see a slow disk, in the disk's counters and where those cannot see it?
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
needs flock jq losetup
loud
begin

# whole_disk_of FILE: major:minor of the disk below its file system, or failure.
whole_disk_of() {
	local at

	at=/sys/dev/block/$(stat -c '%Hd:%Ld' "$1")
	[ -e "$at" ] || return 1
	[ -e "$at/partition" ] && at=$(readlink -f "$at")/..
	cat "$at/dev"
}

limit_reads_v1() {
	echo "$1 $2" >"$cgroup/blkio.throttle.read_iops_device"
}

limit_reads_v2() {
	echo "$1 riops=$2" >"$cgroup/io.max"
}

if root=$(v1_root blkio); then
	limit_reads=limit_reads_v1
elif root=$(v2_root io); then
	limit_reads=limit_reads_v2
else
	skip_all "no cgroup controller for block devices"
fi
# Written, not only allocated: a read of what was never written does not go to the disk.
head -c 128M /dev/urandom >"$scratch/disk" || bail "no room in $scratch"
sync "$scratch/disk"
backing=$(whole_disk_of "$scratch/disk") || skip_all "$scratch is on no block device"
loop=$(losetup -f --show --direct-io=on "$scratch/disk") || skip_all "no loop device"
undo losetup -d "$loop"
name=${loop#/dev/}
new_cgroup "$root"

# The reads of the device itself are held back, so each takes the device 200 ms.
"$limit_reads" "$backing" 40 || bail "cannot limit $backing in $cgroup"
start randread in_cgroup "$cgroup" "$helpers/randread" "$loop" 8 600
examine
accuses disk read_await_seconds block_p99_seconds io_waits_ratio
check_that "disk is bad" disk '.verdict == "bad"'
names disk device "$name"
nothing_else disk
stop randread
"$limit_reads" "$backing" 0 2>/dev/null || "$limit_reads" "$backing" max
recovers disk

# The same above the device: it is idle, its counters are good, and the readers wait as long for their own limit.
"$limit_reads" "$(cat "/sys/block/$name/dev")" 40 || bail "cannot limit $loop in $cgroup"
start randread in_cgroup "$cgroup" "$helpers/randread" "$loop" 8 600
examine disk cgio
accuses cgio limit_used_ratio held_back_ratio
names cgio cgroup "$cgroup_name"
not_bad disk "since the cgroup's own limit makes its reads wait"
accuses disk iowait_p99_seconds pressure_full_ratio io_waits_ratio
names disk process randread
check_that "the device itself is not accused" disk \
	'[.metrics[] | select(.name == "read_await_seconds") | .verdict] | unique == ["good"]'
stop randread
recovers disk

plan
