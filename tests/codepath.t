#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Is a call that was added named, and is what only looks like one good?
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"
cd "$root" || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# said SENTENCE STATUS LINE FILE...: the exit status and the first line.
said() {
	local sentence=$1 wanted=$2 line=$3
	shift 3
	(cd "$work" && "$BIN/tuesday" codepath "$@" 2>&1) >"$work/out"
	is "$? $(head -n 1 "$work/out")" "$wanted $line" "$sentence"
}

printf 'm;a 500\nm;b 500\n' >"$work/monday"
printf 'm;a 520\nm;b 480\n' >"$work/tuesday"
printf 'm;a 490\nm;b 510\n' >"$work/wednesday"
printf 'm;a 380\nm;b 370\nm;a;added;inner 250\n' >"$work/now"
sed 's/$/0/' "$work/monday" >"$work/busy"
sed 's/^m/q/; s/;a/;z/; s/;b/;y/' "$work/monday" >"$work/deployed"
printf 'm;a 520\nm;b 450\nm;c 30\n' >"$work/little"
printf 'm;a 5\n' >"$work/few"
more='added takes 25.0 % of the CPU time, 0.0 % before: 12.2 CPU hours a day more'

said 'an added call is named, not what calls it nor what it calls' 1 "maybe: $more" now monday tuesday wednesday
said 'seen in two runs it is bad' 2 "bad: $more" now monday tuesday now
said 'ten times the load with the same shares is good' 0 \
	'good: no function takes more CPU time than before, of 3 compared with 2 earlier profiles' busy monday tuesday
said 'three points are not told' 0 \
	'good: no function takes more CPU time than before, of 4 compared with 1 earlier profile' little monday
said 'after a deploy that renamed everything nothing can be compared' 3 \
	'unknown: the earlier profiles know only 0 % of what runs now by name: they cannot be compared, as after a deploy that renamed functions' \
	deployed monday tuesday
said 'five samples say nothing' 3 'unknown: too few samples to compare' few monday
said 'one profile is no comparison' 64 \
	'tuesday codepath: name a profile of now and one from before; see --help' now
said 'a file that is not there is told' 3 'tuesday codepath: nowhere: No such file or directory' nowhere monday
plan
