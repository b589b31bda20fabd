#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What does Tuesday say when it runs out of memory or of descriptors, or when the clock jumps under it? Each
# call that can fail for want of either fails, one in each run: the answer is the right one, or unknown, or
# one line that says why there is none. Nothing crashes, nothing that cannot be seen is called good, and
# nothing that was kept is lost. make check-long takes every place of the program that calls, CI one or two.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/experiment.sh
. "$(dirname "$0")/../experiment.sh"
needs jq ip unshare sqlite3 timeout
tuesday=$BUILD/dynamic/tuesday
shim=$BUILD/faults/fake-libc.so
if [ ! -x "$tuesday" ] || [ ! -e "$shim" ]; then
	skip_all "needs $tuesday and $shim: make first"
fi
own_network
begin
few=${SHORTAGE_PLACES:-2}
[ -z "${TUESDAY_TEST_LONG:-}" ] || few=${SHORTAGE_PLACES:-100000}
# A run that takes longer hangs.
patience=20
unset TUESDAY_STATE_DIR XDG_STATE_HOME
export TUESDAY_STATE_DIR=$scratch/nowhere TUESDAY_RUN_DIR=$scratch/run TUESDAY_HISTORY_INI=$scratch/history.ini
cd "$scratch" || exit 1

# with WORDS COMMAND...: its exit status is in $status; 124 and more is a hang or a signal.
with() {
	timeout -k 2 "$patience" env LD_PRELOAD="$shim" FAKE_LIBC="$1" "${@:2}" >out 2>err </dev/null
	status=$?
}

# complain WHAT: about the present run.
complain() {
	echo "$subject, ${words}: $1: exit status $status; $(head -n 3 err | cut -c 1-200 | tr '\n' ';')" | why
	wrong=$((wrong + 1))
}

# says_why: there is no answer, and a line or two say so.
says_why() {
	[ "$status" = 3 ] && [ -s err ] && [ "$(wc -l <err)" -le 4 ]
}

# Of a report of a run: what is not good is not called good, and the exit status is what the report says.
# shellcheck disable=SC2016
readonly fits='{good: 0, maybe: 1, bad: 2, unknown: 3}[.verdict] as $is | $is == $status and
	. as $now | [$whole[0].checks[] | . as $was | $now.checks[] | select(.check == $was.check) |
		select(.verdict != "unknown" and .verdict != $was.verdict and
			([$was.verdict, .verdict] | inside(["bad", "maybe"]) | not)) |
		"\(.check) was \($was.verdict) and is \(.verdict)"] as $others |
	if ($others | length) > 0 then error($others | join(", ")) else . end'
judged() {
	if [ ! -s out ]; then
		says_why || complain "no answer, and no word of it"
		return
	fi
	# shellcheck disable=SC2016
	jq -e --slurpfile whole "$subject.whole" --argjson status "$status" \
		"$fits"' | ($now.checks | length) == ($whole[0].checks | length)' out >fits.out 2>&1 ||
		complain "not the right answer: $(tail -n 1 fits.out)"
}

# same: as without any shortage, but for the time; or no answer.
same() {
	if [ "$status" = "$whole_status" ]; then
		cmp -s <(sed -E "$untimed" "$subject.whole") <(sed -E "$untimed" out) ||
			complain "another answer"
	else
		says_why || complain "no answer, and no word of it"
	fi
}
untimed='s/"(time|now|cost)":"[^"]*"//g; s/[0-9]+(\.[0-9]+)? (ms|s)\>//g'

# in_turn NAME KIND JUDGE PREPARE COMMAND...: PREPARE is called before each run, JUDGE after it.
in_turn() {
	local subject=$1 kind=$2 judge=$3 prepare=$4 words at wrong=0 n=0 places
	shift 4

	rm -f places
	: >places
	"$prepare"
	with "" "$@"
	cp out "$subject.whole"
	whole_status=$status
	"$prepare"
	with "fail=$kind places=places" "$@"
	mapfile -t places < <(sort -n places | awk -v few="$few" '{ all[NR] = $1 }
		END { step = NR > few ? NR / few : 1; for (i = 1; int(i) <= NR; i += step) print all[int(i)] }')
	for at in "${places[@]}"; do
		for words in "fail=$kind at=$at" "fail=$kind at=$at more=1"; do
			# That nothing is left from then on is told by fewer.
			[[ $words != *more* ]] || [ $((n++ % 4)) = 0 ] || continue
			"$prepare"
			with "$words" "$@"
			if [ "$status" -ge 124 ] || [ "$status" -lt 0 ]; then
				complain "it crashed or hung"
			else
				"$judge"
			fi
		done
	done
	is "$wrong" 0 "$subject: any of ${#places[@]} calls may find no $kind"
}
nothing() {
	:
}

# A recorded machine that is ill in many ways.
ill=net-refused
"$root/tests/replay/unpack" "$scratch/machines" "$ill" log-calamities || bail "no recording"
for kind in memory files; do
	in_turn replay "$kind" judged nothing "$tuesday" run --replay machines/log-calamities -o json --no-history
done

# As somebody calls it who looks at one thing, and here a server does not accept.
start deaf "$helpers/deaf" 4321 8 100 200 600
live=(run --quick --window 0.2 --windows 1 --no-trace --no-history -o json)
accused() {
	if [ ! -s out ]; then
		says_why || complain "no answer, and no word of it"
		return
	fi
	# shellcheck disable=SC2016
	jq -e --argjson status "$status" '{good: 0, maybe: 1, bad: 2, unknown: 3}[.verdict] == $status and
		(.checks[] | select(.check == "listen").verdict | IN("bad", "unknown"))' out >/dev/null ||
		complain "not the right answer: $(jq -c '[.verdict, (.checks[] | select(.check == "listen") | .verdict, .summary)]' out)"
}
if [ -n "${TUESDAY_TEST_LONG:-}" ]; then
	for kind in memory files; do
		in_turn live "$kind" accused nothing "$tuesday" "${live[@]}"
		in_turn traced "$kind" accused nothing "$tuesday" run listen --deep --quick --window 0.2 --windows 1 \
			--no-history -o json
		in_turn listen "$kind" accused nothing "$tuesday" "${live[@]}" listen tcp net
	done
fi

# What is recorded is whole, or it is said; its replay is no better than the machine.
recorded() {
	local recorded=$status

	[ "$status" = "$(jq '{good: 0, maybe: 1, bad: 2, unknown: 3}[.verdict]' out 2>/dev/null)" ] ||
		says_why || complain "no answer, and no word of it"
	grep -q 'not whole' err && return
	[ -e new/0/time ] && [ "$recorded" != 3 ] || return
	"$tuesday" run --replay new --no-history -o json >again 2>>err
	jq -e '.checks[] | select(.check == "listen").verdict | IN("bad", "unknown")' again >/dev/null ||
		complain "the recording says $(jq -c '[.verdict, (.checks[] | select(.check == "listen") | .verdict)]' again)"
}
no_recording() {
	rm -rf new
}
if [ -n "${TUESDAY_TEST_LONG:-}" ]; then
	for kind in memory files; do
		in_turn record "$kind" recorded no_recording "$tuesday" record new listen tcp net --quick \
			--window 0.2 --windows 1 --no-trace -o json
	done
fi
stop deaf

# A copy without names has all samples, or it is said.
samples=$(find "machines/$ill" -mindepth 1 -maxdepth 1 -type d | wc -l)
copied() {
	if [ "$status" = 0 ]; then
		if [ "$(find new -mindepth 1 -maxdepth 1 -type d | wc -l)" != "$samples" ] ||
			[ "$(find new -type f | wc -l)" != "$(find "machines/$ill" -type f | wc -l)" ]; then
			complain "something is missing"
		fi
	else
		says_why || complain "no answer, and no word of it"
	fi
}
for kind in memory files; do
	in_turn redact "$kind" copied no_recording "$tuesday" redact "machines/$ill" new
done

# Reports of a fleet. The old result is whole, or the new one is.
mkdir fleet
"$tuesday" run --replay machines/log-calamities -o json --no-history >fleet/a.json
"$tuesday" run --replay "machines/$ill" -o json --no-history >fleet/b.json
gzip -k fleet/b.json && mv fleet/b.json.gz fleet/c.json.gz && rm fleet/b.json
old_result() {
	echo '{"old":true}' >to.json
}
merged() {
	jq -e . to.json >/dev/null 2>&1 || complain "the result is neither the old one nor the new one"
	[ "$status" -gt 1 ] || complain "what is bad is not said"
	[ "$status" != 3 ] || [ -s err ] || complain "no word of it"
	[ "$(find . -maxdepth 1 -name 'to.json.*' | wc -l)" = 0 ] || complain "something is left beside the result"
	rm -f to.json.*
}
for kind in memory files; do
	in_turn merge "$kind" merged old_result "$tuesday" merge fleet -o json --to to.json
	in_turn report "$kind" same nothing "$tuesday" report fleet/a.json
	in_turn page "$kind" merged old_result "$tuesday" run --replay "machines/$ill" -o json --no-history --to to.json
done

# The history: nothing of what it had is lost, and what is new is in it or said not to be.
cron=(run --replay "machines/$ill" --cron --state state)
printf '[history]\ndays = 3650\n' >history.ini
for _ in {1..6}; do
	"$tuesday" "${cron[@]}" >/dev/null 2>&1
done
# A year old, which is kept only since history.ini says so.
sqlite3 state/history.db 'UPDATE runs SET time = time - 31536000 WHERE id = 1'
mv state kept
runs=$(sqlite3 kept/history.db 'SELECT count(*) FROM runs')
old_history() {
	rm -rf state
	cp -r kept state
}
# A new run is one more, and none less; a run that says nothing of it is kept.
kept() {
	local now

	[ "$(sqlite3 state/history.db 'PRAGMA integrity_check')" = ok ] || complain "the history is damaged"
	[ ! -e state/history.db.damaged ] || complain "the history was put aside"
	now=$(sqlite3 state/history.db 'SELECT count(*) FROM runs')
	case $((now - runs)) in
	0) [ -s err ] || complain "this run is not in the history, and no word of it" ;;
	1) ;;
	*) complain "of $runs runs $now are left" ;;
	esac
	[ "$status" = 0 ] || says_why || complain "no answer, and no word of it"
}
for kind in memory files; do
	in_turn cron "$kind" kept old_history "$tuesday" "${cron[@]}"
	in_turn history "$kind" same old_history "$tuesday" history --state state --since 2020-01-01
done

# An experiment leaves the knob as it was, by itself or by `tuesday undo`.
knob=/proc/sys/net/ipv4/tcp_keepalive_time
was=$(cat "$knob")
mkdir layer
{
	trial_check
	trial_experiment longer "knob = $knob" "set = 600" "risk = 1" "rounds = 8" "settle = 0" \
		"say = answers {effect} faster" "say.worse = answers {effect} slower"
} >layer/alive.ini
knob_is_back() {
	[ "$(cat "$knob")" = "$was" ]
}
put_back() {
	until_true 5 knob_is_back && return
	# It fails where nothing is left to be undone, too: what counts is how the knob stands.
	"$tuesday" undo >undone 2>&1 || true
	knob_is_back || complain "the knob stays at $(cat "$knob"): $(tail -n 1 undone)"
	echo "$was" >"$knob"
}
experiment=(run alive --window 0.1 --windows 1 --no-trace --no-history -c layer --yes alive/longer --metric
	"[ \$(cat $knob) = $was ] && echo 100 || echo 131")
if [ -n "${TUESDAY_TEST_LONG:-}" ]; then
	call "$tuesday" "${experiment[@]}"
	t "an experiment that lacks nothing finds something" grep -q 'answers .* faster' out
	few=40
	for kind in memory files; do
		in_turn experiment "$kind" put_back nothing "$tuesday" "${experiment[@]}"
	done
fi

# The clock is another one in the middle of a run: years ahead, or before the epoch. What is judged is the same, no
# time is less than none, and the history keeps what it had.
jumped() {
	local by

	wrong=0
	for by in 300000000 -2000000000 -86400 -3600 3600 86400; do
		for at in 5 1 2 3 8; do
			words="jump=$at by=$by"
			old_history
			with "$words" "$tuesday" run --quick --window 0.2 --windows 1 --no-trace --state state \
				--since-last test -o json clock memory pids tcp
			[ "$status" -lt 4 ] || complain "it crashed or hung"
			jq -e '.cost.wall_seconds >= 0 and .cost.wall_seconds < 20 and all(.checks[]; .verdict != "bad")' out >/dev/null ||
				complain "not the right answer"
			[ "$(sqlite3 state/history.db "SELECT count(*) FROM runs WHERE id <= $runs")" = "$runs" ] ||
				complain "runs are lost"
			[ -n "${TUESDAY_TEST_LONG:-}" ] || break 2
		done
	done
	is "$wrong" 0 "a clock that jumps in a run changes no verdict and loses no run"
}
subject=clock
jumped
plan
