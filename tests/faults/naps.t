#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Are naps of a busy program found, and blamed on who made them: a reader of its smaps, a signal, a quota, its own lock?
# And does nobody nap who has nothing to do? Both hold on a machine that others keep busy: who is watched is asked by
# its number, and asked again where the machine gave it no CPU.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
needs jq
own_network
begin

# naps NAME SECONDS [OPTION...]: what napdiagnose says of a helper, in $answer.
naps() {
	local name=$1 seconds=$2

	shift 2
	answer=$("$BIN/napdiagnose" "${started[$name]}" --for "${seconds}s" -o json "$@")
}

# says SENTENCE FILTER
says() {
	if jq -e "$2" <<<"$answer" >/dev/null; then
		pass "$1"
	else
		fail "$1"
		head -c 3000 <<<"$answer" | why
	fi
}

# thrice SENTENCE FILTER COMMAND...: asks again, twice at most, where it does not hold.
thrice() {
	local sentence=$1 filter=$2 _

	shift 2
	for _ in 1 2 3; do
		"$@"
		jq -e "$filter" <<<"$answer" >/dev/null && break
	done
	says "$sentence" "$filter"
}

# Page tables of 60 GB of the page of zeros are 120 MB, and to walk them takes a tenth of a second.
start service "$helpers/napper" busy 60 60
read_smaps() {
	start reader "$helpers/napper" read "${started[service]}" smaps 100 200
	naps service 5
	stop reader
}
thrice "each nap is blamed on the reader of smaps, by the file that it has open" '
	(.naps | length) >= 3 and all(.naps[]; .cause == "memory-map") and
	any(.processes[]; .by == "file" and .culprit.name == "reader" and .culprit.file == "smaps")' read_smaps
says "a nap says when it began and how long it was" 'all(.naps[]; .seconds >= 0.1 and .seconds < 5 and .begin_seconds > 0)'

"$BIN/napdiagnose" "${started[service]}" --for 2s --events "$scratch/events" -o json >"$scratch/quiet.json"
answer=$(cat "$scratch/quiet.json")
says "without a reader there is none that is blamed" 'all(.processes[]; .by != "file")'
if [ -f "$scratch/events" ] && ! grep -qvE '^[0-9]+\.[0-9]+ [0-9]+\.[0-9]+$' "$scratch/events"; then
	pass "events are lines of two numbers"
else
	fail "events are lines of two numbers"
fi

stop_and_go() {
	local _

	(
		for _ in 1 2 3; do
			sleep 1
			kill -STOP "${started[service]}"
			sleep 0.3
			kill -CONT "${started[service]}"
		done
	) 6>&- 8>&- &
	naps service 5
	wait $!
}
thrice "SIGSTOP is told, and nobody blamed for having run" '
	([.naps[] | select(.cause == "stopped" and .seconds > 0.25)] | length) >= 2 and
	any(.processes[]; .cause == "stopped" and .by == "signal" and (has("culprit") | not))' stop_and_go
stop service

cpu=$(sed -n 's/^[^ ]* [^ ]* [^ ]* [^ ]* \([^ ]*\) .* - cgroup [^ ]* .*\bcpu\b.*/\1/p' /proc/self/mountinfo | head -n 1)
group=
if [ -n "$cpu" ] && group=$cpu/tuesday-naps-$$ && mkdir "$group" 2>/dev/null; then
	undo rmdir "$group"
	echo 500000 >"$group/cpu.cfs_period_us"
	echo 150000 >"$group/cpu.cfs_quota_us"
	start held "$helpers/napper" busy 0 30
	echo "${started[held]}" >"$group/cgroup.procs"
	thrice "a quota is told, with the cgroup" '
		([.naps[] | select(.cause == "quota" and (.cgroup | test("tuesday-naps")))] | length) >= 3 and
		any(.processes[]; .cause == "quota" and .by == "cgroup")' naps held 4
	stop held
else
	skip "no cgroup v1 with CPU quotas here"
fi

start own "$helpers/napper" own 7011 30
thrice "its own lock is told from that of another, and nobody is blamed" '
	([.naps[] | select(.cause == "own-lock" and .waiting_connections > 0)] | length) >= 2 and
	any(.processes[]; .by == "itself" and (has("culprit") | not))' naps own 4
stop own

# What looks alike.
start bursty "$helpers/napper" bursty 30
naps bursty 4
says "a bursty job has pauses, and no naps" '
	.idle_pauses >= 3 and all(.naps[]; .cause == "run-queue")'
stop bursty
start idle "$helpers/napper" idle 30
naps idle 2
says "an idle server was not busy, and has none" '.busy_processes == 0 and (.naps | length) == 0'
stop idle
start ends "$helpers/napper" ends 3
naps ends 4
says "a job that ended has none" 'all(.naps[]; .cause == "run-queue")'

plan
