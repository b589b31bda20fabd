# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034
# How does a test cause a fault, ask Tuesday about it, and leave no trace? To be sourced, by bash.
# Everything a test changes is handed to a guard process together with the way back. The guard acts
# when the test is gone, however it went: a SIGKILL of the test leaves the machine as clean as its
# normal end.
# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

export LC_ALL=C
RECORD_TO=${RECORD_TO:-}
TRUTH_TO=${TRUTH_TO:-}
# How long a window of a full run is: a quarter of what it is for users, and as many of them, for the same
# judge; traces are those of --quick. Empty is what it is for users: make check-long, and what is recorded.
TUESDAY_TEST_WINDOW=${TUESDAY_TEST_WINDOW-0.5}
[ -z "$RECORD_TO$TRUTH_TO" ] || TUESDAY_TEST_WINDOW=
# Where first answers are counted: tests/last/alarms.t.
TUESDAY_TEST_ANSWERS=${TUESDAY_TEST_ANSWERS:-/dev/null}
helpers=$BUILD/faults
# How many checks a run of all has, by the check files.
shipped=$(find "$root/checks.d" -name '*.ini' -exec grep -LE '^enabled *= *(named|given)' {} + | wc -l)
declare -A started=()

# skip_all WHY: nothing of this test can run here.
skip_all() {
	echo "1..0 # SKIP $1"
	exit 0
}

# needs PROGRAM...: root, the tool and these programs, or the whole test is skipped.
needs() {
	local program

	[ "$(id -u)" = 0 ] || skip_all "needs root"
	[ -x "$BIN/tuesday" ] || skip_all "needs $BIN/tuesday: make first"
	for program in "$@"; do
		command -v "$program" >/dev/null || skip_all "needs the program $program"
	done
}

# The guard. Its input is a pipe that only the test writes to, so it ends with the test.
guard() {
	local line

	trap '' INT TERM HUP
	cat >/dev/null
	tac "$scratch/undo" >"$scratch/undo.last-first"
	while read -r line; do
		for _ in {1..50}; do
			eval "$line" && break
			sleep 0.1
		done
	done <"$scratch/undo.last-first"
	# Whoever was killed may still be about to write there.
	for _ in {1..50}; do
		rm -rf "$scratch" && break
		sleep 0.1
	done
}

# own_network: the test begins anew in a network namespace of its own, where no port is anybody else's.
own_network() {
	[ "${OWN_NETWORK:-}" = "$0" ] || OWN_NETWORK=$0 exec unshare -n "$0"
	ip link set lo up
}

# own_ports: nine digits may follow $own in ports that are no other test's and no other checkout's, for what has to
# be asked from the network namespace of the machine. Below those that the kernel gives out itself.
own_ports() {
	own=$((1000 + $$ % 1000 * 2))
}

# loud: this test loads the machine, or judges all of it, so it waits until no other test runs, of any
# checkout. The lock is that of a file that every machine has, and ends with the test.
loud() {
	exec 6</proc/version
	flock -w 900 6 || bail "other tests do not end"
}

# Beside other quiet tests, and no loud one. Helpers do not have the lock, which ends with the test.
quiet() {
	exec 6</proc/version
	flock -s -w 900 6 || bail "a loud test does not end"
}

# begin: to be called once, before anything is changed.
begin() {
	{ : <&6; } 2>/dev/null || quiet
	scratch=$(mktemp -d /var/tmp/tuesday-test.XXXXXX)
	: >"$scratch/undo"
	mkfifo "$scratch/alive"
	export -f guard
	scratch=$scratch setsid bash -c guard <"$scratch/alive" >/dev/null 2>&1 &
	guard_pid=$!
	exec 8>"$scratch/alive"
	trap end EXIT
	[ -z "$TRUTH_TO" ] || "$BIN/tuesday" run --quick --no-trace -o json >"$scratch/before.json" 2>/dev/null
}

# What was killed may not be able to end before the guard has undone what it hangs in: a frozen file
# system.
end() {
	local pid

	for pid in "${started[@]}"; do
		kill -KILL "$pid" 2>/dev/null
	done
	exec 8>&-
	wait "$guard_pid" "${started[@]}" 2>/dev/null
}

# undo COMMAND...: what the guard does later, last one first, each repeated until it succeeds.
undo() {
	printf '%q ' "$@" >>"$scratch/undo"
	echo >>"$scratch/undo"
}

# undo_process PID [SIGNAL]: one that may have ended by then, which is no failure.
undo_process() {
	undo eval "kill -${2:-TERM} $1 2>/dev/null || true"
}

# bail WHY: this test cannot go on. Not "Bail out!", by which prove would stop all others too.
bail() {
	fail "$1"
	exit 1
}

# start NAME COMMAND...: a helper in the background, from when it has said that it is ready.
start() {
	local name=$1

	shift
	"$@" >"$scratch/$name.out" 2>"$scratch/$name.err" 6>&- 8>&- &
	started[$name]=$!
	# To map many pages takes some machines a minute.
	for _ in {1..2400}; do
		grep -qs '^ready$' "$scratch/$name.out" && return
		kill -0 "${started[$name]}" 2>/dev/null || break
		sleep 0.05
	done
	bail "$name did not start: $(head -c 200 "$scratch/$name.err")"
}

stop() {
	kill -KILL "${started[$1]}" 2>/dev/null
	wait "${started[$1]}" 2>/dev/null
	unset "started[$1]"
}

# until_true SECONDS COMMAND...: whether it comes true.
until_true() {
	local until=$((SECONDS + $1))

	shift
	while ! "$@"; do
		[ "$SECONDS" -lt "$until" ] || return 1
		sleep 0.1
	done
}

# until_connected PORT LEAST [COMMAND...]: so many connections to this port are there, in the network namespace
# that COMMAND enters, and have been for as long as it takes to answer some requests.
until_connected() {
	until_true 20 connected "$@" || bail "$2 connections to port $1 do not come"
	sleep 0.3
}

connected() {
	local port=$1 least=$2

	shift 2
	[ "$("$@" cat /proc/net/tcp /proc/net/tcp6 | grep -cE "^ *[0-9]+: [0-9A-F]+:$(printf %04X "$port") [0-9A-F:]+ 01 ")" \
		-ge "$least" ]
}

# tcp_counter NAME [COMMAND...]: of TCP, in the network namespace that COMMAND enters.
tcp_counter() {
	local name=$1

	shift
	"$@" cat /proc/net/netstat /proc/net/snmp | awk -v name="$name" '
		$1 == group { for (i = 2; i <= NF; i++) if (head[i] == name) print $i; next }
		{ group = $1; split($0, head) }'
}

# counted NAME LEAST [COMMAND...]: that counter has come so far.
counted() {
	[ "$(tcp_counter "$1" "${@:3}")" -ge "$2" ]
}

# traces EVENT: whether this kernel has that event, and the types to trace it with; by the kernel's own list, and
# never by what Tuesday says of it, since a tracer that no longer loads would look the same.
traces() {
	# shellcheck disable=SC2016
	[ -r /sys/kernel/btf/vmlinux ] && unshare -m sh -c 'mount -t tracefs tracefs /sys/kernel/tracing
		[ -e "/sys/kernel/tracing/events/$1" ]' sh "$1" 2>/dev/null
}

# in_cgroup DIRECTORY COMMAND...: for start, which gives it a process of its own.
in_cgroup() {
	echo "$BASHPID" >"$1/cgroup.procs" || return 1
	shift
	exec "$@"
}

# in_netns NAME COMMAND...: the same for a network namespace.
in_netns() {
	exec ip netns exec "$@"
}

# v1_root CONTROLLER, v2_root CONTROLLER: where cgroups with this controller are made, or failure.
v1_root() {
	awk -v want="$1" '$3 == "cgroup" && ("," $4 ",") ~ ("," want ",") { print $2; found = 1; exit }
		END { exit !found }' /proc/self/mounts
}

v2_root() {
	local at

	at=$(awk '$3 == "cgroup2" { print $2; found = 1; exit } END { exit !found }' \
		/proc/self/mounts) || return 1
	grep -qw "$1" "$at/cgroup.subtree_control" && echo "$at"
}

# new_cgroup ROOT: makes one and prints nothing; its directory is in $cgroup, its name in
# $cgroup_name.
new_cgroup() {
	cgroup_name=tuesday-test-$$
	cgroup=$1/$cgroup_name
	mkdir "$cgroup" || bail "cannot make $cgroup"
	undo rmdir "$cgroup"
}

# new_netns NAME...: up, with a loopback.
new_netns() {
	local name

	for name in "$@"; do
		ip netns add "$name" || bail "cannot make the network namespace $name"
		undo ip netns del "$name"
		ip -n "$name" link set lo up
	done
}

# join_netns ONE TWO: a cable, called wire at both ends; 10.231.7.1 is ONE, 10.231.7.2 is TWO. Packets
# leave as they go on a wire, not in bundles of 64 KiB.
join_netns() {
	local address=1 name

	ip link add wire netns "$1" type veth peer name wire netns "$2" || bail "cannot make a veth"
	for name in "$@"; do
		ip -n "$name" addr add "10.231.7.$address/30" dev wire
		ip -n "$name" link set wire gso_max_segs 1 up
		address=$((address + 1))
	done
}

# only_options WORD...: without the names of checks, in $options.
only_options() {
	local word names

	names=$("$BIN/tuesday" list | cut -d ' ' -f 1)
	options=()
	for word; do
		grep -qx -- "$word" <<<"$names" || options+=("$word")
	done
}

# keep_truth: what the whole checklist said while these helpers ran, for tests/truth; but for what it said of the
# same part before the test began, which the last one has left (the kernel's log tells of a table that was full for
# ten minutes).
keep_truth() {
	local name

	[ "${#started[@]}" != 0 ] || return 0
	name=$(basename "$0" .t)
	name="$name ($(printf '%s\n' "${!started[@]}" | sort | paste -sd ' '))"
	# shellcheck disable=SC2016
	[ -e "$TRUTH_TO/$name" ] || jq --slurpfile before "$scratch/before.json" '
		def accusers: .check as $check | (.metrics // [])[] | select(.verdict | IN("bad", "maybe")) |
			"\($check) \(.name) \(.instance)";
		[$before[0].checks[] | accusers] as $old |
		.checks |= map(if .verdict | IN("bad", "maybe") then
			[accusers] as $new | if $new != [] and $new - $old == [] then .verdict = "good" else . end
			else . end)' "$scratch/run.json" >"$TRUTH_TO/$name"
}

# everything [CHECK or OPTION...]: nothing where all of these run by default; else the names of all that do,
# and of these.
everything() {
	local name named

	named=$("$BIN/tuesday" list | sed -n 's/ .*(only when it is named)$//p')
	for name; do
		if grep -qx -- "$name" <<<"$named"; then
			"$BIN/tuesday" list | sed -n '/(only when it is named)$/!s/ .*//p'
			echo "$name"
		fi
	done | sort -u
}

# short_windows OPTION...: what makes a full run a short one, in $windows; nothing where the caller says for
# how long to look.
short_windows() {
	windows=()
	[ -n "$TUESDAY_TEST_WINDOW" ] || return 0
	[[ " $* " != *" --quick "* && " $* " != *" --window"* ]] || return 0
	windows=(--quick --windows 5 --window "$TUESDAY_TEST_WINDOW")
}

# examine [CHECK or OPTION...]: runs the tool; the functions below ask about this run. With RECORD_TO
# set the first run of a test is one of all checks, and recorded there, for tests/replay. With TRUTH_TO
# set every run is one of all checks, and of those named that run only then.
examine() {
	local recording options windows

	examined=("$@")
	short_windows "$@"
	set -- "$@" "${windows[@]}"
	recording=$RECORD_TO/$(basename "$0" .t)
	if [ -n "$RECORD_TO" ] && [ ! -e "$recording" ]; then
		only_options "$@"
		set -- "${options[@]}" --record "$recording"
	fi
	if [ -n "$TRUTH_TO" ]; then
		only_options "$@"
		# shellcheck disable=SC2046
		set -- "${options[@]}" $(everything "$@")
	fi
	"$BIN/tuesday" run "$@" -o json >"$scratch/run.json" 2>"$scratch/run.err" 8>&-
	status=$?
	jq -e '.schema == "tuesday/1"' "$scratch/run.json" >/dev/null 2>&1 ||
		bail "tuesday run $* gave no result: $(head -c 300 "$scratch/run.err")"
	[ -z "$TRUTH_TO" ] || keep_truth
}

# The exit status of the last run, against the verdict it printed.
status_fits() {
	is "$status" "$(ask '{good: 0, maybe: 1, bad: 2, unknown: 3}[.verdict]')" \
		"the exit status says what the verdict says"
}

ask() {
	jq -r "$@" "$scratch/run.json"
}

verdict_of() {
	# shellcheck disable=SC2016
	ask --arg check "$1" '[.checks[] | select(.check == $check) | .verdict][0] // "absent"'
}

# The one line that a person would have seen.
summary() {
	# shellcheck disable=SC2016
	ask --arg check "$1" '.checks[] | select(.check == $check) |
		"# \(.check): \(.verdict) by \(.tier): \(.summary)"'
}

# What a reader of a failed test wants to see.
show() {
	summary "$1"
	# shellcheck disable=SC2016
	ask --arg check "$1" '.checks[] | select(.check == $check) |
		(.metrics[] | select(.verdict != "good") |
			"#   \(.name) \(.instance // "") \(.value) \(.verdict)"),
		(.culprits[] | "#   culprit \(.kind) \(.name) \(.id // "") \(.share // "")")'
}

# That the hypervisor takes CPU time is so, and no test's doing, and so is what the kernel's log still tells of
# another test (logged_...): the verdict that a check would have but for that.
# shellcheck disable=SC2016
readonly met='def stolen($worst): .verdict == $worst[0] and
		[(.metrics // [])[] | select(.verdict | IN($worst[])) | .name] as $names |
			($names | length > 0) and
			($names | all(. == "steal_ratio" or startswith("logged_")));
	def met: if stolen(["bad", "maybe"]) or stolen(["maybe"]) then "good"
		elif stolen(["bad"]) then "maybe" else .verdict end;'

# Cleared, or not for the one reason that is this machine's: it hides the namespace of its supervisor.
# shellcheck disable=SC2016
readonly cleared='def cleared: .verdict == "good" and (.exonerated or
		(.reason // "" | test("do not show their network namespace")));'

# is_so CHECK JQ_CONDITION: true of this check's result.
is_so() {
	# shellcheck disable=SC2016
	ask -e --arg check "$1" "$met $cleared [.checks[] | select(.check == \$check)][0] | $2" >/dev/null
}

# check_that SENTENCE CHECK JQ_CONDITION
check_that() {
	if is_so "$2" "$3"; then
		pass "$1"
	else
		fail "$1"
		show "$2" | why
	fi
}

# accuses CHECK METRIC...: the check is maybe or bad, and so is one of these metrics at least.
accuses() {
	local check=$1 wanted

	shift
	wanted=$(printf '"%s",' "$@")
	summary "$check"
	check_that "$check is accused by $*" "$check" "(.verdict == \"maybe\" or .verdict == \"bad\") and
		any(.metrics[]; (.verdict == \"maybe\" or .verdict == \"bad\") and
			(.name | IN(${wanted%,})))"
}

# names CHECK KIND NAME: one of its culprits is of this kind, and NAME is a part of its name.
names() {
	check_that "$1 names the $2 $3" "$1" \
		"any(.culprits[]; .kind == \"$2\" and (.name | contains(\"$3\")))"
}

# answered CHECK...: counts a first answer of this test, and whom it accuses that is well; no more than that,
# since a neighbour may have been busy just then. What asks again calls it first: tests/last/alarms.t has
# how many false alarms the suite may have. One short write in append mode, so that lines stay whole.
answered() {
	echo "${0##*/} ${*:-well}" >>"$TUESDAY_TEST_ANSWERS"
}

# not_bad CHECK WHY: what is bad is asked once more, in the same way; a wrong verdict is wrong twice.
not_bad() {
	summary "$1"
	if is_so "$1" 'met == "bad"'; then
		answered "$1"
		echo "# $1 bad, asked again"
		show "$1"
		examine "${examined[@]}"
	else
		answered
	fi
	check_that "$1 is not bad $2" "$1" 'met | IN("good", "maybe")'
}

# bad_but CHECK...: what else is bad.
bad_but() {
	# shellcheck disable=SC2016
	ask --argjson but "$(printf '%s\n' "$@" | jq -R . | jq -s .)" \
		"$met"'[.checks[] | select(met == "bad") | .check] - $but | .[]'
}

# What every Linux shows to everybody.
readonly always='["clock", "config", "files", "fs", "listen", "memory", "net", "pids", "tcp", "udp"]'

# sees: of the last run, that the tool could see. A result of every check, a verdict of most that are about
# something that is here, and of each that is about what is always here.
sees() {
	# shellcheck disable=SC2016
	check_that_all "every check has looked, or says why not" --argjson shipped "$shipped" --argjson always "$always" \
		'([.checks[].check] | unique | length) == $shipped and
		([.checks[] | select(.verdict == "unknown")] | length) * 4 <=
			([.checks[] | select(.verdict != "skip")] | length) and
		all(.checks[]; (.check | IN($always[]) | not) or (.verdict | IN("good", "maybe", "bad")))'
}

# check_that_all SENTENCE JQ_ARGUMENT...: of the whole report.
check_that_all() {
	local sentence=$1

	shift
	if ask -e "$@" >/dev/null; then
		pass "$sentence"
	else
		fail "$sentence"
		ask '.checks[] | select(.verdict | IN("good", "skip") | not) |
			"\(.check) \(.verdict): \(.summary // .reason)"' | why
	fi
}

# nothing_else CHECK...: the last run, one of all checks, has seen this machine and accuses no check but
# these (- is none); asked twice like not_bad. What runs beside others cannot ask this.
nothing_else() {
	local others check

	others=$(bad_but "$@") || bail "the result cannot be read"
	# shellcheck disable=SC2086
	answered $others
	if [ -n "$others" ]; then
		echo "# bad, asked again: ${others//$'\n'/ }"
		for check in $others; do
			show "$check"
		done
		examine "${examined[@]}"
		others=$(bad_but "$@") || bail "the result cannot be read"
	fi
	sees
	is "$others" "" "nothing else is bad"
	for check in $others; do
		show "$check" | why
	done
}

# recovers CHECK: good again soon after the end of the fault.
recovers() {
	local until=$((SECONDS + 14))

	while examine --quick "$1"; do
		is_so "$1" 'met == "good"' && break
		[ "$SECONDS" -lt "$until" ] || break
		sleep 0.3
	done
	check_that "$1 is good again after the fault" "$1" 'met == "good"'
}
