#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does Tuesday blame a CPU quota for the waiting that it makes, and not the CPUs?
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
needs flock jq
loud
begin

set_quota_v1() {
	echo 100000 >"$cgroup/cpu.cfs_period_us" && echo 20000 >"$cgroup/cpu.cfs_quota_us"
}

set_quota_v2() {
	echo "20000 100000" >"$cgroup/cpu.max"
}

hold_back() {
	local root

	if ! root=$("$1_root" cpu); then
		skip "throttle names a cgroup of $1" "no CPU controller in cgroup $1"
		return
	fi
	new_cgroup "$root"
	"set_quota_$1" || bail "cannot set a quota in $cgroup"
	start held in_cgroup "$cgroup" "$helpers/spin" -C held 2 600
	examine
	accuses throttle throttled_time_ratio throttled_period_ratio
	names throttle cgroup "$cgroup_name"
	not_bad cpu "although the pressure of the whole machine is high"
	nothing_else throttle
	stop held
	recovers throttle
}

hold_back v1
hold_back v2
plan
