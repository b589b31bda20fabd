#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does 'run --watch' look again and again, whatever it finds, say what has changed, and end well?
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"
work=$(mktemp -d /var/tmp/tuesday-test.XXXXXX)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export LC_ALL=C.UTF-8
tuesday=$BIN/tuesday

# check NAME VALUE: one that is bad above 1.
mkdir checks
check() {
	printf '%s\n' '[check]' 'question = Is there one?' 'area = test' '[metric things_count]' "value = $2" \
		'class = error' 'source = a book' 'bad = > 1' 'why = because' 'say = things: {value}' >"checks/$1.ini"
}
check threads loadavg:threads
check gauge "$work/gauge"
echo 0 >gauge

# said PATTERN: whether the watch says so within ten seconds.
said() {
	for _ in {1..200}; do
		! grep -Eq -- "$1" seen || return 0
		sleep 0.05
	done
	return 1
}
status=-
# In the background a shell has SIGINT ignored.
env --default-signal=INT "$tuesday" run threads gauge --watch -c checks --windows 1 --window 0.2 >seen 2>err &
pid=$!
t "a first run has a heading that says how it ends" said '^[0-9:]{8}, run 1: again and again until Ctrl-C\.$'
t "what is bad does not end it" said '^[0-9:]{8}, run 2\. '
t "nothing changed is said" said 'run [0-9]+\. Nothing changed\.$'
echo 2 >gauge
t "so is what changed" said 'run [0-9]+\. Changed: gauge good -> bad$'
echo 0 >gauge
t "and what changed back" said 'run [0-9]+\. Changed: gauge bad -> good$'
t "each run has its finding" test "$(grep -c '^BAD  *threads' seen)" -ge 3
kill -INT "$pid"
wait "$pid"
status=$?
is "$status" 2 "Ctrl-C ends it with the last verdict"
is "$(cat err)" "" "without a complaint"
t "what is piped has no terminal codes" sh -c '! LC_ALL=C grep -q "[[:cntrl:]]" seen'

call "$tuesday" run nonesuch --watch -c checks
is "$status" 64 "what cannot begin is not begun again"
plan
