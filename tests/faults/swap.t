#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does Tuesday see a cgroup that is full of what cannot be dropped, one that stands still for want of
# memory, programs that wait for what was swapped out or for compaction, compressed memory that fails, and
# a search for equal pages that finds none? And does it leave files that fill a limit alone?
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
needs flock jq losetup mkswap swapon swapoff
[ -d /dev/shm ] || skip_all "needs /dev/shm"
v1=$(v1_root memory) || skip_all "needs cgroup v1 with the memory controller"
begin
shm=/dev/shm/tuesday-test-$$
undo rm -f "$shm"

limit_to() {
	echo "$1" >"$cgroup/memory.limit_in_bytes" || bail "cannot limit $cgroup"
}

# What is in tmpfs belongs to the cgroup that wrote it, and can only be swapped.
fill_shm() {
	head -c "$1" /dev/urandom >"$shm"
	echo ready
	exec sleep 600
}

# The same, and 640 KiB more each second.
grow_shm() {
	head -c "$1" /dev/urandom >"$shm"
	echo ready
	while sleep 0.1; do
		head -c 64K /dev/urandom >>"$shm"
	done
}

# The same by touching it: what would fail a write stops a page fault.
touch_shm() {
	truncate -s "$1" "$shm"
	exec "$helpers/refault" "$shm" 1 600
}

# Written by this cgroup, and then read by it at random.
fill_and_touch() {
	head -c "$1" /dev/urandom >"$shm"
	exec "$helpers/refault" "$shm" 3 600
}

# A file, read again and again from its start: it never fits, and nobody waits.
read_through() {
	echo ready
	while cat "$scratch/file" >/dev/null; do
		dd of="$scratch/file" oflag=nocache conv=notrunc count=0 status=none
	done
}
export -f fill_shm grow_shm touch_shm fill_and_touch read_through
export shm scratch helpers

# loop_swap BYTES: swap that is a device of its own.
loop_swap() {
	local image=$scratch/swap.$1

	head -c "$1" /dev/zero >"$image"
	loop=$(losetup --find --show "$image") || bail "no loop device"
	undo losetup -d "$loop"
	mkswap "$loop" >/dev/null || bail "cannot make swap of $loop"
	swapon -p 0 "$loop" || bail "cannot swap to $loop"
	undo swapoff "$loop"
	# What is in there comes back to a cgroup that has no room for it.
	undo rm -f "$shm"
}

new_cgroup "$v1"
limit_to 64M

start full in_cgroup "$cgroup" bash -c 'fill_shm 59M'
examine --quick cgmem
check_that "a cgroup that stands still near its limit is good" cgmem \
	'all(.metrics[]; .name != "unreclaimable_ratio" or .verdict == "good")'
stop full
rm -f "$shm"

start growing in_cgroup "$cgroup" bash -c 'grow_shm 58M'
examine --quick cgmem
accuses cgmem unreclaimable_ratio
names cgmem cgroup "$cgroup_name"
stop growing
rm -f "$shm"

echo 1 >"$cgroup/memory.oom_control"
start stopped in_cgroup "$cgroup" bash -c 'touch_shm 96M'
until_true 20 grep -q '^under_oom 1$' "$cgroup/memory.oom_control" || bail "nobody is stopped"
examine --quick cgmem
accuses cgmem stopped_count
check_that "cgmem is bad" cgmem '.verdict == "bad"'
names cgmem cgroup "$cgroup_name"
stop stopped
rm -f "$shm"
echo 0 >"$cgroup/memory.oom_control"

head -c 192M /dev/urandom >"$scratch/file" || bail "no room in $scratch"
sync "$scratch/file"
start reader in_cgroup "$cgroup" bash -c read_through
examine --quick cgmem
not_bad cgmem "where files fill the limit of a cgroup"
stop reader

loop_swap 128M
start touch in_cgroup "$cgroup" bash -c 'fill_and_touch 96M'
examine --quick swap
accuses swap swapin_wait_ratio
names swap device "${loop#/dev/}"
examine --quick cgmem
check_that "with swap left a full cgroup is not bad by that alone" cgmem \
	'all(.metrics[]; .name != "unreclaimable_ratio" or .verdict != "bad")'
stop touch

# What the kernel does for a program that wants a large page, for one that asks for nothing else.
compact() {
	echo ready
	while :; do
		echo 1 >/proc/sys/vm/compact_memory
	done
}
if [ -w /proc/sys/vm/compact_memory ]; then
	start compact compact
	examine --quick --deep compaction
	accuses compaction stall_ratio
	check_that "the trace decides" compaction '.tier == "trace"'
	stop compact
	examine --quick --deep compaction
	check_that "compaction is good when nobody compacts" compaction '.verdict == "good"'
else
	skip "compaction is accused" "no compaction in this kernel"
fi

# set_ksm NAME VALUE: and back again when the test is over.
set_ksm() {
	undo bash -c "echo $(cat "/sys/kernel/mm/ksm/$1") >/sys/kernel/mm/ksm/$1"
	echo "$2" >"/sys/kernel/mm/ksm/$1" || bail "cannot set ksm/$1"
}

# Until everything was looked at three times from now.
scan_it_all() {
	local until=$(($(cat /sys/kernel/mm/ksm/full_scans) + 3))

	for _ in {1..60}; do
		[ "$(cat /sys/kernel/mm/ksm/full_scans)" -ge "$until" ] && return
		sleep 0.1
	done
}

if [ "$(cat /sys/kernel/mm/ksm/run 2>/dev/null)" = 0 ] && [ -e /sys/kernel/mm/ksm/general_profit ]; then
	set_ksm run 1
	set_ksm pages_to_scan 20000
	start mergeable "$helpers/mergeable" different 128 600
	scan_it_all
	examine --quick ksm
	accuses ksm loss_bytes
	stop mergeable
	start mergeable "$helpers/mergeable" alike 128 600
	scan_it_all
	examine --quick ksm
	# Not cleared while it scans: that takes more of a CPU than clears it.
	check_that "ksm is good where pages are alike" ksm '.verdict == "good"'
	stop mergeable
else
	skip "ksm is accused" "no KSM here, or one in use"
fi

# Compressed memory of its own limit, filled with what does not compress.
fill_zram() {
	echo ready
	while :; do
		dd if=/dev/urandom of="$1" bs=64k count=1000 oflag=direct 2>/dev/null
	done
}
write_has_failed() {
	awk '{ exit !($2 > 0) }' "/sys/block/zram$number/io_stat"
}
export -f fill_zram
if number=$(cat /sys/class/zram-control/hot_add 2>/dev/null); then
	undo bash -c "echo $number >/sys/class/zram-control/hot_remove"
	echo 128M >"/sys/block/zram$number/disksize"
	echo 24M >"/sys/block/zram$number/mem_limit"
	start zram bash -c "fill_zram /dev/zram$number"
	until_true 20 write_has_failed || bail "no write fails"
	examine --quick zram
	accuses zram failed_io_count
	accuses zram limit_ratio
	check_that "zram is bad" zram '.verdict == "bad"'
	stop zram
else
	skip "zram fails at its limit" "no zram here"
fi

plan
