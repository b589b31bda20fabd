#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does Tuesday name who starts processes that are gone before anybody sees them?
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
needs flock jq
traces sched/sched_process_free || skip_all "this kernel has no types to trace with"
loud
begin

start brief "$helpers/brief" starter "$(nproc)" 600
examine jobs
accuses jobs brief_ratio
names jobs process starter
check_that "jobs says that this costs next to nothing itself" jobs '.cost.bpf_seconds < 0.05 * .cost.trace_seconds'
mkdir "$scratch/few"
printf '[trace jobs]\nbudget = 1/s\n' >"$scratch/few/jobs.ini"
examine --quick -c "$scratch/few" jobs
check_that "beyond its budget the sentinel takes itself away, and clears nobody" jobs \
	'(.exonerated | not) and any(.howevers[], .reason; . // "" | contains("took itself away"))'
stop brief
recovers jobs

plan
