#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Can somebody keep a recording with the verdict that it should get beside a check of their own, and be told when the
# check says something else?
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"
export LC_ALL=C
work=$(mktemp -d /var/tmp/tuesday-test.XXXXXX)
trap 'rm -rf "$work"' EXIT
tuesday=$BIN/tuesday
mkdir "$work/mine"
"$root/tests/replay/unpack" "$work/mine" listen healthy
cd "$work" || exit 1
call "$tuesday" new drops --question 'Are connections dropped?' --area net --metric 'rate(listen:*.drops)' \
	--class error --maybe '> 0' --bad '> 1' --acquit '<= 0' --say '{instance} drops {value}' --why 'They wait.' \
	--source 'a book' --however 'Scans.' -o mine/drops.ini

printf '; last week\ndrops bad\ndrops.drops_per_second bad\nlisten accused deaf\n' >mine/listen.expected
echo 'drops good' >mine/healthy.expected
call "$tuesday" test mine
is "$status" 0 "what is as expected passes"
is "$(grep -c '^ok' out)/$(tail -n 1 out)" "4/1..4" "a test a line, in TAP"
t "with what it is about" grep -qx 'ok 2 - listen: drops is bad' out
if command -v prove >/dev/null; then
	cp out passed.tap
	prove -e cat passed.tap >proved 2>&1
	is $? 0 "which a harness reads"
else
	skip "which a harness reads" "needs prove"
fi
sed -i 's/^maybe .*/maybe    = > 1000/; s/^bad .*/bad      = > 2000/' mine/drops.ini
call "$tuesday" test mine
is "$status" 1 "a check that says something else fails"
t "with what it says" grep -q '^# listen.expected:2: it is good: ' out
echo 'listen bad somebody else' >mine/listen.expected
call "$tuesday" test mine
t "so does one that names another culprit" grep -q 'deaf is named' out
printf 'drops bda\ndrops\n' >mine/listen.expected
call "$tuesday" test mine
is "$status $(grep -c 'mine/listen.expected:[12]: ' err)" "3 2" "a line that is wrong is said, with its number"
t "and what was meant" grep -q "did you mean 'bad'" err
echo 'nosuch bad' >mine/listen.expected
call "$tuesday" test mine
is "$status" 3 "a check that is not there is no test passed"
printf 'drops good \033[31m# TODO x\n' >mine/healthy.expected
rm mine/listen.expected
call "$tuesday" test mine
t "what a line says is printed harmlessly" [ "$(grep -c $'\033\|[^\\]# TODO' out)" = 0 ]
mkdir empty
call "$tuesday" test empty
is "$status" 3 "an empty folder is no success"
echo 'drops good' >mine/gone.expected
rm mine/healthy.expected
call "$tuesday" test mine
t "nor is a recording that is not there" [ "$status" = 3 ]
call "$tuesday" test
is "$status" 64 "it wants a folder"
plan
