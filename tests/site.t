#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does tuesday.ini hold for every run: the options of the timer's, the gaps that are expected, the mutes?
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"
work=$(mktemp -d /var/tmp/tuesday-test.XXXXXX)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export TUESDAY_HISTORY_INI=$work/history.ini TUESDAY_RUN_DIR=$work/rundir TUESDAY_JOURNAL_SOCKET=$work/nowhere
export TUESDAY_INI=$work/tuesday.ini TZ=UTC LC_ALL=C
: >history.ini

# A machine where one check errs, one cannot look, one is good.
for sample in 0 1; do
	mkdir -p "rec/$sample/proc/sys/kernel/random"
	echo boot-1 >"rec/$sample/proc/sys/kernel/random/boot_id"
	echo $((sample * 3)) >"rec/$sample/proc/errors"
	echo 0 >"rec/$sample/proc/calm"
	echo "$(((100000 + sample * 10) * 1000000000))" >"rec/$sample/time"
done
printf 'host web7\nkernel 6.1.0\ncpus 4\ntime 1795200000\n' >rec/environment
mkdir checks
check() { # NAME VALUE
	cat >"checks/$1.ini" <<-END
		[check]
		question = Does it err?
		area = disk
		[metric new_count]
		value = $2
		class = error
		bad = > 0
		source = a book
		say = $1: {value} errors
		why = because
		however = nothing
	END
}
check errs 'delta(/proc/errors)'
check calm 'delta(/proc/calm)'
# What sentinels see is no part of this recording: of it nothing is known.
gap=failing
run() {
	"$BIN/tuesday" run "$@" -c checks --replay rec --state state >out 2>err </dev/null
	status=$?
}
said() { grep -qF -- "$1" out; }

: >tuesday.ini
run calm $gap
is "$status" 3 "a check that cannot look makes the run unknown"
printf '[gaps]\nexpected_unknown = %s, other\n' $gap >tuesday.ini
run calm $gap
is "$status" 0 "unless tuesday.ini expects it"
t "which the screen says" said "Expected gaps: $gap."
run $gap errs
is "$status" 2 "what is bad is bad all the same"
run calm $gap -o line
t "the line names gaps apart" said "gaps $gap"
run calm $gap -o json
is "$(jq -r '.verdict + " " + (.checks[] | select(.check == "'$gap'") | .verdict + " " + .set_aside)' out)" \
	"good unknown expected" "JSON says both"
cp out fleet.json
run calm $gap -o nagios
t "Nagios is OK" said "TUESDAY OK"
run $gap -o nagios
is "$status" 0 "for a service of that check too"
run calm $gap -o checkmk
t "so is Checkmk" grep -q '^0 "Tuesday" ' out
run calm $gap -o npd
is "$status" 0 "and node-problem-detector"
run calm $gap -o tap
t "a test harness skips it" grep -q "^ok [12] - $gap # SKIP unknown, and expected" out
run calm $gap -o junit
t "so does a CI server" grep -q 'errors="0" skipped="1"' out
run calm $gap -o prometheus
t "and an alert can know it" said "tuesday_check_set_aside{check=\"$gap\",why=\"expected\"} 1"
"$BIN/tuesday" merge fleet.json -o json >merged.json
is "$(jq -r .verdict merged.json)" good "merge counts the host as good"
jq '(.checks[] | select(.check == "calm")) |= (.verdict = "bad" | .set_aside = "expected")' fleet.json >evil.json
"$BIN/tuesday" merge evil.json -o json >merged.json
is "$(jq -r .verdict merged.json)" bad "and believes no report that expects what is bad"
"$BIN/tuesday" run calm $gap -c checks --replay rec -o json >gap.json 2>err </dev/null
"$BIN/tuesday" merge gap.json -o json >merged.json
is "$(jq -r .verdict merged.json)" unknown "a machine that expects nothing is unknown"
"$BIN/tuesday" merge gap.json -o json --expected-unknown "x,$gap" >merged.json
is "$(jq -r .verdict merged.json)" good "unless merge itself is told"
"$BIN/tuesday" merge evil.json -o json --expected-unknown "calm,$gap" >merged.json
is "$(jq -r .verdict merged.json)" bad "which is about gaps and nothing else"
"$BIN/tuesday" run calm $gap -c checks --replay rec >out 2>err </dev/null
is $? 3 "a replay without a place of its own is another machine's"

run calm errs -o checkmk
is "$(grep -c . out)" 1 "Checkmk has one service"
run calm errs -o checkmk --services errs
is "$(cut -d'"' -f2 out | paste -sd ,)" "Tuesday,Tuesday errs" "and those that are named"
printf '[checkmk]\nservices = calm, errs\n' >tuesday.ini
run calm errs -o checkmk
is "$(cut -d'"' -f2 out | paste -sd ,)" "Tuesday,Tuesday calm,Tuesday errs" "on the command line or in tuesday.ini"
run calm errs -o checkmk --services errs
is "$(grep -c . out)" 2 "where the command line wins"

# Mutes.
: >tuesday.ini
export TUESDAY_STATE_DIR=$work/state
"$BIN/tuesday" mute errs --for 1h --reason swap -c checks >out 2>err || why <err
sed -i 's/^time .*/time '"$(date +%s)"'/' rec/environment
run calm errs
is "$status" 2 "a mute hides nothing by itself"
run calm errs --honour-mutes
is "$status" 0 "unless it is honoured"
t "then too it is shown" said errs
run calm errs --honour-mutes -o nagios
t "and named" said "muted: errs"
printf '[mutes]\nhonour = yes\n' >tuesday.ini
run calm errs -o json
is "$status $(jq -r '.checks[] | select(.check == "errs") | .set_aside' out)" "0 muted" "tuesday.ini can honour them always"
"$BIN/tuesday" unmute errs >/dev/null 2>&1

# The timer's run.
printf '[run]\nchecks = errs\noptions = -o json --to cron.json\n' >tuesday.ini
run --cron
is "$status $(jq -r '[.checks[].check] | join(" ")' cron.json)" "0 errs" "a --cron run asks what tuesday.ini names, with its options"
run --cron calm
is "$(jq -r '[.checks[].check] | join(" ")' cron.json)" "calm" "unless checks are named"
rm cron.json
run calm
t "another run does not" test ! -e cron.json
printf '[run]\noptions = --quik\n' >tuesday.ini
run --cron
is "$status" 64 "an option that is none stops it"
t "and the line is named" grep -q 'tuesday.ini:2: options' err
printf '[run]\noptions = errs\n' >tuesday.ini
run --cron
t "so does a word that is no option" grep -q "no option; names of checks" err
printf '[rum]\n[gaps]\nexpected = fs\n[mutes]\nhonour = perhaps\n[run]\nchecks = ../x\n' >tuesday.ini
run calm
is "$status $(grep -c 'tuesday.ini:[0-9]*: ' err)" "0 4" "what is wrong is said with its line, and the rest holds"
printf '[run]\nchecks = cpu @nett dsk\n[gaps]\nexpected_unknown = keep-alive\n[labels]\nany thing = yes\n' >tuesday.ini
"$BIN/tuesday" lint tuesday.ini >out 2>err
is "$? $(grep -c 'tuesday.ini:[24]: there is no' err)" "2 3" "lint knows which checks there are"
t "and which was meant" grep -q "did you mean 'disk'" err
printf '[run]\noptions = --quik\n' >tuesday.ini
"$BIN/tuesday" lint tuesday.ini >out 2>err
is "$? $(grep -c "did you mean '--quick'" err)" "2 1" "and the options of a run"
printf '[cron]\nremind = soon\ndigest = no\n[history]\ndays = 30\n' >tuesday.ini
run --cron errs
is "$(grep -c 'tuesday.ini:2: remind' err)" 1 "how often something is said again can stand there, too"
"$BIN/tuesday" lint tuesday.ini >out 2>err
is "$? $(grep -c 'tuesday.ini:2: remind' err)" "2 1" "which lint knows"
head -c 70000 /dev/zero | tr '\0' '#' >tuesday.ini
run calm
t "a file without end is refused" grep -q 'File too large' err
printf '[gaps]\nexpected_unknown = %s\n' $gap >tuesday.ini
chmod 666 tuesday.ini
run calm $gap
if [ "$(id -u)" = 0 ]; then
	is "$status" 3 "root obeys no file that others may write"
	t "and says so" grep -q 'not obeyed' err
else
	skip "root obeys no file that others may write" "not root"
fi
plan
