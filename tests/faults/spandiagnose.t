#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does spandiagnose --while say what holds a command back: one long job, one job at a time, a make within a
# make, a lock? And what becomes of its file, its exit status and hostile command lines?
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
for program in jq make flock; do
	if ! command -v "$program" >/dev/null; then
		echo "1..0 # SKIP needs the program $program"
		exit 0
	fi
done
work=$(mktemp -d /var/tmp/tuesday-while.XXXXXX)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset MAKEFLAGS MAKELEVEL MFLAGS

# watched WORD...: what is said of a command.
watched() {
	"$BIN/spandiagnose" --keep kept.ndjson --while "$@" >said 2>err
	status=$?
}

# says REGEX NAME
says() {
	if grep -qE "$1" said; then
		pass "$2"
	else
		fail "$2"
		cat said err | why
	fi
}

silent() {
	if grep -qE "$1" said; then
		fail "$2"
		cat said err | why
	else
		pass "$2"
	fi
}

cat >long.mk <<-'END'
	jobs := $(shell seq -f j%g 1 20)
	all: $(jobs) long
	$(jobs): ; @sleep 0.5
	long: ; @sleep 5
END
watched make -f long.mk -j12
says "^One long job holds it: 'sleep 5' ran alone for" "of 20 jobs of half a second and one of 5 s the long one is named"
silent 'one at a time|lock on a file' "and nothing else"
says '^Meanwhile: (none of|[a-z]+ (maybe|bad), for .* of that:) ' "what the checks of this machine said meanwhile is told"
works "directly below the sentence that says what holds the build" \
	sh -c 'sed -n 2p said | grep -q "holds the build" && sed -n 3p said | grep -q "^Meanwhile: "'
if jq -e -s 'length == 23 and ([.[] | select(.name == "sleep")] | length) == 21 and
	all(.[]; .fields.exit == 0 and .fields.max_rss_bytes > 0)' kept.ndjson >/dev/null; then
	pass "each process is a span with its exit status"
else
	fail "each process is a span with its exit status"
	head -3 kept.ndjson | why
fi
is "$(jq -r 'select(.fields.command == "sleep 5") | .duration / 1e9 | . >= 5 and . < 7' kept.ndjson)" true \
	"a span is as long as its process was"

watched make -f long.mk -j1 j1 j2 j3 j4
says '^Its 5 jobs ran one at a time' "jobs one at a time"

cat >even.mk <<-'END'
	all: a b c d e f
	a b c d e f: ; @sleep 0.5
END
watched make -f even.mk -j6
silent 'one at a time|One long job|lock on a file' "a build without a fault has none"

printf 'all: sub b\nsub: ; @%s -f serial.mk\nb: ; @sleep 0.1\n' make >outer.mk
printf 'all: 1 2 3 4\n1 2 3 4: ; @sleep 0.2\n' >serial.mk
watched make -f outer.mk -j4
says "^'make -f serial.mk' is a make within a make, and ran its 4 jobs one at a time" \
	"a make without the jobserver is named"
# shellcheck disable=SC2016
printf 'all: sub b\nsub: ; @+$(MAKE) -f serial.mk\nb: ; @sleep 0.1\n' >outer.mk
watched make -f outer.mk -j4
silent 'make within a make' "one that has it is not"

printf 'all: 1 2 3 4\n1 2 3 4: ; @flock lock sleep 0.5\n' >lock.mk
watched make -f lock.mk -j4
says "^[1-4] of its processes waited for a lock on a file, together for .*'flock lock sleep 0.5' had it last" \
	"jobs that wait for a lock"
is "$(jq -s 'any(.[].fields; .file_lock_s > 0.1)' kept.ndjson)" true "and how long is a field of each that waited"

watched sh -c 'exit 7'
is "$status" 7 "the command's exit status is ours"
# shellcheck disable=SC2016
watched sh -c 'kill -9 $$'
is "$status" 137 "and so is a signal"
watched "$work/no-such-program"
is "$status" 3 "a command that cannot be run"
is "$(grep -c 'No such file' err)" 1 "is said so"

watched sh -c 'true; :' $'\e[31mred\n"quote\\' $'\xff\xfe' "$(head -c 5000 /dev/zero | tr '\0' x)"
is "$(jq -s -r 'length > 0' kept.ndjson)" true "a hostile command line is JSON"
is "$(LC_ALL=C grep -c $'\e' said kept.ndjson | cut -d: -f2 | paste -sd+ | bc 2>/dev/null || echo 0)" 0 \
	"and no command for a terminal"
"$BIN/spandiagnose" --no-commands --keep secret.ndjson --while sh -c 'true; : password' >said 2>err
is "$(grep -c password secret.ndjson said | grep -vc ':0')" 0 "command lines can be left out"
"$BIN/spandiagnose" -o json --while sh -c 'echo theirs; sleep 0.1; sleep 0.1; sleep 0.1; exit 5' >said 2>err
is "$(jq -r .schema said)" tuesday-spans/1 "JSON is not mixed with what the command prints"
is "$(grep -c theirs err)" 1 "that goes to standard error"
is "$(jq -c '[.while.exit_status, .while.processes, (.while.meanwhile | type)]' said)" '[5,4,"array"]' \
	"it says what became of the command"
is "$(jq -c '[.holds.name == .names[0].name, (.holds.meanwhile | type)]' said)" '[true,"array"]' \
	"what holds it has what was said in its time beneath it"
is "$(jq -r '.while.reason | startswith("Its 3 jobs ran one at a time")' said)" true "and the reason, as the text does"

# Where the time of each process went, as waitdiagnose tells it.
if [[ $(id -u) = 0 ]] && "$BIN/waitdiagnose" -s 100ms $$ >/dev/null 2>&1; then
	watched sh -c 'sleep 0.3; :'
	is "$(jq -r 'select(.name == "sleep") | .fields.sleep_s >= 0.29 and .fields.sleep_s < 3' kept.ndjson)" true \
		"a process that sleeps has slept"
	is "$(jq -r 'select(.name == "sh") | .fields.children_s >= 0.29' kept.ndjson)" true "and its parent has waited for it"
	says '^Processes: .* asleep by their own wish' "which is summed"
	is "$(jq -c 'select(.duration > 2e8) | (([.fields | to_entries[] | select(.key | endswith("_s")).value] | add) * 1e9 /
		.duration) | . > 0.95 and . < 1.05' kept.ndjson | sort -u)" true "and the parts of a process are as long as its life"
	"$BIN/spandiagnose" -o json --while sh -c 'flock lock sleep 0.4 & sleep 0.1; flock lock true; wait' >said 2>err
	is "$(jq '.while.shared_lock_s | . >= 0.1 and . < 3' said)" true "and locks that processes share are in the sums"
	watched "$BUILD/faults/replaced"
	is "$(jq -c 'select(.name == "sleep").fields | [.exit == 0, .futex_s >= 0.19 and .futex_s < 3, .sleep_s >= 0.49 and .sleep_s < 6]' \
		kept.ndjson)" '[true,true,true]' "a process whose second thread becomes another program keeps what all had"
else
	skip "where the time of each process went" "needs root and BPF"
fi

# Two builds of ten jobs, whose jobs take longer in the second.
for ms in 1 2; do
	# shellcheck disable=SC2016
	printf 'jobs := $(shell seq -f j%%g 1 10)\nall: $(jobs)\n$(jobs): ; @sleep 0.%s\n' $ms >make$ms.mk
done
"$BIN/spandiagnose" --state "$work/state" --build before --while make -f make1.mk -j5 >said 2>err
"$BIN/spandiagnose" --state "$work/state" --build after --compare last --while make -f make2.mk -j5 >said 2>err
says '^Build before took ' "a command is compared with the one before it"
says '^  sleep p50: .* -> .*, \+[0-9]+ %' "what took longer is named"
silent '^  make p50' "what has one span only has no interval, and is not"

"$BIN/spandiagnose" --keep killed.ndjson --while sh -c 'true & sleep 0.1; sleep 0.1; sleep 30' >said 2>err &
recorder=$!
for _ in $(seq 100); do
	grep -qs '"command":"sleep 30"' killed.ndjson && break
	sleep 0.1
done
command=$(pgrep -P "$recorder" -x sh | head -1)
kill -KILL "$recorder"
wait "$recorder" 2>/dev/null
if [[ $command ]]; then
	children=$(pgrep -P "$command")
	# shellcheck disable=SC2086
	kill "$command" $children 2>/dev/null
fi
"$BIN/spandiagnose" killed.ndjson >said 2>err
is "$?" 0 "what was recorded until a SIGKILL can be read"
says '^(sleep|sh) holds the build: it has' "and what held it is named, though neither had its parents ended"
silent 'damaged|missing|outside' "with nothing wrong with its data"

"$BIN/spandiagnose" --while sleep 30 >said 2>err &
recorder=$!
for _ in $(seq 100); do
	pgrep -P "$recorder" -x sleep >/dev/null && break
	sleep 0.1
done
kill -TERM "$recorder"
wait "$recorder"
is "$?" 143 "an interruption ends the command, and what it was is said"
says '^sleep holds the build' "with its analysis"

# What root keeps is put nowhere that somebody else has chosen.
echo precious >precious
ln -s precious link
"$BIN/spandiagnose" --keep link --while true >out 2>err
is "$(cat precious)" precious "a link is not written through"
t "and it is said which file cannot be kept" grep -q '^[^ ]*spandiagnose: link: ' err

# ninja writes down itself how long its jobs took, in milliseconds: the same to 10 ms, or the machine was
# so loaded that ninja saw the ends late, which is asked up to three times.
if command -v ninja >/dev/null; then
	# shellcheck disable=SC2016
	printf 'rule nap\n command = sleep $out\nbuild 0.1: nap\nbuild 0.35: nap\nbuild 0.6: nap\n' >build.ninja
	for _ in 1 2 3; do
		rm -f .ninja_log
		watched ninja -j3
		# A job is the shell that ninja started, where that is not itself what it runs.
		jq -rs 'map(select(.fields.command | test("sleep [0-9.]+$")) |
			{job: (.fields.command | sub(".* "; "")), ms: (.duration / 1e6)}) |
			group_by(.job)[] | max_by(.ms) | "\(.job) \(.ms)"' kept.ndjson | sort >ours
		awk '!/^#/ {print $4, $2 - $1}' .ninja_log | sort >theirs
		apart=$(join ours theirs | awk '{d = $2 - $3; if (d < 0) d = -d; if (d > m) m = d}
			END {print NR == 3 && m <= 10 ? "no" : "yes, " NR " jobs, " m " ms"}')
		[[ $apart = no ]] && break
	done
	is "$apart" no "spans are as long as ninja's own log says"
else
	skip "spans are as long as ninja's own log says" "needs ninja"
fi

# What clang wrote of itself is within its process, and within its job in the log of ninja.
if command -v ninja >/dev/null && command -v clang >/dev/null; then
	for source in one two; do
		printf '%s\n' '#include <stdio.h>' '#include <stdlib.h>' 'int '$source'(void) { return puts("x"); }' >$source.c
	done
	# shellcheck disable=SC2016
	printf '%s\n' 'rule cc' ' command = clang -O2 -ftime-trace -c $in -o $out' 'build obj/one.o: cc one.c' \
		'build obj/two.o: cc two.c' >build.ninja
	rm -f .ninja_log
	watched ninja
	for with in kept.ndjson .ninja_log; do
		"$BIN/spandiagnose" -o json "$with" obj/one.json obj/two.json >said 2>err
		is "$(jq -c '[.data.joined, .data.traces, .data.orphans, .data.outside]' said)" '[2,1,0,0]' \
			"what clang wrote lies within its jobs in $with"
		is "$(jq '[.names[] | select(.name == "ExecuteCompiler" or .name == "Frontend")] | length' said)" 2 \
			"and is in the table"
	done
	"$BIN/spandiagnose" obj/*.json >said 2>err
	says '^However: for 2 of 2 files of clang -ftime-trace no job was found' "without the jobs that is said"
else
	skip "what clang wrote lies within its jobs" "needs ninja and clang"
fi

if command -v setpriv >/dev/null && [[ $(id -u) = 0 ]]; then
	chmod 755 "$work"
	setpriv --reuid 65534 --regid 65534 --clear-groups "$BIN/spandiagnose" --while \
		make -f "$work/long.mk" -j1 j1 j2 j3 >said 2>err
	says '^Its [3-9] jobs ran one at a time' "without rights too"
	is "$(grep -c 'BPF is not to be had' err)" 1 "which is said"
fi
plan
