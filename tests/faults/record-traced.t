#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Is what is suspicious traced while the program that is recorded runs, and does a replay say the same?
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
needs flock jq
traces sched/sched_switch || skip_all "this kernel has no sched:sched_switch"
loud
begin
cd "$scratch" || exit 1

call "$BIN/tuesday" record spun --window 0.5 --quick -o json --to live.json cpu --while \
	"$helpers/spin" $((3 * $(nproc))) 6
t "what is suspicious is traced while the program runs" jq -e '.checks[0] |
	.tier == "trace" and .verdict == "bad" and .culprits[0].name == "spin"' live.json
call "$BIN/tuesday" run cpu --replay spun -o json
# All but what the run itself cost and when it was judged.
essence='del(.cost, .duration_seconds, .replay) | del(.checks[].cost, .checks[].offers)'
jq -S "$essence" live.json >live.essence
jq -S "$essence" out >replayed.essence
t "and a replay of it says the same" test -s live.essence -a "$(cmp live.essence replayed.essence 2>&1)" = ""
plan
