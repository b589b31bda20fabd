#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does tracediagnose say of files how long things took, whose the slow ones were and when they come?
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset COLUMNS NO_COLOR
export LC_ALL=C

# events SECONDS NAME: a minute of quick ones, 100 a second, and five slow ones in a row every so many seconds; of
# 0 seconds the slow ones come at random.
# shellcheck disable=SC2016
events() {
	awk -v every="$1" -v name="$2" 'BEGIN {
		srand(3)
		for (i = 0; i < 6000; i++)
			printf "%.6f %.6f quick\n", 1000 + i / 100, 0.0001 + rand() * 0.0009
		for (i = 0; i < 12; i++) {
			begin = every ? 2.3 + i * every : rand() * 59
			for (k = 0; k < 5; k++)
				printf "%.6f %.6f %s\n", 1000 + begin + k * 0.003 + rand() * 0.01, 0.2 + rand() * 0.2, name
		}
	}' | sort -n
}
events 4.7 slow >regular
events 0 slow >random

diagnose() {
	call "$BIN/tracediagnose" "$@"
}

line() {
	grep -Eq -- "$1" out
}

diagnose regular --at 7.001 -n 3
t "the first line says how many, in which time, and how long" \
	line '^regular: 6060 events in 60 s: half took (5[0-9]{2}|6[0-9]{2}) us at most, 99 % [0-9.]+ ms, the slowest [34][0-9]+ ms$'
t "the slowest are the slow ones" [ "$(grep -c ' ended .*, slow$' out)" = 3 ]
t "and come every 4.7 s" line '^The slowest 60, from 2[0-9]+ ms on, come every 4\.7 s \(12 times\)$'
t "whose events are in a column" line '^At 7\.001 s: quick [0-9]+, slow 5$'
t "a histogram" line '^ +268 ms +[0-9]+ +[0-9.]+ % #+$'
diagnose random
# shellcheck disable=SC2016
t "what comes at random has no period" bash -c '! grep -q "come every" out'
diagnose regular -o json
t "JSON has the slowest, the histogram, the period and the cells" jq -e '(.slowest | length) == 10 and
	all(.slowest[]; .who == "slow" and .took_seconds > 0.3) and
	([.histogram[].events_count] | add) == 6060 and (.slow_period_seconds - 4.7 | fabs) < 0.01 and
	([.map.cells[][2]] | add) == 6060' out
diagnose regular --range 2:3 -o json
t "a range has its own" jq -e '(.slowest | length) == 10 and ([.map.cells[][2]] | add) == 105' out
diagnose regular --range 20:21 -n 1
t "and its own slowest" grep -q ' us, ended 102[01]' out
diagnose regular --compare random --svg both.svg
t "before and after stand beside each other" line '^before: 6060 events in [56][0-9.]* s: half took'
t "and in one picture" grep -q '<tspan class="b">before</tspan>' both.svg
diagnose regular --cells one.cells
diagnose --merge one.cells one.cells one.cells -o json
t "cells are merged" jq -e '.events_count == 18180 and .hosts_count == 3' out
diagnose --merge one.cells random
t "what is no cells is not" [ "$status $(wc -l <err)" = "3 1" ]
diagnose one.cells --column 100ms --compare random
t "a log that is compared with cells gets columns of their length" [ "$status $(wc -l <err)" = "0 0" ]

# shellcheck disable=SC2016
for name in '<script>alert(1)</script>&"]]>' $'\x1b[31mred\xff\xc0' $'\xe2\x80\xaertl\xef\xbf\xbf'; do
	events 5 "$name" >odd
	diagnose odd --svg odd.svg --highlight '<s' --log odd.log
	# shellcheck disable=SC2016
	t "no byte of a hostile name reaches the terminal" bash -c '! LC_ALL=C grep -q "[^[:print:]]" out err odd.log'
	if command -v xmllint >/dev/null; then
		t "and it is text in the picture" xmllint --noout odd.svg
	else
		skip "and it is text in the picture" "xmllint is not installed"
	fi
done

for wrong in '' '--begin a:b' '--begin a:b --event c:d --end e:f' '--begin a:b --end c:d --only x==1 regular' '--value x regular' 'no/such' \
	'regular --range 1' 'regular --at x' 'regular --top x' '--no-such-option' '--merge --event a:b' \
	'disk/iowait --log x' "disk/block --only nonsense"; do
	# shellcheck disable=SC2086
	diagnose $wrong
	t "misuse is told in a line or two: '$wrong'" [ "$status" = 64 ]
done
diagnose disk/blokc
t "a misspelled trace gets a suggestion" grep -q "did you mean 'disk/block'" err
echo nothing >none
diagnose none
t "a file without events is told in a line" [ "$status $(wc -l <err)" = "3 1" ]
plan
