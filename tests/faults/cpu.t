#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does Tuesday see that programs wait for a CPU, tell it from programs that asked to wait, and name the group behind
# which another one waits?
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
needs flock jq
loud
begin
cpus=$(nproc)

start hungry "$helpers/spin" -C hungry $((cpus * 3)) 600
examine
accuses cpu wait_ratio pressure_some_ratio runq_p99_seconds runq_waiters_count runq_cpu_waiters_count
names cpu process hungry
status_fits
nothing_else cpu
stop hungry
recovers cpu

start polite "$helpers/spin" -C polite -n 19 $((cpus * 2)) 600
root=$(v1_root cpu || v2_root cpu)
if [ -e "$root/cpu.idle" ] || compgen -G "$root/*/cpu.idle" >/dev/null; then
	new_cgroup "$root"
	echo 1 >"$cgroup/cpu.idle"
	start lazy in_cgroup "$cgroup" "$helpers/spin" -C lazy $((cpus * 2)) 600
fi
examine cpu
not_bad cpu "when all that waits is nice, or in an idle cgroup"
stop polite
[ -z "${cgroup:-}" ] || stop lazy

# More threads than a cpuset has CPUs, while another CPU stands idle.
if root=$(v1_root cpuset || v2_root cpuset) && [ "$cpus" -gt 1 ]; then
	cgroup=$root/tuesday-test-$$-cpuset
	mkdir "$cgroup" || bail "cannot make $cgroup"
	undo rmdir "$cgroup"
	echo 0 >"$cgroup/cpuset.mems"
	echo 1 >"$cgroup/cpuset.cpus" || bail "cannot give $cgroup a CPU"
	start crowd in_cgroup "$cgroup" "$helpers/spin" -C crowd 3 600
	# Somebody else may want the other CPU just then.
	for _ in 1 2 3; do
		examine cpu
		is_so cpu 'any(.metrics[]; .name == "pinned_wait_ratio" and .verdict == "maybe")' && break
	done
	if is_so cpu 'any(.metrics[]; .name == "pinned_wait_ratio" and .idle)'; then
		skip "cpu names who is kept to one CPU" "somebody else uses the other one"
	else
		accuses cpu pinned_wait_ratio
		names cpu process crowd
	fi
	stop crowd
	start alone in_cgroup "$cgroup" "$helpers/spin" -C alone 1 600
	examine --quick --no-trace cpu
	check_that "one thread on one CPU waits for nobody" cpu \
		'[.metrics[] | select(.name == "pinned_wait_ratio") | .verdict] == ["good"]'
	stop alone
else
	skip "cpu names who is kept to one CPU" "no cpuset controller, or no second CPU"
fi

# One thread of a group behind many of another: cpu.pressure needs no controller, only a hierarchy of version 2.
unified=$(awk '$3 == "cgroup2" { print $2; found = 1; exit } END { exit !found }' /proc/self/mounts)
if [ -e "$unified/cpu.pressure" ]; then
	mkdir "$unified/tuesday-test-$$-hog" "$unified/tuesday-test-$$-shop" || bail "no cgroup can be made in $unified"
	undo rmdir "$unified/tuesday-test-$$-hog" "$unified/tuesday-test-$$-shop"
	start hog in_cgroup "$unified/tuesday-test-$$-hog" "$helpers/spin" -C hog $((cpus * 3)) 600
	start shop in_cgroup "$unified/tuesday-test-$$-shop" "$helpers/spin" -C shop "$cpus" 600
	examine cgcpu cpu
	accuses cgcpu behind_others_ratio
	names cgcpu cgroup "tuesday-test-$$-hog"
	names cpu cgroup "tuesday-test-$$-hog"
	stop hog
	stop shop
	recovers cgcpu
else
	skip "cgcpu names the cgroup that runs" "no cgroup v2 reports how long it waits for a CPU"
fi

plan
