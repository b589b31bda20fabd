#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does a check that is shipped for those who ask run for them, and for nobody else?
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"
if ! command -v jq >/dev/null; then
	echo "1..0 # SKIP needs the program jq"
	exit 0
fi
work=$(mktemp -d /var/tmp/tuesday-optin.XXXXXX)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
tuesday=$BIN/tuesday
mkdir layer above
cat >layer/dear.ini <<'END'
[check]
question = Is it dear?
area = kernel
enabled = named
[metric threads_count]
value = loadavg:threads
class = limit
acquit = > 0
maybe = < 0
say = {value} thread(s)
why = There is always one.
source = judgement
however = None.
seen = live
END
printf '[check]\nenabled = yes\n' >above/dear.ini

has() {
	jq -e "$1" out >/dev/null
}

call "$tuesday" run --quick --no-trace -c layer -o json
t "it is not run by itself" has '[.checks[].check] | contains(["dear"]) | not'
t "and the run says that it was not asked" has '.not_asked | contains(["dear"])'
call "$tuesday" run --quick -c layer dear -o json
t "it is run by its name" has '[.checks[] | [.check, .verdict]] == [["dear", "good"]]'
t "where it was named it is not among those" has '.not_asked | not'
call "$tuesday" list -c layer dear
t "it is listed, and said to be so" grep -q 'Is it dear? (only when it is named)' out
call "$tuesday" explain -c layer dear
t "it is explained" grep -q 'None' out
call "$tuesday" lint layer/dear.ini
t "lint reads all of it" [ "$status" = 0 ]
call "$tuesday" run --quick --no-trace -c layer -c above -o json
t "a higher layer switches it on" has '[.checks[].check] | contains(["dear"])'
sed -i 's/^value.*/value = vmsat:x/' layer/dear.ini
call "$tuesday" run --quick --no-trace -c layer -o json
t "a mistake in it is found though it does not run" \
	grep -q "^layer/dear.ini:6: unknown source 'vmsat'" err
call "$tuesday" run failing --window 0.1 --windows 1 --no-trace -o json
t "what only a sentinel can answer is not asked by who wants no trace" has \
	'[.checks[] | [.check, .verdict, .reason]] == [["failing", "skip", "not traced: --no-trace"]]'
t "which is no failure" [ "$status" = 0 ]
plan
