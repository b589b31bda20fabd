#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Do three people who have never seen it get done what they came for: somebody in an outage, somebody who watches 500
# hosts, somebody who writes last week's incident down? Each task with the time that the program took for it; what
# people need to read is no program's business. tests/new.t has the third one's other two checks, with faults.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"
if ! command -v jq >/dev/null; then
	echo "1..0 # SKIP needs the program jq"
	exit 0
fi
work=$(mktemp -d /var/tmp/tuesday-test.XXXXXX)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C.UTF-8 TZ=UTC
cd "$work" || exit 1
touch err
"$root/tests/replay/unpack" "$work/machines" listen healthy disk cpu
tuesday=$BIN/tuesday
begun=0
task() { # WHAT
	begun=${EPOCHREALTIME/[.,]/}
	echo "# $1"
}
took() {
	echo "#   $(((${EPOCHREALTIME/[.,]/} - begun) / 1000)) ms"
}
screen() {
	COLUMNS=80 "$tuesday" "$@" --no-history 2>/dev/null | tee screen
	took
}

task "in an outage: what do I type?"
"$tuesday" --help >help
took
is "$(sed -n '/^Start here:/,/^$/p' help | sed -n 2p | tr -s ' ' | cut -d ' ' -f 2-3)" "sudo tuesday" "the help begins with it"
task "what is it?"
screen run --replay machines/listen >out
t "the first line says who, where and how much" grep -q '^BAD  *listen  *deaf (pid 14090) on 127.0.0.1:4321 drops 97.9 connections/s$' \
	<(head -n 1 screen)
t "all of it is on one screen" test "$(wc -l <screen)" -le 24
t "with what to doubt and a command to paste" grep -q '^ *next *cat /proc/14090/stack$' <(grep -A 2 '^ *but ' screen)
t "and whom to call" grep -q '^Call the owner: only listen' screen
task "who is it?"
"$tuesday" run cpu --replay machines/cpu --no-history -v >culprits
took
is "$(grep "^    by " culprits)" "    by hungry (pid 20304) 99.7 %" "whoever has less than 5 % is named by no table"
task "which check knows of it, and what is its limit?"
is "$("$tuesday" list --about oom | grep -c '^memory ')" 1 "memory is found by the word oom"
t "help of a check says who set the limit" grep -q 'netdata: 1 and 5 a second' <("$tuesday" help listen)
took
task "is it over?"
screen run --replay machines/healthy >out
t "that nothing is found is the first thing said" grep -q '^Nothing found: ' <(head -n 1 screen)

task "500 hosts: one service each in Nagios"
for machine in healthy listen disk; do
	"$tuesday" run --replay "machines/$machine" -o nagios >"$machine.nagios"
done
took
t "its line has counts and the worst" grep -Eq '^TUESDAY CRITICAL: 1 bad \(listen\), 0 maybe, [0-9]+ unknown, [0-9]+ good: listen: ' listen.nagios
labels() {
	head -n 1 "$1" | grep -oE "'[^']+'=" | paste -sd ' '
}
is "$(labels listen.nagios)" "$(labels healthy.nagios)" "its numbers are the same in sickness and in health"
is "$(labels disk.nagios)" "$(labels healthy.nagios)" "whatever is wrong"
task "a mail from cron"
"$tuesday" run listen --replay machines/listen --cron --state state >mail 2>&1
took
t "its first line can be the subject" grep -q '^Tuesday on vm: listen bad' <(head -n 1 mail)
is "$("$tuesday" run listen --replay machines/listen --cron --state state | wc -l)" 0 "the same again is no mail"
task "which of 20 hosts, and what have they in common?"
for n in {1..20}; do
	machine=healthy
	[ "$n" -gt 3 ] || machine=listen
	"$tuesday" run --replay "machines/$machine" --no-history -o json | jq -c --arg host "web$n" '.host = $host | .id = null'
done >reports.ndjson
begun=${EPOCHREALTIME/[.,]/}
"$tuesday" merge reports.ndjson --html fleet.html >fleet 2>err
took
t "the answer is in the first lines" grep -q 'listen on 3 of 20' <(head -n 4 fleet)
t "a page for others" test -s fleet.html

task "last week's incident as a check"
echo 'Active connections 700' >nginx.stat
"$tuesday" new nginx --file "$work/nginx.stat[connections]" --question 'Are the connections of nginx used up?' --area limits \
	--class limit --acquit '< 400' --maybe '> 600' --bad '> 750' --say 'nginx has {value} connection(s)' \
	--why 'When there are no more, clients are refused.' --source 'nginx.conf: worker_connections 768' \
	--however 'Idle ones count, too.' >out 2>err
is "$?" 0 "a command writes it"
works "lint has nothing to say of it" "$tuesday" lint nginx.ini
is "$("$tuesday" check nginx.ini --window 0.2 --windows 1 -o json | jq -r '.checks[0] | .verdict, .summary' | paste -sd ' ')" \
	"maybe nginx has 700 connections" "it says what is wrong, in its words"
took
mkdir -p own
mv nginx.ini own
is "$("$tuesday" config --changed -c own | grep -c '^maybe')" 2 "what is not as it was shipped can be listed"
plan
