#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does Tuesday see a thin pool fill, a snapshot get lost, a path fail, a RAID without a disk, a pool
# whose books cannot be written and a device that nobody resumes, and leave those that are well alone?
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
needs jq losetup dmsetup blockdev
grep -q ' device-mapper$' /proc/misc || modprobe -nq dm-mod ||
	skip_all "this kernel has no device-mapper"
[ -e /run/udev/control ] || export DM_DISABLE_UDEV=1
begin
mark=tuesday$$
for module in dm_mod dm_thin_pool dm_snapshot dm_multipath dm_round_robin dm_raid; do
	# Modules that were not there are unloaded; one that another uses by then stays, which is no failure.
	[ -d "/sys/module/$module" ] || ! modprobe -q "$module" || undo eval "modprobe -rq $module || true"
done
dmsetup targets 2>/dev/null | grep -q '^thin-pool ' || skip_all "this kernel has no thin pools"

# new_loop NAME SIZE: its device in $loop.
new_loop() {
	truncate -s "$2" "$scratch/$1"
	loop=$(losetup -f --show "$scratch/$1") || bail "no loop device"
	undo losetup -d "$loop"
}

# new_device NAME TABLE: its path in $device. False where the kernel has no such target.
new_device() {
	device=/dev/mapper/$mark-$1
	dmsetup create "$mark-$1" --table "$2" 2>"$scratch/dmsetup.err" || return 1
	undo eval "[ ! -e $device ] || dmsetup remove --force $mark-$1"
}

# fill DEVICE SIZE: from its beginning.
fill() {
	timeout 20 dd if=/dev/zero of="$1" bs=64k count="$2" oflag=direct conv=notrunc status=none \
		2>/dev/null
}

# is_said METRIC NAME VERDICT SENTENCE: of the device of that name.
is_said() {
	local instance

	instance=dm-$(dmsetup info -c --noheadings -o minor "$mark-$2")
	check_that "$4" dm "[.metrics[] | select(.name == \"$1\" and
		.instance == \"$instance\") | .verdict] == [\"$3\"]"
}

new_loop meta 4M
new_device books "0 8192 linear $loop 0" || bail "$(cat "$scratch/dmsetup.err")"
books=$device books_loop=$loop
new_loop data 16M
new_device pool "0 32768 thin-pool $books $loop 128 0 1 error_if_no_space" ||
	bail "$(cat "$scratch/dmsetup.err")"
dmsetup message "$mark-pool" 0 "create_thin 0" || bail "no thin volume"
new_device thin "0 65536 thin /dev/mapper/$mark-pool 0" || bail "$(cat "$scratch/dmsetup.err")"
thin=$device

fill "$thin" 100
examine --quick dm
is_said pool_data_used_ratio pool good "a pool of which 40 % are used is well"
check_that "  and so is all of dm" dm '.verdict == "good"'
fill "$thin" 240
examine --quick dm
is_said pool_data_used_ratio pool maybe "one of which 94 % are used may soon be full"
fill "$thin" 300
examine --quick dm
is_said pool_data_used_ratio pool bad "a full one is bad"
is_said stopped_writes_count pool bad "  and takes no more writes"
names dm device "$mark-pool"

# The books of the pool are lost with their disk: the next write cannot be kept.
dmsetup message "$mark-pool" 0 "create_thin 1" 2>/dev/null
dmsetup suspend --noflush --nolockfs "$mark-books"
dmsetup reload "$mark-books" --table "0 8192 error"
dmsetup resume "$mark-books"
dmsetup message "$mark-pool" 0 "create_thin 2" 2>/dev/null
examine --quick dm
check_that "a pool without its books is bad" dm '.verdict == "bad"'
accuses dm failed_count needs_check_count stopped_writes_count
check_that "  since it failed or needs a check" dm \
	'[.metrics[] | select(.verdict == "bad") | .name] | any(. == "failed_count" or . == "needs_check_count")'
dmsetup remove --force "$mark-thin"
dmsetup remove --force "$mark-pool"
recovers dm

new_device held "0 8192 linear $books_loop 0"
examine --quick dm
check_that "a device that works is not accused" dm '.verdict == "good"'
dmsetup suspend --noflush --nolockfs "$mark-held"
examine --quick dm
is_said suspended_count held maybe "one that nobody resumes is said"
dmsetup resume "$mark-held"

new_loop base 8M
base=$loop
new_loop cow 1M
if new_device snap "0 16384 snapshot $base $loop P 8"; then
	snap=$device
	examine --quick dm
	is_said snapshot_used_ratio snap good "a new snapshot is empty"
	fill "$snap" 14
	examine --quick dm
	is_said snapshot_used_ratio snap maybe "one that is nearly full is said"
	fill "$snap" 32
	examine --quick dm
	is_said lost_snapshot_count snap maybe "one that was full is lost"
	dmsetup remove --force "$mark-snap"
else
	skip "a snapshot gets full" "this kernel has none"
fi

new_loop one 8M
one=$loop
new_loop two 8M
two=$loop
if new_device paths "0 16384 multipath 2 queue_mode bio 0 1 1 round-robin 0 2 0 $one $two"; then
	examine --quick dm
	is_said failed_path_count paths good "a disk with all its paths is well"
	dmsetup message "$mark-paths" 0 "fail_path $(cat "/sys/block/${one#/dev/}/dev")"
	examine --quick dm
	is_said failed_path_count paths maybe "a path that failed is said"
	is_said paths_left_count paths bad "  and that one is left"
	dmsetup remove --force "$mark-paths"
else
	skip "a path fails" "this kernel has no dm-multipath"
fi
if new_device raid "0 16384 raid raid1 3 0 region_size 1024 2 - $one - -"; then
	examine --quick dm
	is_said lost_leg_count raid bad "a RAID without one of its disks is bad"
	dmsetup remove --force "$mark-raid"
else
	skip "a RAID lacks a disk" "this kernel has no dm-raid"
fi
recovers dm
plan
