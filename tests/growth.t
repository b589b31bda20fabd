#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does four times as much of anything that somebody can have on a machine cost no more than six times the CPU
# time, and does it hide anybody? tests/growth/machine makes such machines, and each is replayed: what n log n
# costs at most. What is quadratic costs 16 times as much. GROWTH says how many times more there are of each:
# make check-long asks 2.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"
cd "$root/tests/growth" || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C
GROWTH=${GROWTH:-1}
# CPU time that a measurement may be wrong by: us.
slack=6000

# made KIND N: the machine, and the same each time.
made() {
	[ -d "$work/$1-$2" ] || perl ./machine "$1" "$2" "$work/$1-$2"
}
# costs KIND N: us of CPU, in cost.
costs() {
	local TIMEFORMAT='%3U %3S' times user system

	made "$1" "$2"
	times=$({ time "$BIN/tuesday" run many -c "$work/$1-$2/checks" --replay "$work/$1-$2/rec" --no-history \
		--no-trace -o json >"$work/json" 2>"$work/err"; } 2>&1)
	read -r user system <<<"${times//./}"
	cost=$(((10#$user + 10#$system) * 1000))
}
# least KIND N BEFORE: the smaller one of what it cost before and what it costs now, in cost.
least() {
	costs "$1" "$2"
	[ "$3" -gt "$cost" ] || cost=$3
}

# grows KIND N PERCENT
grows() {
	local none=99999999 few=99999999 many=99999999 cost seen

	for _ in 1 2 3; do
		least "$1" 1 "$none"
		none=$cost
		least "$1" "$2" "$few"
		few=$cost
		least "$1" $((4 * $2)) "$many"
		many=$cost
		[ $((many - none)) -gt $((6 * (few - none > 0 ? few - none : 0) + slack)) ] || break
	done
	# Nobody is hidden by others: all are seen, or it is said that there are more.
	seen=$(jq --argjson least $((4 * $2 * $3 / 100)) '.checks[0] | any(.metrics[]; .instances >= $least and
		.value != null) or any(.howevers[]; test("more|only the first"))' "$work/json" 2>/dev/null)
	if [ "$seen" = true ]; then
		pass "$((4 * $2)) $1 are seen, or it is said that there are more"
	else
		fail "$((4 * $2)) $1 are seen, or it is said that there are more"
		jq '.checks[0] | .howevers, (.metrics[] | {name, instances, value})' "$work/json" | cat "$work/err" - | why
	fi
	if [ $((many - none)) -gt $((6 * (few - none > 0 ? few - none : 0) + slack)) ]; then
		fail "four times $2 $1 cost at most six times as much"
		echo "none $none us, $2 $few us, $((4 * $2)) $many us" | why
	else
		pass "four times $2 $1 cost at most six times as much"
	fi
	rm -rf "${work:?}/$1"-*
}

command -v jq >/dev/null || { echo "1..0 # SKIP needs the program jq"; exit 0; }
while read -r kind n percent; do
	grows "$kind" $((n * GROWTH)) "$percent"
done < <(perl ./machine)
plan
