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
	seconds = 6
	[metric seen_count]
	value = count(trace:turns.read)
	class = limit
	maybe = > 50000
	why = It is compared with how many there were.
	source = none, it is context
END

# The trace begins within a third of a second, or a few on a bad day; requests come in its midst.
# The worst of all ports is told, which is this one. sees SENTENCE FAMILY PORT CONNECTIONS REQUESTS RATE: all of them, while the rate is kept up.
sees() {
	local played per_second seen

	start pace "$helpers/pace" "${@:2}" 3000
	"$BIN/tuesday" check "$scratch/seen.ini" --deep --windows 1 --window 0.1 -o json \
		>"$scratch/run.json" 2>"$scratch/run.err" 8>&-
	read -r _ played per_second <<<"$(grep '^played' "$scratch/pace.out")"
	seen=$(jq -r ".checks[0].metrics[]? | select(.name == \"seen_count\" and .instance == \":$3\") | .value" \
		"$scratch/run.json")
	stop pace
	echo "# ${played:-none} played, ${per_second:-none} a second, ${seen:-none} seen"
	if [ -n "$seen" ] && [ "${per_second:-0}" -lt $(($6 * 9 / 10)) ]; then
		skip "$1" "this machine makes ${per_second:-too few} a second now"
	else
		is "${seen%.*}" "$played" "$1"
	fi
}

sees "every one of 60000 requests at 50000 a second is seen" 4 4961 8 60000 50000
sees "so is every one on 400 connections of IPv6" 6 4961 400 60000 50000
sees "and every one of IPv4 to a listener of IPv6" mapped 4961 8 60000 50000

plan
