#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does Tuesday see that tasks wait for a lock of the kernel, and that others in state D do not?
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
needs flock jq
loud
begin

traces lock/contention_begin || skip_all "this kernel has no lock:contention_begin"
start contend "$helpers/contend" 12 600
examine --quick --deep lock
check_that "the trace decides" lock '.tier == "trace"'
accuses lock wait_ratio wait_p99_seconds
names lock process contend
stop contend

# Some more: who waits for a disk is taken off by a counter that was read at another moment.
start asleep "$helpers/asleep" 110 600
examine --quick --deep lock
# Where nothing at all waited for a lock meanwhile, the trace says nothing of locks that were taken before it.
check_that "lock is not bad although 100 tasks are in state D, and good where the trace has seen locks" lock \
	'(.verdict == "good" and .tier == "trace" or .verdict == "maybe" and .tier == "counters") and
	any(.metrics[]; .name == "sleepers_count" and .value >= 100)'
stop asleep

plan
