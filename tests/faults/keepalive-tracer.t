#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does the tracer of turns see every request, of IPv4 and of IPv6, at 50000 a second and with hundreds of
# connections?
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
needs flock jq unshare ip
own_network
loud
begin

cat >"$scratch/seen.ini" <<-'END'
	[check]
	question = How many requests does the tracer see?
	area = net
	[trace turns]
	tracer = turns
	seconds = 9
	[metric seen_count]
	value = count(trace:turns.read)
	class = limit
	maybe = > 50000
	why = It is compared with how many there were.
	source = none, it is context
	[metric all_count]
	value = sum(count(trace:turns.read))
	class = limit
	maybe = > 50000
	why = It is compared with how many there were.
	source = none, it is context
END

# The trace begins within a third of a second, or a few on a bad day; in its midst requests come to one port
# after the other, each port's within less than two seconds.
start four "$helpers/pace" 4 4961 8 60000 50000 3000
start six "$helpers/pace" 6 4962 400 60000 50000 4800
start mapped "$helpers/pace" mapped 4963 8 60000 50000 6600
"$BIN/tuesday" check "$scratch/seen.ini" --deep --windows 1 --window 0.1 -o json \
	>"$scratch/run.json" 2>"$scratch/run.err" 8>&-

# seen METRIC: over all ports, or of the one where most were seen.
seen() {
	# shellcheck disable=SC2016
	jq -r --arg name "$1" '.checks[0].metrics[]? | select(.name == $name) | .value' "$scratch/run.json"
}

slowest=50000
sent=0
for name in four six mapped; do
	read -r _ played per_second <<<"$(grep '^played' "$scratch/$name.out")"
	echo "# $name: ${played:-none} played, ${per_second:-none} a second"
	sent=$((sent + ${played:-0}))
	[ "${per_second:-0}" -ge "$slowest" ] || slowest=${per_second:-0}
	stop "$name"
done
most=$(seen seen_count)
all=$(seen all_count)
echo "# ${all:-none} seen, no more than ${most:-none} of one port"
if [ -n "$all" ] && [ "$slowest" -lt 45000 ]; then
	skip "every request at 50000 a second is seen" "this machine makes $slowest a second now"
	skip "and none twice" "this machine makes $slowest a second now"
else
	is "${all%.*}" "$sent" "every request at 50000 a second is seen, of IPv4, IPv6 and both, on 8 and 400 connections"
	is "${most%.*}" 60000 "and none twice"
fi

plan
