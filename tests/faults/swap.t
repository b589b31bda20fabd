#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does Tuesday see a cgroup that is full of what cannot be dropped, one that stands still for want of
# memory, programs that wait for what was swapped out, and compressed memory that fails? And does it
# leave files that fill a limit alone, and a swap that is full of what nobody needs?
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
needs jq losetup mkswap swapon swapoff
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
	echo ready
	head -c "$1" /dev/urandom >"$shm"
	sleep 60
}

# Written by this cgroup, and then read by it at random.
fill_and_touch() {
	head -c "$1" /dev/urandom >"$shm"
	exec "$helpers/refault" "$shm" 3 40
}

# A file, read again and again from its start: it never fits, and nobody waits.
read_through() {
	echo ready
	while cat "$scratch/file" >/dev/null; do
		dd of="$scratch/file" oflag=nocache conv=notrunc count=0 status=none
	done
}
export -f fill_shm fill_and_touch read_through
export shm scratch helpers

# loop_swap BYTES: swap that is a device of its own.
loop_swap() {
	local image=$scratch/swap.$1

	head -c "$1" /dev/zero >"$image"
	loop=$(losetup --find --show "$image") || bail "no loop device"
	undo losetup -d "$loop"
	mkswap "$loop" >/dev/null && swapon -p 0 "$loop" || bail "no swap on $loop"
	undo swapoff "$loop"
}

new_cgroup "$v1"
limit_to 64M

start full in_cgroup "$cgroup" bash -c 'fill_shm 59M'
sleep 1
examine --quick cgmem
accuses cgmem unreclaimable_ratio
names cgmem cgroup "$cgroup_name"
stop full
rm -f "$shm"

echo 1 >"$cgroup/memory.oom_control"
start stopped in_cgroup "$cgroup" bash -c 'fill_shm 96M'
sleep 1
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
examine --deep --quick cgmem
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
plan
