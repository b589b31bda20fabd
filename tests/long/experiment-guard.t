#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A guard ends an experiment: is that an answer where the harm was there only meanwhile, and none where it
# goes on? The knob is the NIS domain name, and the pressure a number in a file. Four minutes.
if [ "${1:-}" != inside ]; then
	if [ "$(id -u)" != 0 ] || ! unshare -u -n true 2>/dev/null; then
		echo "1..0 # SKIP needs root and namespaces"
		exit 0
	fi
	exec unshare -u -n "$0" inside
fi
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
# shellcheck source=tests/experiment.sh
. "$(dirname "$0")/../experiment.sh"
work=$(mktemp -d /var/tmp/tuesday-guard.XXXXXX)
machines=()
cleanup() {
	kill -KILL "${machines[@]}" 2>/dev/null
	rm -rf "$work"
}
trap cleanup EXIT
cd "$work" || exit 1
chmod 755 "$work"
knob=/proc/sys/kernel/domainname
export LC_ALL=C

# machine NAME STAYS: an experiment in a namespace of its own, and a machine whose pressure is 90 % while the
# name is another one; with STAYS also afterwards, for ever.
machine() {
	mkdir -p "$1/layer" "$1/run"
	# Written in place, and always as long: the same file is read again and again.
	echo 10 >"$1/pressure"
	{
		trial_check | sed 's/^class = .*/class = harm/; s/^maybe = .*/maybe = > 0/; s/^acquit = .*/acquit = < 0/'
		trial_experiment without "knob = $knob" "set = tuesday-test" "risk = 1" "rounds = 8" \
			"observe = rate(/proc/uptime)" "takes_away = the name" "clears = yes" "measure = 7s" \
			"settle = 6s" "say = answers {effect} faster" "say.worse = answers {effect} slower"
	} | sed '/^measure = 100ms/d' >"$1/layer/part.ini"
	cat >"$1/layer/guard.ini" <<-END
		[check]
		question = Does the machine bear it?
		area = experiment
		enabled = named
		[metric io_full_ratio]
		value = $work/$1/pressure * 1%
		class = harm
		sustained = 4/5
		bad = > 60%
		say = tasks waited {value} of the time
		source = judgement
		why = It is a test.
		however = None.
	END
	# shellcheck disable=SC2016
	TUESDAY_RUN_DIR=$work/$1/run unshare -u sh -c '
		cd "$1" && echo before >"$2"
		while :; do
			if [ "$(cat "$2")" = before ] && [ ! -e fallen ]; then
				echo 10
			else
				echo 90
				[ -z "$4" ] || : >fallen
			fi 1<>pressure
			sleep 0.2
		done &
		loop=$!
		"$3" run part --window 0.1 --windows 1 --no-trace -c layer -o json --yes part/without >json 2>err </dev/null
		kill -KILL $loop
		cat "$2" >after' sh "$1" "$knob" "$BIN/tuesday" "$2" &
	machines+=($!)
}

has() {
	cp "$1/json" out
	cp "$1/err" err
	[ "$(cat "$1/after")" = before ] && jq -e ".checks[0] | $2" "$1/json" >/dev/null
}

machine helps ''
machine falls stays
wait "${machines[@]}"
machines=()
t "pressure that comes and goes with the change is an answer, and clears" has helps '.verdict == "good" and .exonerated and
	(.experiments[0] | .answer == "changed" and (.better | not) and .effect == null and .pairs == 0)'
t "it says what was seen, how bad it is otherwise, and what follows" has helps '.experiments[0].summary |
	test("worse: tasks waited 90 % of the time \\(10 % at most in [0-9.]+ (s|min) without the change, before and after\\): the name helps")'
t "pressure that stays is none" has falls '.verdict == "maybe" and (.experiments[0] | .answer == "inconclusive" and
	(.why | contains("it went on when it was put back")))'
plan
