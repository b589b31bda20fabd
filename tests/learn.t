#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Last week's incident is a recording, or a report in a ticket: is a check learned from either, which knows it again?
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"
export LC_ALL=C
work=$(mktemp -d /var/tmp/tuesday-test.XXXXXX)
trap 'rm -rf "$work"' EXIT
tuesday=$BIN/tuesday
"$root/tests/replay/unpack" "$work" listen healthy
cd "$work" || exit 1

call "$tuesday" learn listen -o from-recording.ini
is "$status" 0 "a recording teaches a check"
"$tuesday" run --replay listen --no-history -o json >report.json
call "$tuesday" learn report.json -o from-report.ini --ref INC-42
is "$status" 0 "so does a report"
is "$(grep '^value' from-recording.ini)" "$(grep '^value' from-report.ini)" "they ask for the same numbers"
t "with what it is called" grep -q 'INC-42' from-report.ini
sed -i 's/Say here/It was/' from-report.ini
call "$tuesday" lint from-report.ini
is "$status" 0 "of which lint has nothing to say but what is left to write"
call "$tuesday" check from-report.ini --replay listen -o json
is "$(jq -r '.checks[0].verdict' out)" bad "it knows the incident again"
call "$tuesday" check from-report.ini --replay healthy -o json
t "and not a healthy machine" [ "$(jq -r '.checks[0].verdict' out)" != bad ]
call "$tuesday" learn healthy -o -
t "of a machine that is well nothing is learned" grep -q 'accuse[sd] nothing' err
is "$status" 3 "which is no success"
call "$tuesday" learn nowhere.json -o -
t "a file that is not there is said" grep -q 'nowhere.json: No such file' err
printf '{"schema":' >broken.json
call "$tuesday" learn broken.json -o -
t "so is what is no report" grep -q 'broken.json: it breaks off' err
jq '.id = "../../x" | .host = "a\n[metric x_count]\nvalue = 1" | .kernel = "]\n[x]"' report.json >evil.json
call "$tuesday" learn evil.json -o evil.ini
is "$status $(grep -c '^.metric x_count' evil.ini)" "0 0" "what a report says of itself forges no key"
sed -i 's/Say here/It was/' evil.ini
call "$tuesday" lint evil.ini
is "$status" 0 "and what is learned of it is a check file"
plan
