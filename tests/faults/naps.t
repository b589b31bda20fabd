#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2016
# Are naps told by their causes: a signal, a quota, a lock of one's own, a frozen cgroup, one without memory, one who
# writes clear_refs? Is who only happens to run cleared, and does nothing that is read of a sleeper take a
# lock of it? Each is asked again where others kept what is watched off the CPU.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/naps.sh
. "$(dirname "$0")/../naps.sh"
needs jq
own_network
begin

# An eighth of it is memory; the rest is page tables, which take time to count.
start service "$helpers/napper" busy 48 150

# A signal, a quota and a lock of its own, at the same time.
start own "$helpers/napper" own 7011 100
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
held_most() {
	(
		for _ in {1..16}; do
			kill -STOP "${started[service]}"
			sleep 0.58
			kill -CONT "${started[service]}"
			sleep 0.11
		done
	) 6>&- 8>&- &
	sleep 0.7
	naps 10 service
	wait $!
}
held_most='([.naps[] | select(.cause == "stopped" and .seconds > 0.4)] | length) >= 2'
thrice "$held_most" held_most
says "whoever is held most of the time naps, however little it ran" "$held_most"

stopped='([.naps[] | select(.pid == $of_service and .cause == "stopped" and .seconds > 0.25)] | length) >= 2 and
	any(.processes[]; .pid == $of_service and .by == "signal" and (has("culprit") | not))'
drops='any(.processes[]; .pid == $of_own and .drops > 0) and all(.naps[]; .pid == $of_own or .drops == 0)'
own='([.naps[] | select(.pid == $of_own and .cause == "own-lock" and .waiting_connections > 0)] | length) >= 2 and
	any(.processes[]; .pid == $of_own and .by == "itself" and (has("culprit") | not))'
quota='([.naps[] | select(.pid == $of_held and .cause == "quota" and (.cgroup | test("tuesday-naps")))] | length) >= 3 and
	any(.processes[]; .pid == $of_held and .by == "cgroup")'
thrice "$stopped and $own and $drops ${group:+and $quota}" hold_up
says "SIGSTOP is told, and nobody blamed for having run" "$stopped"
says "its own lock is told from that of another, and nobody blamed" "$own"
says "so are the connections that its listener drops meanwhile, and of who listens to nobody there are none" "$drops"
if [ -n "$group" ]; then
	says "a quota is told, with its cgroup" "$quota"
	stop held
else
	skip "a quota is told, with its cgroup" "no cgroup v1 with CPU quotas here"
fi
stop own

# A cgroup of its own for each, so that nobody else is held back. For each version of cgroups that is here.
thaw_and_freeze() {
	local state

	for state in "$@" "$@" "$@"; do
		sleep 0.35
		echo "$state"
	done
}
frozen_in() {
	(
		sleep 1.5
		thaw_and_freeze "$2" "$3" | while read -r state; do
			echo "$state" >"$1"
		done
	) 6>&- 8>&- &
	naps 4 cold
	wait $!
}
# freezes SENTENCE ROOT FILE FROZEN THAWED
freezes() {
	local frozen='([.naps[] | select(.pid == $of_cold and .cause == "frozen" and .cgroup == "/tuesday-cold-'$$'")] | length) >= 2
		and any(.processes[]; .pid == $of_cold and .by == "cgroup" and (has("culprit") | not))'

	mkdir "$2/tuesday-cold-$$" || bail "cannot make a cgroup in $2"
	undo rmdir "$2/tuesday-cold-$$"
	start cold "$helpers/napper" busy 0 60
	echo "${started[cold]}" >"$2/tuesday-cold-$$/cgroup.procs"
	thrice "$frozen" frozen_in "$2/tuesday-cold-$$/$3" "$4" "$5"
	says "$1" "$frozen"
	stop cold
}
if root=$(v1_root freezer); then
	freezes "a frozen cgroup of v1 is told, by its path there" "$root" freezer.state FROZEN THAWED
else
	skip "a frozen cgroup of v1 is told, by its path there" "no freezer of cgroup v1 here"
fi
root=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/self/mounts)
if [ -n "$root" ] && mkdir "$root/tuesday-tried-$$" && [ -e "$root/tuesday-tried-$$/cgroup.freeze" ]; then
	rmdir "$root/tuesday-tried-$$"
	freezes "and one of v2" "$root" cgroup.freeze 1 0
else
	skip "and one of v2" "no cgroup v2 here, or one that cannot freeze"
fi

# It grows until its cgroup has no room, where nobody is killed for that; then it gets some more.
if root=$(v1_root memory) && mkdir "$root/tuesday-full-$$"; then
	full=$root/tuesday-full-$$
	undo rmdir "$full"
	echo 0 >"$full/memory.swappiness"
	echo 1 >"$full/memory.oom_control"
	fill() {
		local mib=64

		echo $((mib << 20)) >"$full/memory.limit_in_bytes"
		start full in_cgroup "$full" "$helpers/napper" grows 20
		(
			for _ in 1 2 3; do
				until_true 5 grep -q '^under_oom 1$' "$full/memory.oom_control"
				sleep 0.3
				mib=$((mib + 32))
				echo $((mib << 20)) >"$full/memory.limit_in_bytes"
			done
		) 6>&- 8>&- &
		naps 6 full
		wait $!
		stop full
	}
	oom='([.naps[] | select(.cause == "oom" and .cgroup == "/tuesday-full-'$$'")] | length) >= 2 and
		any(.processes[]; .by == "cgroup" and (has("culprit") | not))'
	thrice "$oom" fill
	says "a cgroup without memory is told, by its path among those of memory" "$oom"
else
	skip "a cgroup without memory is told, by its path among those of memory" \
		"no memory of cgroup v1 here: with v2 somebody is always killed"
fi

# The health tool, by the same watch. Who counts the memory of the service is named.
read_smaps() {
	start reader "$helpers/napper" read "${started[service]}" smaps 30 300
	answer=$("$BIN/naphealth" --window 1 --windows 5 -o json)
	stop reader
}
bad='any(.checks[]; .check == "nap" and .verdict == "bad" and any(.culprits[]?; .name == "reader"))'
thrice "$bad" read_smaps
says "naphealth is bad where somebody reads smaps again and again, and names him" "$bad"
accuses_all='[.checks[] | select(.check == "nap") | .metrics[] | select(.verdict == "bad" or .verdict == "maybe") | .name]'
says "by the naps of one kind, and by their part of the time" \
	"$accuses_all | index(\"alike_naps_count\") != null and index(\"napped_ratio\") != null"

"$BIN/napdiagnose" "${started[service]}" --for 3s --events "$scratch/events" --svg "$scratch/map.svg" --map -o json >"$scratch/mapped"
is "$(grep -c '<svg ' "$scratch/map.svg") $(jq '.map.cells | length > 10' "$scratch/mapped")" "1 true" \
	"when in each second it ran is drawn, and told in JSON"
if [ -f "$scratch/events" ] && ! grep -qvE '^[0-9]+\.[0-9]+ [0-9]+\.[0-9]+$' "$scratch/events"; then
	pass "events are lines of two numbers"
else
	fail "events are lines of two numbers"
fi


# Whoever has clear_refs of it open is proved, and who never stops runs through each nap and is cleared by that. He has a
# CPU before others have it.
start innocent "$helpers/spin" -C innocent -n -15 -c "$(($(nproc) - 1))" 1 60
clear_refs() {
	(
		sleep 1.5
		exec "$helpers/napper" read "${started[service]}" clear_refs 4 700
	) >"$scratch/reader" 6>&- 8>&- &
	reader=$!
	undo_process "$reader"
	naps 5 service
	kill "$reader" 2>/dev/null
	wait "$reader"
}
clears='([.naps[] | select(.cause == "memory-map" and any(.ran[]; .name == "reader" and .file == "clear_refs"))] | length) >= 2 and
	any(.processes[]; .by == "file" and .culprit.name == "reader" and .culprit.file == "clear_refs")'
innocent='any(.processes[].suspects[]; .name == "innocent" and .naps >= 2 and .cleared and .times_without_nap >= .naps)'
thrice "$clears and $innocent" clear_refs
says "who writes clear_refs of another is named, and the file" "$clears"
says "who ran through the naps, and without one as well, is cleared" "$innocent"
stop innocent

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
