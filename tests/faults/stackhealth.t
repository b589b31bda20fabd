#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does each thing that can be wrong with a stack get its class, live: no frame pointers in a program or in a
# library, too deep, stripped, deleted, compiled without a map? And is a program with frame pointers good?
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
for program in jq cc strip awk; do
	if ! command -v "$program" >/dev/null; then
		echo "1..0 # SKIP needs the program $program"
		exit 0
	fi
done
if [ "$(id -u)" != 0 ]; then
	echo "1..0 # SKIP needs root"
	exit 0
fi
work=$(mktemp -d /var/tmp/tuesday-stack.XXXXXX)
pids=()
stop() {
	local pid

	for pid in "${pids[@]}"; do
		kill "$pid" 2>/dev/null
		wait "$pid" 2>/dev/null
		rm -f "/tmp/perf-$pid.map"
	done
	pids=()
}
trap 'stop; rm -rf "$work"' EXIT
cd "$work" || exit 1

build() {
	cc -O1 -fno-optimize-sibling-calls "$@" "$root/tests/faults/recurse.c" -pthread
}
build -fno-omit-frame-pointer -o pointers
build -fomit-frame-pointer -o without
build -fno-omit-frame-pointer -static -o static 2>/dev/null
strip -o stripped pointers
for copy in threaded sorted recursing deleted; do
	cp pointers "$copy"
done
cat >loop.js <<-'END'
	function f(n) { return n < 2 ? n : f(n - 1) + f(n - 2); }
	for (;;) f(25);
END
cat >loop.py <<-'END'
	def f(n):
	    return n if n < 2 else f(n - 1) + f(n - 2)
	while True:
	    f(20)
END

# starts NAME COMMAND...: what is looked at, by its name.
declare -A pid_of
starts() {
	local name=$1

	shift
	"$@" >/dev/null 2>&1 &
	pids+=("$!")
	pid_of[$name]=$!
}

starts pointers ./pointers deep 20
starts threaded ./threaded thread 20
starts static ./static deep 20
starts without ./without deep 20
# burn(), deep() so often, main(), and what calls it: 205 frames with frame pointers.
starts recursing ./recursing deep 202
starts sorted ./sorted sort
starts stripped ./stripped deep 20
starts deleted ./deleted deep 20
# A C library that nobody else has, whose file has no names and no build id: nobody sleeps in it.
mkdir own
libc=$(ldd ./pointers | awk '$1 == "libc.so.6" { print $3 }')
if command -v objcopy >/dev/null && [ -n "$libc" ] &&
	objcopy --remove-section=.note.gnu.build-id --remove-section=.gnu_debuglink "$libc" own/libc.so.6; then
	cp pointers alone
	starts alone env LD_LIBRARY_PATH="$work/own" ./alone deep 20
fi
if command -v node >/dev/null; then
	starts node node loop.js
	starts mapped node --perf-basic-prof loop.js
fi
if command -v python3 >/dev/null && ! python3 -c 'import sys, sysconfig
sys.exit("no-omit-frame" not in (sysconfig.get_config_var("CFLAGS") or ""))'; then
	starts python "$(python3 -c 'import sys; print(sys.executable)')" loop.py
fi
# Each runs the file that it was given, and node has compiled.
for _ in {1..100}; do
	[ "$(readlink "/proc/${pid_of[deleted]}/exe")" = "$work/deleted" ] && break
	sleep 0.05
done
rm -f deleted
sleep 1

# line NAME: the table has one for each process: whole, broken, cut, no name, depth, samples, who and why.
line() {
	grep -F "[${pid_of[$1]}]" said | tail -n 1
}

# walked NAME: the line below it, of its stacks by .eh_frame.
walked() {
	grep -F -A 1 "[${pid_of[$1]}]" said | tail -n 1
}

# above LIMIT METRIC NAME: whether as many per cent are so.
above() {
	line "$3" | awk -v limit="$1" -v metric="$2" '
		BEGIN { at["whole_ratio"] = 1; at["broken_ratio"] = at["empty_ratio"] = 6
			at["file_ratio"] = at["compiled_ratio"] = at["unsure_ratio"] = 6
			at["truncated_ratio"] = at["limit_wanted_count"] = 8 }
		{ share = $(metric in at ? at[metric] : 10) }
		END { exit !(share > limit) }'
}

# accuses stack METRIC NAME SENTENCE [REGEX]: nine of ten of its stacks, or at_least; and what is said why.
accuses() {
	if above "${at_least:-90}" "$2" "$3" && line "$3" | grep -qE "${5:-.}"; then
		pass "$4"
	else
		fail "$4"
		line "$3" | why
	fi
}

# clears NAME SENTENCE: none of what can be wrong is.
clears() {
	if above 95 whole_ratio "$1" && ! above 5 unnamed_ratio "$1"; then
		pass "$2"
	else
		fail "$2"
		line "$1" | why
	fi
}

# said_of METRIC: whether crisis accuses somebody of it.
said_of() {
	jq -e --arg metric "$1" '.checks[] | select(.check == "crisis") | .metrics[] | select(.name == $metric) |
		.verdict == "maybe"' crisis.json >/dev/null
}

# Who shares two cores with eleven others gets his hundred samples in a few seconds.
for seconds in 3 8; do
	"$BIN/stackhealth" -v --seconds "${seconds}s" --hertz 999 --probe >said 2>err
	status=$?
	fewest=$(for name in "${!pid_of[@]}"; do line "$name" | awk '{ print $13 }'; done | sort -n | head -n 1)
	[ "${fewest:-0}" -lt 100 ] || break
done

# What crisis knows of programs that have had a second of CPU time, without any sample: which is bash's here too.
for name in pointers threaded static recursing sorted alone mapped; do
	[ -z "${pid_of[$name]:-}" ] || kill "${pid_of[$name]}"
done
starts bash bash -c 'while :; do :; done'
for _ in {1..5}; do
	sleep 1
	"$BIN/crisishealth" --quick -o json >crisis.json
	said_of frame_pointer_ratio && said_of nameless_count && said_of deleted_count && break
done
stop
if grep -q CAP_BPF err; then
	echo "1..0 # SKIP needs BPF"
	exit 0
fi
is "$status" 2 "what is wrong with stacks is bad"
[ ! -s err ] || why <err

clears pointers "a program with frame pointers is good"
clears threaded "so is a thread of one"
clears static "and a static one"
accuses stack broken_ratio without "a program without frame pointers is broken"
accuses stack file_ratio without "in its own file" 'breaks in without'
accuses stack truncated_ratio recursing "205 frames are deeper than perf keeps" 'perf_event_max_stack=256'
accuses stack limit_wanted_count recursing "and 256 would hold them" 'perf_event_max_stack=256'
is "$(grep -c '^  for those cut: sysctl kernel.perf_event_max_stack=256, then perf script --max-stack 256$' said)" 1 \
	"which is a command"
is "$(line recursing | awk '{ print ($12 >= 204 && $12 <= 206 ? 205 : $12) }')" 205 "205 frames are 205, without the kernel's"
is "$(walked without | awk '{ print ($1 > 95), ($14 >= 24 && $14 <= 26 ? 25 : $14) }')" "1 25" \
	"a program without frame pointers has all of its frames by .eh_frame"
is "$(walked recursing | awk '{ print ($1 > 95), ($14 >= 206 && $14 <= 208 ? 207 : $14) }')" "1 207" \
	"and those of the C library below main() too, which keep none"
at_least=30 accuses stack broken_ratio sorted "frame pointers do not help where libc has none, which is named" \
	'breaks in libc'
accuses stack stripped_ratio stripped "a stripped program has no names" ': stripped'
accuses stack deleted_ratio deleted "nor has one that was deleted, for perf" ': deleted'
if [ "${pid_of[alone]:-}" ]; then
	accuses stack unsure_ratio alone "whether a stack is whole is not known of a C library that nobody sleeps in" 'its threads begin'
else
	skip "a C library that nobody sleeps in" "objcopy does not make one"
fi
if [ "${pid_of[node]:-}" ]; then
	at_least=50
	accuses stack unmapped_ratio node "nor has what node compiles" 'no perf map'
	at_least=90
	clears mapped "but with --perf-basic-prof"
else
	skip "what node compiles has no names" "node is not installed"
fi
if [ "${pid_of[python]:-}" ]; then
	accuses stack broken_ratio python "Python without frame pointers is broken"
else
	skip "Python without frame pointers is broken" "it is not installed, or has them"
fi

# accused METRIC SENTENCE
accused() {
	if said_of "$1"; then
		pass "$2"
	else
		fail "$2"
		jq -c --arg metric "$1" '.checks[].metrics[] | select(.name == $metric)' crisis.json | why
	fi
}
# In words of tests/accused.t: .verdict == "maybe" of crisis' frame_pointer_ratio nameless_count unmapped_count deleted_count
accused frame_pointer_ratio "crisis knows a program without frame pointers before there is a crisis"
accused nameless_count "and one without names"
accused deleted_count "and one that was deleted"
if [ "${pid_of[node]:-}" ]; then
	accused unmapped_count "and node without a map"
else
	skip "and node without a map" "node is not installed"
fi

# Somebody has seen enough, and presses Ctrl-C; SIGTERM here, for a shell's background jobs ignore that of the key.
starts told ./without deep 20
"$BIN/stackhealth" --pid "${pid_of[told]}" --seconds 60s --hertz 999 >said 2>err &
looks=$!
for _ in {1..400}; do
	[ "$(awk '{ print $14 + $15 }' "/proc/${pid_of[told]}/stat")" -lt 200 ] || break
	sleep 0.05
done
kill -TERM "$looks"
wait "$looks"
is "$? $(grep -c 'Interrupted after [1-9][0-9.]* s:' said)" "2 1" "what was seen before an interruption is judged"
accuses stack broken_ratio told "and counted"
stop
starts asleep sleep 60
"$BIN/stackhealth" --pid "${pid_of[asleep]}" --seconds 1s >said 2>err
is "$? $(head -n 1 said)" "3 unknown stack: no sample was taken: nothing ran while it looked" \
	"who sleeps has no stacks, and is not good"
stop
"$BIN/stackhealth" --pid 4194303 --seconds 1s >said 2>err
is "$? $(cat err)" "3 $BIN/stackhealth: there is no process '4194303'" "a process that is not there is told"

# What cannot be made to happen here, and the verdicts: from files.
# judged METRIC VERDICT SENTENCE: what is said of folded stacks on standard input.
judged() {
	"$BIN/stackhealth" - -o json >report.json 2>err
	is "$(jq -r --arg metric "$1" '.checks[] | select(.check == "stack") | .metrics[] |
		select(.name == $metric) | .verdict' report.json)" "$2" "$3"
}
for _ in {1..120}; do
	printf 'app 123/123 [001] 12.5: 1 cpu-clock:pppH: \n\n'
done >empty.script
"$BIN/stackhealth" empty.script >said 2>err
pid_of[app]=123
accuses stack empty_ratio app "a recording without stacks has none"
echo 'app-123;_start;main;[unknown] 120' >folded
"$BIN/stackhealth" folded >said 2>err
accuses stack unnamed_ratio app "an address of no code has no name"
echo 'app-123;[perf-124.map];[libjvm.so] 120' >folded
"$BIN/stackhealth" folded >said 2>err
accuses stack compiled_ratio app "a JIT compiler without frame pointers breaks stacks" 'breaks in compiled'
judged broken_ratio bad "a quarter of broken stacks is bad" <<-'END'
	app-1;_start;main 750
	app-1;main 250
END
judged broken_ratio maybe "what may be less by chance is maybe" <<-'END'
	app-1;_start;main 78
	app-1;main 24
END
judged broken_ratio good "a few are good" <<-'END'
	app-1;_start;main 980
	app-1;main 20
END
judged broken_ratio unknown "less than a hundred say nothing" <<-'END'
	app-1;main 99
END
judged file_ratio maybe "the file is named" <<-'END'
	app-1;[libc.so.6];main 500
END
is "$(jq -r '.checks[] | select(.check == "stack") | .metrics[] | select(.name == "file_ratio") | .remedy' report.json |
	cut -d ' ' -f 1-5)" "build 'libc.so.6 of app[1]' with" "and is what to build"
{
	printf 'app-1;_start;main 750\napp-1;main 250\ncut-2'
	printf ';same%.0s' {1..127}
	echo ' 300'
} >folded
"$BIN/stackhealth" folded >said 2>err
is "$(grep -F 'app[1]:' said | tail -n 1 | tr -s ' ' | cut -d ' ' -f 2-8)" '75.0 % (72 to 78) 25.0 %' "a share has its interval"
is "$(grep -F 'cut[2]:' said | tail -n 1 | sed 's/.*: //'), $(grep -c 'max_stack=' said)" 'deeper than 127, 0' \
	"how deep a stack was that perf has cut, is not guessed"
"$BIN/stackhealth" -v folded >said 2>err
is "$(awk '/^ *broken_(least|most)_ratio/ { printf "%s ", $2 }' said)" '22.4 27.8 ' "-v has the interval"
"$BIN/stackhealth" -o json folded >report.json
is "$(jq -c '[.checks[].metrics[] | select(.name | test("^broken_(least|most)_ratio")) | .value * 1000 | round]' report.json)" \
	'[224,278]' "and so has JSON"
is "$(jq -r '.checks[].metrics[] | select(.name == "limit_wanted_count") | .instance' report.json)" 'app[1]' \
	"but no limit for what was cut"
printf 'app-1;_start;main 50\napp-1 70\n' | "$BIN/stackhealth" - >said 2>err
is "$(grep -F 'app[1]' said | tail -n 1 | sed 's/.*: //'), $(grep -c '^  broken has in it what has no stack' said)" \
	'58 % have no stack, 1' "what has no stack is told from what is broken"
plan
