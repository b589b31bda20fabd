#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Is what was over when the trace looked neither cleared nor sure, and what was still there overruled? And
# does a replay say the same? The counter is a file of our own, which is well again before the traces end.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
needs flock jq
traces sched/sched_switch || skip_all "this kernel has no sched:sched_switch"
quiet
begin
cd "$scratch" || exit 1

# asks NAME: a check that is accused by the level in the file of that name; the trace finds nothing.
asks() {
	echo 30 >"$scratch/$1.level"
	cat >"$1.ini" <<-EOF
		[check]
		question = Is the level of $1 too high?
		area = test
		[metric level_count]
		value = $scratch/$1.level
		class = harm
		witness = trace:switches
		acquit = < 5
		maybe = > 10
		source = this test
		say = the level is {value}
		[trace switches]
		event = sched:sched_switch
		[metric switches_per_second]
		value = count(trace:switches) / window
		enough = count(trace:switches) >= 1
		class = harm
		acquit = < 1e12
		maybe = > 1e13
		source = this test
		say = {value} switches
	EOF
}

# recorded NAME: whether the counters of its last window have been read.
recorded() {
	[ -s "rec-$1/1$scratch/$1.level" ]
}

for name in goes stays; do
	asks "$name"
	"$BIN/tuesday" check "$name.ini" --quick --record "rec-$name" -o json >"$name.json" 6>&- 8>&- &
	started[$name]=$!
done
until_true 20 recorded goes && echo 1 >goes.level
wait "${started[@]}"

said() {
	jq -c '.checks[0] | [.verdict, .tier, .exonerated, .metrics[0].over, .windows]' "$1"
}
is "$(said goes.json)" '["good","trace",false,null,null]' "a level that one look does not find is overruled, and not cleared"
is "$(said stays.json)" '["good","trace",true,null,null]' "what was still there the trace overrules"
for name in goes stays; do
	call "$BIN/tuesday" check "$name.ini" --replay "rec-$name" -o json
	is "$(said out)" "$(said "$name.json")" "a replay of what $name says the same"
done
plan
