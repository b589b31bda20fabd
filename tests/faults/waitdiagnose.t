#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does waitdiagnose say of programs, of which it is known, where their time goes? Do the parts sum to the whole, and is
# each share right to two points?
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
if [[ $(id -u) != 0 ]] || ! command -v jq >/dev/null; then
	echo "1..0 # SKIP needs root, and the program jq"
	exit 0
fi
work=$(mktemp -d /var/tmp/tuesday-waits.XXXXXX)
pid=
end_waiter() {
	local child

	[[ $pid ]] || return 0
	# shellcheck disable=SC2013
	for child in $(cat "/proc/$pid/task/$pid/children" 2>/dev/null); do
		kill "$child" 2>/dev/null
	done
	kill "$pid" 2>/dev/null
	wait "$pid" 2>/dev/null
	pid=
}
# Whoever is still in it goes back.
leave_group() {
	local one

	[[ -d $groups/tuesday-waits-$$ ]] || return 0
	for _ in {1..20}; do
		# shellcheck disable=SC2013
		for one in $(cat "$groups/tuesday-waits-$$/cgroup.procs"); do
			echo "$one" >"$groups/cgroup.procs"
		done 2>/dev/null
		rmdir "$groups/tuesday-waits-$$" 2>/dev/null && return
		sleep 0.1
	done
}
groups=/nonexistent
trap 'end_waiter; leave_group; rm -rf "$work"' EXIT

if ! "$BIN/waitdiagnose" -s 100ms $$ >"$work/said" 2>"$work/err"; then
	echo "1..0 # SKIP $(head -n 1 "$work/err")"
	exit 0
fi

# look TIME: what is said of the program, as JSON, by one that has a CPU where that has none.
look() {
	nice -n -20 "$BIN/waitdiagnose" -o json -s "$1" "$pid" >"$work/said" 2>"$work/err"
}
said() {
	jq -r ".processes[0] | $1" "$work/said"
}
# part NAME: its share of the wall time, in percent.
part() {
	said "(([.parts[] | select(.part == \"$1\") | .ns][0] // 0) * 100 / .wall_ns)"
}

# tells KIND PART REGEX NAME [ARGUMENT]: asked up to three times, as others may have the CPU.
tells() {
	nice -n -15 "$BUILD/faults/waiter" "$1" "${5:-1}" &
	pid=$!
	sleep 0.2
	for _ in 1 2 3; do
		look 1s
		if [[ $(said .most) = "$2" ]] && said .sentence | grep -qE "$3"; then
			break
		fi
	done
	if [[ $(said .most) = "$2" ]] && said .sentence | grep -qE "$3"; then
		pass "$4"
	else
		fail "$4"
		cat "$work/err" "$work/said" | cut -c1-1000 | why
	fi
	is "$(said '((.wall_ns - .parts_ns) / .wall_ns | fabs) < 0.01')" true "and less than 1 % of the time is in no part"
	end_waiter
}

tells computes cpu '^waiter \(pid [0-9]+\) computes: ' "a program computes"
is "$(said '.functions | any(.samples > 0 and (.name | test("clock_gettime|cpu_seconds|compute_ms")))')" true "in functions that are named"
tells nothing cpu 'reads nothing, again and again: [0-9]+ system calls/s bring nothing' "reads nothing, again and again"
tells work work 'only waits for work' "only waits for work"
tells peer peer 'waits for 127\.0\.0\.1:[0-9]+' "waits for a peer"
tells children children 'children that live for moments: .*true' "has its work done by children that live for moments"
tells thread mutex 'a mutex of its own that is held by its own threads' "waits for its own other thread"
tells word mutex 'a mutex of its own that is held by its own threads' "waits for a lock that is not the C library's"
tells idle thread 'waits for its own other threads, which have nothing to do' "threads that wait for a sign wait for no lock"
tells rare peer 'rare slow waits .* among many quick ones' "has rare slow waits among many quick ones"
is "$(said '.slowest[0].ns > 3e8 and .slowest[0].at_ns < 1e9 and .slowest[0].on == "a local socket"')" true \
	"of which the slowest are told, with their moment, and what they were on"
tells sleeps sleep 'sleeps by its own wish' "sleeps by its own wish"
for call in select poll ppoll epoll_wait; do
	tells sleeps-in sleep 'sleeps by its own wish' "sleeps in $call beside a connection that it does not wait for" "$call"
done
tells flock shared_lock 'a lock that processes share, in flock\(\) behind waiter \(pid [0-9]+\)' "waits for a file lock" "$work/lock"
tells stuck shared_lock 'a lock that processes share, in flock\(\) behind waiter \(pid [0-9]+\)' "waits for one all the time" "$work/lock"
tells fcntl shared_lock 'a lock that processes share, in fcntl\(\) behind waiter \(pid [0-9]+\)' "waits for one of fcntl" "$work/lock"
tells semaphore shared_lock 'a lock that processes share, in sem(timed)?op\(\) behind waiter \(pid [0-9]+\)' "waits for a semaphore"
tells message peer 'waits for waiter \(pid [0-9]+\), by a message queue' "waits for a message"
tells unknown other 'waits for something unknown, in splice\(\)' "waits in a call of which nothing is known"
tells small disk 'waits for many small disk operations: .* in fdatasync\(\)' "waits for many small writes" "$work/file"
is "$(said '(.next | test("^Behind whose I/O: queuediagnose [0-9]+ --only disk\\. ")) or
	([.disks[].ns] | add // 0) * 2 >= (.parts[] | select(.part == "disk").ns)')" true \
	"and clears no device whose queue it has not seen"
tells mapped disk 'disk.* in page faults( of mapped files| \(mapped files or swap\))' "waits for pages of a file that it has mapped" "$work/mapped"

# Shares that are known: of each 20 ms so many compute, and the rest sleeps.
for share in 0.2 0.5; do
	"$BUILD/faults/waiter" computes "$share" &
	pid=$!
	sleep 0.2
	for _ in 1 2 3; do
		look 2s
		wanted=$(jq -n "$share * 100")
		off=$(jq -n "$(part user) + $(part kernel) + $(part cpu) + $(part interrupted) - $wanted * (100 - $(part run_queue)) / 100 | fabs")
		[[ $(jq -n "$off <= 2") = true ]] && break
	done
	is "$(jq -n "$off <= 2")" true "a program on CPUs for $wanted % of its own time is seen so, to 2 points (off by $off)"
	end_waiter
done

# By the kernel's own count: what was waited for a CPU is what /proc/PID/schedstat says.
nice -n -15 "$BUILD/faults/waiter" computes 1 &
pid=$!
nice -n -15 "$BUILD/faults/waiter" computes 1 &
rival=$!
taskset -p -c 0 "$pid" >/dev/null
taskset -p -c 0 "$rival" >/dev/null
for _ in 1 2 3; do
	look 2s
	queued=$(part run_queue)
	behind=$(said "[.parts[] | select(.part == \"run_queue\") | (.of[] | select(.name == \"waiter (pid $rival)\") | .ns) * 100 / .ns][0] // 0")
	[[ $(jq -n "$queued >= 40 and $behind >= 60") = true ]] && break
done
is "$(jq -n "$queued >= 40")" true "two on one CPU wait for it half of their time"
is "$(jq -n "$behind >= 60")" true "each behind the other"
kill "$rival"
wait "$rival" 2>/dev/null
kill -STOP "$pid"
look 500ms
is "$(said .most)" stopped "one that is stopped is stopped"
kill -CONT "$pid"
(
	sleep 2
	kill -KILL "$pid"
) &
look 6s
is "$(said '.sentence | test("killed by SIGKILL; until then it computes")')" true "one that dies has died, and what it did until then is told"
is "$(jq '.seconds < 5' "$work/said")" true "and nobody waits for it any longer"
pid=

# Targets.
"$BUILD/faults/waiter" sleeps &
pid=$!
sleep 0.2
"$BIN/waitdiagnose" -s 100ms waiter >"$work/text" 2>"$work/err"
is "$(grep -c "^waiter (pid $pid) sleeps" "$work/text")" 1 "a process has a name"
"$BIN/waitdiagnose" -s 100ms -u root -n 100 >"$work/text" 2>"$work/err"
is "$(grep -c "^waiter (pid $pid) sleeps" "$work/text")" 1 "and a user"
group=$(sed -n 's/^0:://p' /proc/self/cgroup)
if [[ $group ]]; then
	"$BIN/waitdiagnose" -s 100ms -n 100 "$group" >"$work/text" 2>"$work/err"
	is "$(grep -c "^waiter (pid $pid) sleeps" "$work/text")" 1 "and a cgroup"
fi
# Who comes while it looks: children of the cgroup's processes, and one that is moved into it.
groups=$(sed -n 's/^[^ ]* [^ ]* [^ ]* [^ ]* \([^ ]*\) .* - cgroup[2]* .*/\1/p' /proc/self/mountinfo | while read -r at; do
	[[ -e $at/cgroup.procs && -w $at/cgroup.procs ]] && echo "$at"
done | tail -n 1)
if [[ $groups ]] && mkdir "$groups/tuesday-waits-$$" 2>/dev/null; then
	(
		echo "$BASHPID" >"$groups/tuesday-waits-$$/cgroup.procs"
		for _ in {1..60}; do
			sleep 0.1
		done
	) &
	inside=$!
	sleep 0.3
	(
		sleep 2
		echo "$pid" >"$groups/tuesday-waits-$$/cgroup.procs"
	) &
	moves=$!
	"$BIN/waitdiagnose" -o json -s 3s -n 100 "/tuesday-waits-$$" >"$work/said" 2>"$work/err"
	is "$(jq '.all.processes_count == (.processes | length) and .all.processes_count > 3' "$work/said")" true \
		"children of a cgroup that live for moments belong to it"
	is "$(jq ".processes | any(.pid == $pid and .wall_ns < 2.8e9)" "$work/said")" true \
		"and who was moved into it, from then on"
	is "$(jq '.all.wall_ns == ([.processes[].wall_ns] | add) and
		([.all.parts[].ns] | add) == ([.processes[].parts[].ns] | add)' "$work/said")" true "all of them add up to one"
	is "$(jq '.all.sentence | test("^/tuesday-waits-[0-9]+ \\([0-9]+ processes\\) ")' "$work/said")" true \
		"of which something is said first"
	kill "$inside" 2>/dev/null
	wait "$inside" "$moves" 2>/dev/null
	leave_group
else
	skip "who comes while it looks" "no cgroup can be made"
fi
"$BIN/waitdiagnose" -s 100ms no-such-program >"$work/text" 2>"$work/err"
is "$?" 3 "one that is not there"
is "$(cat "$work/err")" "$BIN/waitdiagnose: no process is called no-such-program" "is said so"
end_waiter
# Without a target system calls are counted at the end of the look only.
nice -n -15 "$BUILD/faults/waiter" nothing &
pid=$!
finds_nothing() {
	"$BIN/waitdiagnose" -s 1s -n 20 >"$work/text" 2>"$work/err"
	grep -q "^waiter (pid $pid) reads nothing, again and again: [0-9]* system calls/s bring nothing" "$work/text"
}
works "without a target it finds who reads nothing, again and again" eval 'for _ in 1 2 3 4 5; do finds_nothing && break; done'
works "without a target it looks at all" "$BIN/waitdiagnose" -s 300ms
if command -v setpriv >/dev/null; then
	setpriv --reuid 65534 --regid 65534 --clear-groups "$BIN/waitdiagnose" -s 100ms $$ >"$work/text" 2>"$work/err"
	is "$?" 3 "without rights it does not look"
	is "$(grep -c 'run it as root' "$work/err")" 1 "and says which it needs"
fi
plan
