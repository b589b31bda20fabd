#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does Tuesday see that a cgroup reads the same pages again and again, and say which one?
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
needs flock jq
loud
begin
head -c 192M /dev/urandom >"$scratch/file" || bail "no room in $scratch"
sync "$scratch/file"

set_limit_v1() {
	echo 64M >"$cgroup/memory.limit_in_bytes"
}

set_limit_v2() {
	echo 64M >"$cgroup/memory.max"
}

squeeze() {
	local root

	if ! root=$("$1_root" memory); then
		skip "memory names a cgroup of $1" "no memory controller in cgroup $1"
		return
	fi
	new_cgroup "$root"
	"set_limit_$1" || bail "cannot set a limit in $cgroup"
	# What the test itself has cached would be hits for the cgroup, and no refaults.
	dd of="$scratch/file" oflag=nocache conv=notrunc count=0 status=none
	start refault in_cgroup "$cgroup" "$helpers/refault" "$scratch/file" 3 600
	examine
	accuses memory cgroup_refault_bytes_per_second refault_ratio memstall_ratio \
		cgroup_reclaim_stall_ratio pressure_full_ratio pressure_some_ratio
	check_that "memory names the cgroup or its process" memory \
		'any(.culprits[]; .name | contains("tuesday-test") or contains("refault"))'
	# Three threads that reclaim all of the time want two CPUs to themselves, where reclaim is slow. Then cpu is right to
	# say so, of them and of nobody else.
	check_that "cpu accuses nobody else" cpu '.verdict != "bad" or .culprits[0].name == "refault"'
	nothing_else memory cpu
	stop refault
	recovers memory
}

squeeze v1
squeeze v2
plan
