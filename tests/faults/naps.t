#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2016
# Are naps told by their causes: a signal, a quota, a lock of one's own? Does nothing that is read of a sleeper take a
# lock of it? Each is asked again where others kept what is watched off the CPU.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/naps.sh
. "$(dirname "$0")/../naps.sh"
needs jq
own_network
begin

# An eighth of it is memory; the rest is page tables, which take time to count.
start service "$helpers/napper" busy 48 60

# A signal, a quota and a lock of its own, at the same time.
start own "$helpers/napper" own 7011 60
cpu=$(sed -n 's/^[^ ]* [^ ]* [^ ]* [^ ]* \([^ ]*\) .* - cgroup [^ ]* .*\bcpu\b.*/\1/p' /proc/self/mountinfo | head -n 1)
group=
if [ -n "$cpu" ] && mkdir "$cpu/tuesday-naps-$$" 2>/dev/null; then
	group=$cpu/tuesday-naps-$$
	undo rmdir "$group"
	echo 500000 >"$group/cpu.cfs_period_us"
	echo 150000 >"$group/cpu.cfs_quota_us"
	start held "$helpers/napper" busy 0 60
	echo "${started[held]}" >"$group/cgroup.procs"
fi
hold_up() {
	(
		for _ in 1 2 3; do
			sleep 1
			kill -STOP "${started[service]}"
			sleep 0.3
			kill -CONT "${started[service]}"
		done
	) 6>&- 8>&- &
	naps 5 service own ${group:+held}
	wait $!
}
stopped='([.naps[] | select(.pid == $of_service and .cause == "stopped" and .seconds > 0.25)] | length) >= 2 and
	any(.processes[]; .pid == $of_service and .by == "signal" and (has("culprit") | not))'
own='([.naps[] | select(.pid == $of_own and .cause == "own-lock" and .waiting_connections > 0)] | length) >= 2 and
	any(.processes[]; .pid == $of_own and .by == "itself" and (has("culprit") | not))'
quota='([.naps[] | select(.pid == $of_held and .cause == "quota" and (.cgroup | test("tuesday-naps")))] | length) >= 3 and
	any(.processes[]; .pid == $of_held and .by == "cgroup")'
thrice "$stopped and $own ${group:+and $quota}" hold_up
says "SIGSTOP is told, and nobody blamed for having run" "$stopped"
says "its own lock is told from that of another, and nobody blamed" "$own"
if [ -n "$group" ]; then
	says "a quota is told, with its cgroup" "$quota"
	stop held
else
	skip "a quota is told, with its cgroup" "no cgroup v1 with CPU quotas here"
fi
stop own

# The health tool, by the same watch. Who counts the memory of the service is named.
read_smaps() {
	start reader "$helpers/napper" read "${started[service]}" smaps 30 150
	answer=$("$BIN/naphealth" --window 1 --windows 4 -o json)
	stop reader
}
bad='any(.checks[]; .check == "nap" and .verdict == "bad" and any(.culprits[]?; .name == "reader"))'
thrice "$bad" read_smaps
says "naphealth is bad where somebody reads smaps again and again, and names him" "$bad"
accuses_all='[.checks[] | select(.check == "nap") | .metrics[] | select(.verdict == "bad" or .verdict == "maybe") | .name]'
says "by the naps of one kind, and by their part of the time" \
	"$accuses_all | index(\"alike_naps_count\") != null and index(\"napped_ratio\") != null"

"$BIN/napdiagnose" "${started[service]}" --for 2s --events "$scratch/events" >/dev/null
if [ -f "$scratch/events" ] && ! grep -qvE '^[0-9]+\.[0-9]+ [0-9]+\.[0-9]+$' "$scratch/events"; then
	pass "events are lines of two numbers"
else
	fail "events are lines of two numbers"
fi


# What is opened while it naps, as the kernel sees it.
if command -v strace >/dev/null; then
	hold_up_once() {
		(
			sleep 1.5
			kill -STOP "${started[service]}"
			sleep 0.6
			kill -CONT "${started[service]}"
		) 6>&- 8>&- &
		strace -f -e trace=file -o "$scratch/files" "$BIN/napdiagnose" "${started[service]}" --for 3s -o json >"$scratch/told"
		wait $!
	}
	for _ in 1 2 3; do
		hold_up_once
		grep -q '"cause":"stopped"' "$scratch/told" && break
	done
	if grep -q "/proc/${started[service]}/task/.*/wchan" "$scratch/files" && grep -q '"cause":"stopped"' "$scratch/told" &&
		! grep -E '/proc/[0-9]+/(task/[0-9]+/)?(maps|smaps|smaps_rollup|numa_maps|pagemap|clear_refs|cmdline|environ|exe|mem|auxv|map_files)"' \
			"$scratch/files"; then
		pass "nothing is opened that takes a lock of a sleeper's memory"
	else
		fail "nothing is opened that takes a lock of a sleeper's memory"
		grep -E "/proc/${started[service]}/" "$scratch/files" | head -n 20 | why
	fi
else
	skip "nothing is opened that takes a lock of a sleeper's memory" "strace is not installed"
fi

plan
