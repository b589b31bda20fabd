#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does tracediagnose tell of each event: the one slow sleep among many quick ones, and 23 reads as 23?
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
needs jq losetup dd
begin
cd "$scratch" || bail "no scratch"
traces syscalls/sys_enter_clock_nanosleep || skip_all "no tracepoints of system calls"
cp "$(command -v sleep)" tue-work
cp "$(command -v sleep)" tue-calm

# attached: the tracer's programs are on their tracepoints.
attached() {
	[ "$(find "/proc/$tracer/fd" -lname '*perf_event*' 2>/dev/null | wc -l)" -ge 2 ] || ! kill -0 "$tracer" 2>/dev/null
}

# trace SECONDS ARGUMENT...: in the background, from when it is attached; its number is in $tracer.
trace() {
	local seconds=$1

	shift
	"$BIN/tracediagnose" "$@" --for "${seconds}s" >out 2>err 6>&- 8>&- &
	tracer=$!
	started[tracer]=$tracer
	until_true 20 attached
	sleep 0.2
}

traced() {
	wait "$tracer"
	status=$?
	unset "started[tracer]"
}

work() {
	local _

	for _ in {1..15}; do
		./tue-work 0.002
		./tue-calm 0.002
	done
	./tue-work 0.4
	./tue-work 0.002
}

# slow_ones NAME SECONDS: how many of this name took at least that, of the slowest.
slow_ones() {
	jq -r --arg name "$1" --argjson least "$2" \
		'[.slowest[] | select(.who == $name and .took_seconds >= $least)] | length' out
}

sleeps=(--begin syscalls:sys_enter_clock_nanosleep --end syscalls:sys_exit_clock_nanosleep)
# A neighbour may keep a quick one from its CPU for so long: then it is asked again.
for _ in 1 2 3; do
	trace 3 "${sleeps[@]}" -n 1000 -o json --svg picture.svg --cells cells --log log
	work
	traced
	[ "$(slow_ones tue-work 0.2)" = 1 ] && [ "$(slow_ones tue-calm 0.2)" = 0 ] && break
	echo "# asked again"
done
t "it ends well" [ "$status" = 0 ]
is "$(slow_ones tue-work 0.4)" 1 "the slow one is among the slowest, and was as long as it was"
is "$(slow_ones tue-calm 0.2)" 0 "who had quick ones only is not"
is "$(grep -c ' tue-work\[' log)" 17 "the log has each of 17"
t "nothing was lost" jq -e '.lost_count == 0' out
is "$(jq '.events_count' out)" "$(wc -l <log)" "the log has as many as were counted"
if command -v xmllint >/dev/null; then
	t "the picture is well-formed" xmllint --noout picture.svg
else
	skip "the picture is well-formed" "xmllint is not installed"
fi
"$BIN/tracediagnose" log -n 5 -o json >again 2>err
is "$(jq '.events_count' again)" "$(wc -l <log)" "its log is read again"
is "$(jq '[.slowest[].took_seconds][0]' again)" "$(jq '[.slowest[].took_seconds][0]' out)" "with the same slowest"
"$BIN/tracediagnose" --merge cells cells -o json >merged 2>err
is "$(jq '[.events_count, .hosts_count] | @text' merged)" \
	"$(jq '[.events_count * 2, 2] | @text' out)" "two hosts' cells are twice as many"

# Direct reads, each of which is a request.
head -c 1M /dev/urandom >disk
if loop=$(losetup -f --show disk 2>err); then
	undo losetup -d "$loop"
	trace 2 disk/block --only 'rwbs has R' --log log -o json
	dd if="$loop" of=/dev/null bs=4k count=23 skip=7 iflag=direct 2>err.dd
	traced
	is "$(grep -c " ${loop#/dev/}$" log)" 23 "of a trace of a check: 23 reads are 23"
else
	skip "of a trace of a check: 23 reads are 23" "no loop device"
fi

# Somebody who ends it sees what came until then: as Ctrl-C, which is ignored in the background of a script.
trace 60 "${sleeps[@]}" -o json
./tue-work 0.01
kill -TERM "$tracer"
traced
t "interrupted, it tells what it saw" [ "$status" = 0 ]
t "and says that it was" jq -e '.interrupted and .events_count > 0' out

patience=10
call setpriv --reuid 65534 --clear-groups --bounding-set -all --inh-caps -all "$BIN/tracediagnose" disk/block --for 1s
t "an ordinary user learns what right is missing" grep -q 'CAP_BPF\|tracefs cannot be read' err
t "in one line, and no verdict" [ "$status $(wc -l <err)" = "3 1" ]
plan
