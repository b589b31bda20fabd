#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does Tuesday still see the one that is ill where there is very much of everything, in time and in bounds, and
# does it say so where it cannot look at all of it? A few of the same beside each flood are good.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/experiment.sh
. "$(dirname "$0")/../experiment.sh"
needs jq ip unshare nsenter setpriv sqlite3
own_network
loud
begin
# A run under a flood has this long, and this much memory.
deadline=${FLOOD_DEADLINE:-60}
most_bytes=$((256 << 20))
own=$$

# looks [COMMAND...]: one run of all checks where COMMAND enters. What it said is in run.json, as for examine.
looks() {
	local began=${EPOCHREALTIME/./}

	timeout -k 5 $((deadline + 30)) "$@" "$BIN/tuesday" run --quick --deadline "${deadline}s" --no-history \
		-o json >"$scratch/run.json" 2>"$scratch/run.err" 8>&-
	status=$?
	took=$(((${EPOCHREALTIME/./} - began) / 1000))
}

# ends_well [CHECK...]: the last run has come to its end by itself, within its bounds, and of all checks only
# these are bad.
ends_well() {
	local others

	ask -e '.schema == "tuesday/1"' >/dev/null 2>&1 ||
		bail "no result: exit status $status after $took ms: $(head -c 300 "$scratch/run.err")"
	echo "# $took ms, $(ask '"\(.cost.rss_bytes / 1048576 | floor) MiB, \(.cost.cpu_seconds // .cost.cpu_ns) of CPU"')"
	ask '.checks[] | select(.verdict == "unknown") | "#   \(.check) unknown: \(.reason // .summary)"'
	status_fits
	is "$((took < deadline * 1000))$(ask '.interrupted // false')" 1false "  long before its deadline"
	is "$(($(ask .cost.rss_bytes) < most_bytes))" 1 "  in bounded memory"
	is "$(($(ask '[.checks[].check] | unique | length') >= shipped))" 1 "  with a result of each check"
	is "$(ask '[.checks[] | select(.verdict == "unknown" and ((.reason // .summary // "") == "")) | .check] | join(" ")')" \
		"" "  and why where it could not look"
	others=$(bad_but "${@:--}") || bail "the result cannot be read"
	is "$others" "" "  and nothing else is bad"
	for check in $others; do
		show "$check" | why
	done
}

# in_namespaces_of PID OPTION...: for looks, a command that enters them.
in_namespaces_of() {
	enter=(nsenter --target "$1" "${@:2}")
}

# Where nothing is flooded.
looks
ends_well

few_sockets() {
	awk '$1 == "TCP:" { few = $3 < 100 } END { exit !few }' /proc/net/sockstat
}
# 100,000 sockets of some user, and one server of another one that does not accept.
chmod 755 "$scratch"
install -m 755 "$helpers/flood" "$scratch/flood"
of_somebody=(setpriv --reuid=65534 --regid=65534 --clear-groups "$scratch/flood")
start few "${of_somebody[@]}" sockets 1000 600
looks
ends_well
stop few
until_true 20 few_sockets
start sockets "${of_somebody[@]}" sockets 100000 600
is "$(awk '$1 == "TCP:" { print($3 >= 100000) }' /proc/net/sockstat)" 1 "100,000 sockets are there"
looks
ends_well
start deaf "$helpers/deaf" 4321 8 100 200 600
looks
ends_well listen
accuses listen dropped_per_second overflow_per_second
names listen process deaf
stop deaf
stop sockets

# 20,000 processes in a PID namespace, and one among them that is short of descriptors. What ends the namespace
# ends them all.
flood_namespace() {
	for cgroup in $processes_in; do
		echo "$BASHPID" >"$cgroup/cgroup.procs" || return 1
	done
	exec unshare --pid --fork --mount-proc --kill-child=KILL "$helpers/flood" processes "$1" 600
}
processes_in=
for controller in pids memory; do
	if at=$(v1_root $controller) || at=$(v2_root $controller); then
		new_cgroup "$at"
		processes_in+=" $cgroup"
	fi
done
for at in $processes_in; do
	[ ! -e "$at/pids.max" ] || echo 21000 >"$at/pids.max"
	for limit in memory.limit_in_bytes memory.max; do
		[ ! -e "$at/$limit" ] || echo 3G >"$at/$limit"
	done
done
inside_of() {
	pgrep -P "${started[$1]}"
}
# shellcheck disable=SC2016 # the shell inside is meant
hoard() {
	exec nsenter --target "$init" --pid --mount setpriv --pdeathsig KILL bash -c 'ulimit -Sn 200
		for fd in {10..199}; do eval "exec $fd</dev/null"; done
		echo hoard >/proc/$$/comm; echo ready; read -rt 600 <> <(:)'
}
if [ "$(cat /proc/sys/kernel/pid_max)" -lt 30000 ]; then
	skip "20,000 processes" "this kernel has no numbers for so many"
else
	for count in 100 20000; do
		start processes flood_namespace "$count"
		init=$(inside_of processes)
		in_namespaces_of "$init" --pid --mount
		is "$(("$("${enter[@]}" sh -c 'ls -d /proc/[0-9]* | wc -l')" >= count))" 1 "$count processes are there"
		looks "${enter[@]}"
		ends_well
		start hoard hoard
		looks "${enter[@]}"
		ends_well files
		accuses files process_open_ratio
		names files process hoard
		stop hoard
		stop processes
	done
fi

# 5,000 control groups, of each version that is here.
for count in 50 5000; do
	for at in $(v1_root cpu) $(awk '$3 == "cgroup2" { print $2 }' /proc/self/mounts | head -n 1); do
		cgroup=$at/tuesday-flood-$own-$count
		mkdir "$cgroup" || bail "cannot make $cgroup"
		undo eval "rmdir $cgroup"
		undo eval "find $cgroup -mindepth 1 -depth -type d -delete"
		seq -f "$cgroup/group-%.0f" "$count" | xargs mkdir
	done
	looks
	ends_well
	cut=$(ask '[.checks[] | select(.check | startswith("cg")) | (.howevers // [])[], (.reason // empty)] | map(select(test("control groups"))) | length > 0')
	is "$cut" "$([ "$count" = 50 ] && echo false || echo true)" "of $count control groups it says whether it read all"
	for at in $(v1_root cpu) $(awk '$3 == "cgroup2" { print $2 }' /proc/self/mounts | head -n 1); do
		find "$at/tuesday-flood-$own-$count" -mindepth 1 -depth -type d -delete
	done
done

# 1,000 network namespaces.
for count in 20 1000; do
	start netns unshare --mount --propagation private "$helpers/flood" netns "$count" 600
	in_namespaces_of "${started[netns]}" --mount
	is "$("${enter[@]}" sh -c 'ls /run/netns | wc -l')" "$count" "$count network namespaces are there"
	looks "${enter[@]}"
	ends_well
	cut=$(ask '[.checks[] | (.howevers // [])[], (.reason // empty)] | map(select(test("(all|only .*) network namespaces"))) | length > 0')
	is "$cut" "$([ "$count" = 20 ] && echo false || echo true)" "  of $count it says whether it read all"
	stop netns
done

# A file system that answers, and one that does not any more.
mkdir "$scratch/fuse"
for kind in fuse deaf; do
	if ! [ -c /dev/fuse ]; then
		skip "$kind" "this kernel has no FUSE"
		continue
	fi
	start "$kind" unshare --mount --propagation private "$helpers/flood" "$kind" "$scratch/fuse" 600
	in_namespaces_of "${started[$kind]}" --mount
	looks "${enter[@]}"
	ends_well
	# shellcheck disable=SC2016
	hung=$(ask --arg at "$scratch/fuse" '[.checks[] | select(.check == "fs") | (.howevers // [])[], (.reason // empty)] |
		map(select(contains("hung on " + $at))) | length > 0')
	is "$hung" "$([ "$kind" = fuse ] && echo false || echo true)" "  it says whether a file system hangs"
	# Who asked and still waits there hangs, and is no fault of this run.
	looks "${enter[@]}"
	ends_well hung
	is "$(pgrep -fc "$BIN/tuesday run --quick --deadline ${deadline}s")" "$([ "$kind" = fuse ] && echo 0 || echo 1)" \
		"  however often it is asked, one process waits there"
	stop "$kind"
done
# Who still waited in it is let go with it.
gone() {
	! pgrep -f "$BIN/tuesday run --quick --deadline ${deadline}s" >/dev/null
}
until_true 10 gone
works "nobody is left behind" gone

# No room under /var/lib and /run, from one moment on: what was kept stays, and an experiment changes nothing.
cat >"$scratch/full" <<'END'
mount -t tmpfs -o size=1m none /var/lib && mount -t tmpfs -o size=64k none /run || exit 1
unset TUESDAY_STATE_DIR
cd "$1" || exit 1
knob=/proc/sys/kernel/domainname
echo before >$knob
run() {
	timeout 40 "$BIN/tuesday" run named --window 0.2 --windows 1 --no-trace -c layer "$@" >out 2>err </dev/null
	status=$?
}
for _ in 1 2 3; do
	run --cron
	echo "before: $status $(wc -l <err)"
done
run -o json --to /run/report.json
sqlite3 /var/lib/tuesday/history.db 'SELECT "runs " || count(*) FROM runs'
cp /run/report.json report.old
for at in /run /var/lib; do
	head -c 2m /dev/zero >$at/ballast 2>/dev/null
done
run --cron
echo "cron: $status"
sed 's/^/cron err: /' err
run -o json --to /run/report.json
echo "to: $status $(jq -r .schema out) $(grep -c 'No space left' err)"
cmp /run/report.json report.old && echo "old report is whole"
run --yes named/rename --metric "[ \$(cat $knob) = before ] && echo 100 || echo 131"
echo "experiment: $(cat $knob)"
tr -s ' \n' ' ' <out | sed 's/^/experiment says: /'; echo
sqlite3 /var/lib/tuesday/history.db 'SELECT "runs " || count(*) FROM runs; PRAGMA integrity_check'
rm /run/ballast /var/lib/ballast
run --cron
echo "after: $status $(wc -l <err)"
sqlite3 /var/lib/tuesday/history.db 'SELECT "runs " || count(*) FROM runs'
END
mkdir "$scratch/layer"
{
	trial_check
	trial_experiment rename "knob = /proc/sys/kernel/domainname" "set = tuesday-test" "risk = 1" "rounds = 8" "settle = 0" \
		"say = answers {effect} faster" "say.worse = answers {effect} slower"
} >"$scratch/layer/named.ini"
export BIN
unshare --mount --uts --propagation private bash "$scratch/full" "$scratch" >"$scratch/full.out" 2>&1
sed 's/^/# /' "$scratch/full.out"
full_says() {
	works "$2" grep -qE "$1" "$scratch/full.out"
}
full_says '^cron: 0$' "a full disk: a run of cron has its exit status"
full_says '^cron err: .*not in the history.*No space left|^cron err: .*No space left.*not in the history' \
	"  and says that it is not in the history"
full_says '^to: 3 tuesday/1 1$' "  a report that cannot be written is an error, and on standard output"
full_says '^old report is whole$' "  the old one stays"
full_says '^experiment: before$' "  no experiment changes what it could not put back"
full_says '^experiment says: .*the journal cannot be written: No space left' "  and that is said"
full_says '^ok$' "  the history is whole"
is "$(grep -c '^runs 4$' "$scratch/full.out")" 2 "  and lost nothing"
full_says '^runs 5$' "  with room again the next run is in it"
plan
