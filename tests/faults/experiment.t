#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does an experiment ask before it changes anything, say what it would do, and leave no mark? The
# knob is the NIS domain name, in a UTS namespace of this test's own.
if [ "${1:-}" != inside ]; then
	if [ "$(id -u)" != 0 ] || ! unshare -u -n true 2>/dev/null; then
		echo "1..0 # SKIP needs root and namespaces"
		exit 0
	fi
	exec unshare -u -n "$0" inside
fi
ip link set lo up
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
# shellcheck source=tests/experiment.sh
. "$(dirname "$0")/../experiment.sh"
for program in jq script setpriv; do
	if ! command -v "$program" >/dev/null; then
		echo "1..0 # SKIP needs the program $program"
		exit 0
	fi
done
work=$(mktemp -d /var/tmp/tuesday-experiment.XXXXXX)
cleanup() {
	[ -z "${background:-}" ] || kill -KILL "$background" 2>/dev/null
	[ -z "${server:-}" ] || { kill -KILL "$server" && wait "$server"; } 2>/dev/null
	rm -rf "$work"
}
trap cleanup EXIT
cd "$work" || exit 1
chmod 755 "$work"
tuesday=$BIN/tuesday
knob=/proc/sys/kernel/domainname
export TUESDAY_RUN_DIR=$work/run
export TERM=xterm LC_ALL=C
mkdir layer

both() {
	printf '%s\n' "knob = $knob" "set = tuesday-test" "risk = 1" "$@"
}

# The long one has a short control, since phases settle only where the knob is turned.
mapfile -t quick < <(both "rounds = 8" "settle = 0")
mapfile -t long < <(both "rounds = 500" "settle = 2s" "observe = rate(/proc/uptime)" \
	"guard.mine.when = $work/trouble > 5" "guard.mine.say = there is trouble")
cat >layer/named.ini <<END
$(trial_check)
$(trial_experiment rename "${quick[@]}" "say = answers {effect} faster" "say.worse = answers {effect} slower")
$(trial_experiment watched "${long[@]}")
$(trial_experiment needy "${quick[@]}" "needs = /proc/nobody")
$(trial_experiment shy "${quick[@]}" "refuse.threads.when = loadavg:threads > 0" "refuse.threads.say = it runs")
$(trial_experiment unwatchable "${quick[@]}" "guard.x.when = /proc/nobody > 1" "guard.x.say = x")
$(trial_experiment commands "save = cat $knob" "apply = echo tuesday-test >$knob" \
	"restore = echo \"\$TUESDAY_SAVED\" >$knob" "risk = 1" "rounds = 8" "settle = 0")
$(trial_experiment deadly "knob = $knob" "set = x" "risk = 5")
[experiment vain]
question = Is it the huge pages?
refused = it would prove nothing: only what is mapped later is affected
END
echo 0 >trouble
echo before >"$knob"
faster="[ \$(cat $knob) = before ] && echo 100 || echo 131"

run() {
	call "$tuesday" run named --window 0.1 --windows 1 --no-trace -c layer "$@"
}

has() {
	jq -e "$1" out >/dev/null
}

knob_is() {
	[ "$(cat "$knob")" = "$1" ]
}

# Whoever says yes: not by a check file that another may write, and not what is no knob.
chmod 664 layer/named.ini
run --dry-run --yes named/rename
t "a knob of a check file that its group may write is not turned" grep -q '^layer/named.ini: not obeyed: .*writable' err
t "it is no experiment at all" [ ! -s out ]
chmod 644 layer/named.ini
chown 65534 layer/named.ini
run --dry-run --yes named/rename
t "nor one of somebody else's" grep -q '^layer/named.ini: not obeyed: .*user 65534' err
chown 0 layer/named.ini
mkdir evil
{
	sed '/^\[experiment/,$d' layer/named.ini
	trial_experiment pattern "knob = /proc/sys/kernel/core_pattern" "set = |/tmp/x" "risk = 1"
	trial_experiment watchdog "hold = /dev/watchdog" "set = 1" "risk = 1"
} >evil/evil.ini
call "$tuesday" run evil --window 0.1 --windows 1 --no-trace -c evil --dry-run --metric 'echo 1'
t "what runs programs is no knob, whoever asks" \
	grep -q "^  refused   /proc/sys/kernel/core_pattern is no knob .*: the kernel runs what is written there as root" out
t "nor is any device held" grep -q '^  refused   /dev/watchdog is no device to hold' out
call "$tuesday" lint evil/evil.ini
t "and lint says so" grep -q 'experiment pattern.*is no knob' err

# Nothing is changed for these, and they say why.
run --invasive --dry-run
t "a dry run says from which value to which" grep -q 'name from before to tuesday-test' out
t "and where, for how long and at which risk" grep -qz "$knob.*at most.*risk      1 of 5" out
t "and changes nothing" knob_is before
t "one that is never run is named and explained" grep -qz 'named/vain.*it would prove nothing' out
t "so is one of risk 5" grep -qz 'named/deadly.*refused.*risk is 5' out
sed '/^\[experiment/,$d' layer/named.ini >layer/plain.ini
call "$tuesday" run plain --window 0.1 --windows 1 --no-trace -c layer --dry-run
t "a check without any says that there is none to offer" grep -q 'no experiment is offered' err
run --dry-run --yes named/rename
t "a dry run of one shows one" [ "$(grep -c '^Experiment' out)" = 1 ]
call setsid "$tuesday" run named --window 0.1 --windows 1 -c layer --invasive
t "without a terminal it is not run, and says what to do" \
	grep -q -e 'there is none: name with --yes' err
t "and that is misuse" [ "$status" = 64 ]
call setpriv --reuid 65534 --clear-groups "$tuesday" run named --window 0.1 --windows 1 -c layer --yes named/rename
t "without root it says so" grep -q 'needs root: run it with sudo' err
run --yes named/renam
t "an unknown experiment has a suggestion" grep -q "did you mean 'named/rename'" err
run --yes nmed/rename
t "an unknown check has one" grep -q "did you mean 'named'" err
run --yes rename
t "a name alone is not enough" grep -q 'is not CHECK/EXPERIMENT' err
run --yes named/deadly --metric 'echo 1'
t "a risk of 5 is refused whoever says yes" grep -q 'REFUSED: its risk is 5' err
run --yes named/vain
t "what proves nothing is refused with its reason" grep -q 'it would prove nothing' err
run --metric 'echo 1'
t "a number to watch without an experiment is a mistake" grep -q 'they need --invasive' err
call "$tuesday" run named -c layer --yes named/rename --replay /var/tmp
t "a recording cannot be experimented on" grep -q 'not with --replay' err
run --yes named/rename -o json
t "without a number to watch it is not run" has \
	'.checks[0].experiments[0] | .answer == "refused" and (.why | contains("--metric"))'
run --yes named/needy --metric 'echo 1' -o json
t "nor where a path is missing" has '.checks[0].experiments[0].why == "no /proc/nobody here"'
run --yes named/shy --metric 'echo 1' -o json
t "nor where its own condition says no" has '.checks[0].experiments[0].why == "it runs"'
run --yes named/unwatchable --metric 'echo 1' -o json
t "nor with a guard that sees nothing" has \
	'.checks[0].experiments[0].why | contains("cannot be watched")'
t "the name was never changed" knob_is before

# Answers.
run --yes named/rename --metric "$faster" -o json
t "a change for the better is found" has '.checks[0].experiments[0] |
	.answer == "changed" and .better and .effect > 0.30 and .effect < 0.32'
t "it accuses" has '.verdict == "maybe" and .checks[0].tier == "experiment"'
t "the exit status says so" [ "$status" = 1 ]
t "it is put back" knob_is before
t "the report says it" has '.checks[0].experiments[0] | .restored and .turned and .from == "before"'
run --yes named/rename --metric "$faster"
t "people read one sentence" grep -q \
	'name before → tuesday-test: answers 31 % faster (95 %: 31 to 31)' out
run --yes named/rename --metric "$faster" -o line
t "a line for many machines has it without numbers" grep -q '| changed named/rename$' out
run --yes named/rename --metric 'echo 7' -o json
t "no change is the same, and the verdict stays" has \
	'.checks[0] | .experiments[0].answer == "same" and .verdict == "good"'
run --yes named/rename --metric "[ \$(cat $knob) = before ] && echo 100 || echo 60" -o json
t "worse is no reason to accuse" has '.checks[0] | .verdict == "good" and
	(.experiments[0] | .answer == "changed" and (.better | not) and .effect < -0.3)'
run --yes named/rename --metric "[ \$(cat $knob) = before ] && echo 100 || echo 10" -o json
t "much worse ends it at once, and is an answer" has '.checks[0] | .verdict == "good" and
	(.experiments[0] | .answer == "changed" and (.better | not) and .effect < -0.89 and .pairs == 0)'
run --yes named/rename --metric 'echo none' -o json
t "no number is no answer" has '.checks[0].experiments[0] | .answer == "inconclusive" and
	(.why | contains("printed no number"))'
run --yes named/commands --metric "$faster" -o json
t "commands change what is no file" has '.checks[0].experiments[0] |
	.answer == "changed" and .from == "before" and .restored'
t "and put it back" knob_is before
chmod o+w layer/named.ini
run --yes named/commands --metric "$faster"
t "a check file that others may write is not obeyed" [ "$status" != 1 ]
chmod o-w layer/named.ini

# begin: a long one in the background, from when the knob is turned.
begin() {
	env --default-signal=INT "$tuesday" run named --window 0.1 --windows 1 --no-trace -c layer --yes named/watched -o json \
		>long.out 2>long.err </dev/null &
	background=$!
	for _ in {1..1200}; do
		knob_is tuesday-test && return
		kill -0 "$background" 2>/dev/null || return
		sleep 0.01
	done
}

finish() {
	wait "$background"
	status=$?
	background=
	cp long.out out
	cp long.err err
}

# Ways out.
begin
call "$tuesday" run named --window 0.1 --windows 1 --no-trace -c layer -o json
t "other runs say that an experiment is under way" has '.under_way == "named/watched"'
call "$tuesday" run named --window 0.1 --windows 1 --no-trace -c layer --yes named/rename --metric 'echo 1' -o json
t "a second one does not begin" has '.checks[0].experiments[0].answer == "refused"'
kill -INT "$background"
finish
t "Ctrl-C puts it back" knob_is before
begin
kill -INT "$background"
finish
t "and says inconclusive, as far as it came" has '.checks[0].experiments[0] |
	.answer == "inconclusive" and .why == "ended early: interrupted" and .restored'
begin
echo 9 >trouble
finish
t "a guard ends it and says which" has '.checks[0].experiments[0] |
	.answer == "inconclusive" and .why == "ended early: there is trouble"'
t "and it is put back" knob_is before
echo 0 >trouble
begin
echo somebody >"$knob"
finish
t "somebody else's value stays" knob_is somebody
t "and the report says so" has '.checks[0].experiments[0] |
	.answer == "inconclusive" and (.notes | length > 0)'
echo before >"$knob"

# converse ANSWER...: types y before anything is asked, then an answer to each question.
converse() {
	local asked=0

	mkfifo in
	: >out
	script -qefc "$tuesday run named --window 0.1 --windows 1 --no-trace -c layer --invasive \
		--metric 'echo 7'" /dev/null <in >out 2>err &
	background=$!
	exec 9>in
	echo y >&9
	for answer; do
		for _ in {1..200}; do
			[ "$(grep -c 'Run it?' out)" -gt "$asked" ] && break
			kill -0 "$background" 2>/dev/null || break
			sleep 0.05
		done
		asked=$((asked + 1))
		kill -0 "$background" 2>/dev/null && echo "$answer" >&9
	done
	wait "$background"
	background=
	exec 9>&-
	rm in
}
trap '' PIPE
converse n n n
t "it asks on the terminal" grep -q 'Run it? \[y/N\]' out
t "no is no, and a yes from before the question is none" \
	[ "$(grep -c 'nobody said yes' out)" = 3 ]
t "and nothing is changed" knob_is before
converse y n n
t "yes is yes" grep -q 'the same within 5 %' out

# A number from a web server.
if command -v busybox >/dev/null && busybox httpd --help 2>&1 | grep -q Listen; then
	mkdir www
	echo hello >www/index.html
	port=8080
	busybox httpd -f -p "127.0.0.1:$port" -h www &
	server=$!
	for _ in {1..200}; do
		(: <>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && break
		sleep 0.05
	done
	run --yes named/rename --url "http://127.0.0.1:$port/" -o json
	t "the time of a request is a number" has '.checks[0].experiments[0].before > 0'
	run --yes named/rename --url "http://127.0.0.1:$port/nothing" -o json
	t "a page that is not there has none" has \
		'.checks[0].experiments[0].why | contains("status 404")'
else
	skip "the time of a request is a number" "no busybox with httpd"
	skip "a page that is not there has none" "no busybox with httpd"
fi
run --yes named/rename --url 'https://127.0.0.1/' -o json
t "https is not spoken, and said so" has '.checks[0].experiments[0].why | contains("https")'
t "nothing is left behind" [ -z "$(find run/undo -type f 2>/dev/null)" ]
plan
