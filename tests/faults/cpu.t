#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does Tuesday see that programs wait for a CPU, and tell it from programs that asked to wait?
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

plan
