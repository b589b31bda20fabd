#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does an experiment that takes a part away clear it, accuse it or say nothing, each for good reason; is
# it offered with what it takes, and never longer than that? The part is the NIS domain name, in UTS
# namespaces of this test's own.
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
for program in jq script; do
	if ! command -v "$program" >/dev/null; then
		echo "1..0 # SKIP needs the program $program"
		exit 0
	fi
done
work=$(mktemp -d /var/tmp/tuesday-answers.XXXXXX)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
chmod 755 "$work"
tuesday=$BIN/tuesday
knob=/proc/sys/kernel/domainname
export TERM=xterm LC_ALL=C
mkdir layer
echo before >"$knob"

# A check that is maybe whatever happens, by harm, with an experiment that takes all of it away.
{
	trial_check | sed 's/^class = .*/class = harm/; s/^maybe = .*/maybe = > 0/; s/^acquit = .*/acquit = < 0/'
	trial_experiment without "knob = $knob" "set = tuesday-test" "risk = 3" "rounds = 8" "settle = 0" \
		"observe = rate(/proc/uptime)" "takes_away = the name" "clears = yes" \
		"say = answers {effect} faster" "say.worse = answers {effect} slower"
	trial_experiment numberless "knob = $knob" "set = tuesday-test" "risk = 1"
} >layer/part.ini
# One whose question another program answers.
{
	trial_check
	cat <<-'END'
		[experiment diagnose]
		question = Does it wait, if it is asked?
		program = askdiagnose {url}
		measure = 20s
		risk = 2
		warning = It is asked.
		proves = It waits.
		source = judgement
		however = It is a test.
	END
} >layer/asked.ini
quick="--window 0.1 --windows 1 --no-trace -c layer"
with="[ \$(cat $knob) = before ]"
pids=()
# answers NAME COMMAND: starts the experiment with that number, in a namespace of its own; the answer comes
# in NAME.json, the name afterwards in NAME.after.
answers() {
	mkdir -p "run.$1"
	# shellcheck disable=SC2016,SC2086
	TUESDAY_RUN_DIR=$work/run.$1 unshare -u sh -c '
		name=$1 knob=$2 && shift 2 && "$@" >"$name.json" 2>"$name.err" </dev/null
		cat "$knob" >"$name.after"' sh "$1" "$knob" "$tuesday" run part $quick --ledger -o json \
		--yes part/without --metric "$2" &
	pids+=($!)
}

# has NAME FILTER: of the check in NAME.json, which must have put the name back.
has() {
	cp "$1.json" out
	cp "$1.err" err
	[ "$(cat "$1.after")" = before ] && jq -e ".checks[0] | $2" "$1.json" >/dev/null
}

# The first one says how long a phase is: the others take ten times as long.
answers late "[ -e late ] && sleep 1; : >$work/late; [ -e $work/late2 ] && sleep 1; : >$work/late2; echo 7"
answers same 'echo 7'
answers worse "$with && echo 100 || echo 60"
answers better "$with && echo 100 || echo 150"
answers bound "$with && echo 100 || echo 10"
answers none 'echo none'
answers nothing 'echo 0'

# tells FILTER: of what was printed last.
tells() {
	jq -e "$1" out >/dev/null
}

# Offers, meanwhile.
mkdir run.offers
export TUESDAY_RUN_DIR=$work/run.offers
# shellcheck disable=SC2086
call "$tuesday" run part $quick -o json
t "a maybe has its experiment as an offer that programs can read" tells '.checks[0].offers | length == 1 and
	(.[0] | .experiment == "part/without" and .command == "tuesday run part --yes part/without -c layer" and
	.seconds > 3 and .seconds < 20 and .risk == 3 and .clears and .changes and
	(.warning | length > 0))'
t "one that needs a number of somebody's is none: it could not be pasted" \
	[ "$(jq '.checks[0].offers | length' out)" = 1 ]
# shellcheck disable=SC2086
call "$tuesday" run part $quick
t "where nobody reads at a terminal nothing is offered" [ "$(grep -c -- '--yes' out)" = 0 ]
# shellcheck disable=SC2086
call "$tuesday" run part $quick -o nagios
t "nor in a line of a monitoring system" [ "$(grep -c -- '--yes' out)" = 0 ]
# shellcheck disable=SC2086
call script -qefc "$tuesday run part $quick" /dev/null
t "on a terminal it is a command that can be pasted" \
	grep -q '^Try:  tuesday run part --yes part/without -c layer.\?$' out
t "with its length, its risk and that it is put back" \
	grep -qz 'An experiment, [0-9.]* s at most, then all is put back; risk 3 of 5. The.*name is another one' out
# shellcheck disable=SC2086
call script -qefc "$tuesday run part $quick --cron --state $work/state" /dev/null
t "cron is silent about it" [ "$(grep -c -- '--yes' out)" = 0 ]
# shellcheck disable=SC2086
call "$tuesday" run part $quick -o json --record recorded
call "$tuesday" run part -c layer --replay recorded -o json
t "a recording is no machine to experiment on" [ "$(jq '.checks[0].offers // [] | length' out)" = 0 ]
ln -s "$tuesday" parthealth
# shellcheck disable=SC2086
call ./parthealth $quick --dry-run --invasive --metric 'echo 7'
t "the tool of one check has experiments too" grep -q '^Experiment part/without: ' out
# shellcheck disable=SC2086
call setsid ./parthealth $quick --invasive
t "and asks on a terminal, or says what to do without one" grep -q -e 'there is none: name with --yes' err
ln -s "$tuesday" plainhealth
trial_check >layer/plain.ini
# shellcheck disable=SC2086
call ./plainhealth $quick --dry-run
t "one without any says so" grep -q "no experiment is offered: the check 'plain' has none" err
call "$tuesday" explain part -c layer
t "explain says what it can clear" grep -q 'no better without the name, the check is good and cleared' out
t "and how long it takes" grep -q 'takes.* s at most, then it is ended and put back' out

# A program that asks: beside ours, or not there.
mkdir tools
cp "$tuesday" tools/tuesday
# asked [EXIT] OPTION...: the answer of a program that ends with EXIT.
asked() {
	# shellcheck disable=SC2016
	printf '#!/bin/sh\necho "it was asked at $1"\necho "  somebody waits"\nexit %s\n' "$1" >tools/askdiagnose
	chmod 755 tools/askdiagnose
	shift
	# shellcheck disable=SC2086
	call tools/tuesday run asked $quick --yes asked/diagnose -o json "$@"
}
asked 2 --instance :3000
t "a program asks the accused listener" grep -q '^it was asked at http://127.0.0.1:3000/$' err
t "its answer is the verdict" tells '.checks[0] | .verdict == "bad" and .tier == "experiment" and
	(.experiments[0] | .answer == "told" and .told == "bad" and .turned == false and
	.summary == "askdiagnose http://127.0.0.1:3000/: bad: somebody waits")'
t "and the exit status" [ "$status" = 2 ]
asked 0 --instance :3000
t "that it finds nothing changes nothing" tells '.verdict == "good" and .checks[0].experiments[0].told == "good"'
asked 3 --url http://10.0.0.7/slow
t "what it cannot tell is no answer" tells '.checks[0].experiments[0] | .answer == "inconclusive" and
	(.why | contains("exit status 3"))'
t "a URL may be named instead" grep -q '^it was asked at http://10.0.0.7/slow$' err
asked 2 --instance eth0
t "what has no address is not asked" tells '.checks[0].experiments[0] | .answer == "refused" and
	(.why | contains("is no address"))'
# What changes nothing is anybody's to run; what changes something is not, whatever else is named beside it.
chmod 755 tools layer && chmod 644 layer/*.ini
anybody() {
	# shellcheck disable=SC2086
	call setpriv --reuid=65534 --regid=65534 --clear-groups tools/tuesday run $quick -o json "$@"
}
anybody asked --yes asked/diagnose --instance :3000
t "who is not root may have a program ask" tells '.checks[0].experiments[0] | .answer == "told" and .told == "bad"'
anybody asked part --yes asked/diagnose --yes part/without --instance :3000
t "but not turn a knob" [ "$status:$(grep -c 'needs root' err)" = 64:1 ]
rm tools/askdiagnose
# shellcheck disable=SC2086
call tools/tuesday run asked $quick --yes asked/diagnose -o json --instance :3000
t "where the program is not installed the command is named" tells '.checks[0].experiments[0].why ==
	"askdiagnose is not installed here: where it is, run askdiagnose http://127.0.0.1:3000/"'

wait "${pids[@]}"
t "no change without it clears it" has same '.verdict == "good" and .exonerated and .experiments[0].answer == "same"'
t "the ledger has the experiment as the evidence" tells '.exonerated[0].evidence == "experiment without: " +
	"name before → tuesday-test: the same within 5 % (95 %: 0 to 0), 8 pairs: the name neither helps nor harms"'
t "and there is nothing to do next" tells '.checks[0].next == [] and .checks[0].offers == null'
t "worse without it clears it, with the effect" has worse '.verdict == "good" and .exonerated and
	(.experiments[0].summary | contains("40 % worse (95 %: 40 to 40), 8 pairs: the name helps"))'
t "better without it accuses it" has better '.verdict == "bad" and (.exonerated | not) and
	(.summary | contains("50 % better (95 %: 50 to 50), 8 pairs: the name harms"))'
t "much worse ends it early, and is an answer" has bound '.exonerated and (.experiments[0] |
	.answer == "changed" and .pairs == 0 and .effect < -0.89 and .low == null and
	(.summary | contains("90 % worse (95 %: 90 at least), in one phase, which ended it: the name helps")))'
t "no number clears nobody" has none '.verdict == "maybe" and .experiments[0].answer == "inconclusive"'
t "nor does a number that is always 0" has nothing '.verdict == "maybe" and (.exonerated | not) and
	.experiments[0].answer == "same" and (.experiments[0].notes[0] | contains("clears nothing"))'
t "what was said it takes at most is kept when phases take longer" has late '.verdict == "maybe" and
	(.experiments[0] | .answer == "inconclusive" and .why == "ended early: its time is over" and
	.seconds > 3 and .seconds < .most_seconds)'
plan
