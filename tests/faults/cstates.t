#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does Tuesday name who lets no CPU rest?
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
needs jq
begin
[ -e /sys/devices/system/cpu/cpu0/cpuidle/state0 ] || skip_all "the kernel chooses no idle states here"
: <>/dev/cpu_dma_latency || skip_all "/dev/cpu_dma_latency cannot be opened"

hold() {
	exec 9<>/dev/cpu_dma_latency && printf '\0\0\0\0' >&9 && echo ready && exec sleep 60
}
start sleep hold
examine --quick cstates
accuses cstates allowed_seconds
names cstates process sleep
stop sleep
recovers cstates
plan
