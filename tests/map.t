#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does tuesday map show a nap, who fills it and who comes every 1.003 s, and is its picture one whoever named the
# programs in it?
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset COLUMNS NO_COLOR
export LC_ALL=C

# samples [NAME]: a minute of two CPUs at 99 Hz; riak naps twice, for 400 ms while NAME runs, and somebody comes
# every 1.003 s.
# shellcheck disable=SC2016
samples() {
	awk -v name="${1:-zoneadmd}" 'BEGIN {
		srand(7)
		for (i = 0; i < 60 * 99; i++) for (cpu = 0; cpu < 2; cpu++) {
			at = i * 0.010101010 + cpu * 0.001
			comm = rand() < 0.8 ? "riak" : "swapper"
			if (at >= 12.4 && at < 12.8 || at >= 40.2 && at < 40.6)
				comm = cpu ? "swapper" : name
			else if (!cpu && at - int(at / 1.003) * 1.003 < 0.011)
				comm = "agent"
			tid = comm == "swapper" ? 0 : comm == "riak" ? 30 + i % 4 : comm == "agent" ? 77 : 812
			printf "%16s %5d/%d [%03d] %.6f:   10101010 cpu-clock: \n\t    ffff81 work+0x12 (/usr/lib/x.so)\n\t    5555 main+0x3 (/bin/y)\n\n", comm, tid, tid, cpu, 500 + at
		}
	}'
}
samples >perf.txt
map() {
	call "$BIN/tuesday" map "$@"
}

# line PATTERN: of the last call's output.
line() {
	grep -Eq -- "$1" out
}

map perf.txt --isolate riak --at 12.5
t "a nap is told, with its length and its time" line '^riak was off the CPUs for [34][0-9.]+ ms from (12.3|12.4|40.1|40.2)'
t "and how long a gap has to be" line '^riak was seen in 9[0-9] % of the time: a gap of [0-9.]+ ms or more is not chance'
t "who comes every 1.003 s, in words" \
	line '^agent \(thread 77\): every 1\.003[0-9]* s, so about one interval of 1 s in 33[0-9] has no look$'
t "who was there in the gap" line '^At 12\.5 s: zoneadmd [0-9]+$'
map perf.txt --isolate nobody
t "a pattern that nobody has is told" line "^No name has 'nobody' in it$"
map perf.txt --highlight riak --highlight zoneadmd
t "two are highlighted by letters" line '\|A*.*[Aa].*[Bb]'
t "and named below" line '^b: zoneadmd, [0-9]+ samples$'
# shellcheck disable=SC2016
t "without colours it is ASCII" bash -c '! LC_ALL=C grep -q "[^[:print:]]" out'
map perf.txt --color always
t "with them a line has colours" grep -q $'\e\[48;5;' out
COLORTERM=truecolor map perf.txt --color always
t "of 24 bits where the terminal has them" grep -q $'\e\[48;2;' out

map perf.txt -o folded --range 12.45:12.75
is "$(sort -u out)" "zoneadmd;main;work 1" "the stacks of a range are those of who ran in it"
map perf.txt -o json
works "JSON is one object" jq -e '.kind == "offset" and (.map.cells | length) > 1000 and .periods[0].name == "agent"' out

map perf.txt --cells cells
for _ in {1..200}; do echo cells; done >names
mapfile -t many <names
map "${many[@]}" -o json
is "$(jq '[.events_count, .hosts_count] | @text' out)" "$("$BIN/tuesday" map perf.txt -o json | jq '[.events_count * 200, 200] | @text')" \
	"200 hosts' cells are 200 times as many"
map cells --compare perf.txt --svg both.svg
t "before and after in one picture" grep -q '>before<' both.svg
head -c 3000 cells >cut.cells
map cut.cells
t "cells that were cut are refused in a line" [ "$status $(wc -l <err)" = "3 1" ]

printf '%s\n' '1.0 250' '1.5 7ms slow one' '2.5 260' 'nonsense' >pairs
map --latency pairs --latency-unit us
t "lines of time and latency: how long they took" line '^half of all took 2[5-9][0-9] us, 99 % 7[0-9.]* ms'
t "what could not be read is told" line '1 lines? could not be read'
map pairs --latency-unit us
t "which nobody has to say" line '^half of all took 2[5-9][0-9] us'

# shellcheck disable=SC2016
hostile='<script>alert(1)</script>&"]]>'
for name in "$hostile" $'\x1b[31mred\xff\xc0' $'\xe2\x80\xaertl\xef\xbf\xbf' "$(head -c 4000 /dev/zero | tr '\0' x)"; do
	samples "$name" >hostile
	map hostile --highlight '<script' --title '<&>' --svg hostile.svg
	if command -v xmllint >/dev/null; then
		t "a picture of hostile names is well-formed" xmllint --noout --huge hostile.svg
	else
		skip "a picture of hostile names is well-formed" "xmllint is not installed"
	fi
	map hostile --at 12.5 --isolate "$name"
	# shellcheck disable=SC2016
	t "no byte of them reaches the terminal" bash -c '! LC_ALL=C grep -q "[^[:print:]]" out err'
done

if command -v chromium >/dev/null; then
	samples "$hostile" >odd.txt
	map odd.txt --highlight script --svg page.svg
	sed '$d' page.svg >driven.svg
	# How many squares there are, the names that one of them shows, and whether all lie within the picture.
	cat >>driven.svg <<'SCRIPT'
<script><![CDATA[
const box = document.documentElement.getBoundingClientRect();
const squares = [...document.querySelectorAll("g rect")];
const out = squares.filter(s => { const b = s.getBoundingClientRect(); return b.right > box.right + 1 || b.bottom > box.bottom + 1; });
const text = [...document.querySelectorAll("text")].filter(s => s.getBoundingClientRect().right > box.right + 1);
const named = squares.filter(s => s.textContent.includes("<script>alert(1)"));
const result = document.createElementNS("http://www.w3.org/2000/svg", "text");
result.textContent = `RESULT ${squares.length > 1000} ${named.length > 10} ${out.length} ${text.length} ${document.querySelectorAll("script").length}`;
document.documentElement.append(result);
]]></script></svg>
SCRIPT
	timeout 60 chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
		--disable-background-networking --disable-component-update --disable-sync \
		--user-data-dir="$work/chrome" --dump-dom "file://$work/driven.svg" >dom 2>/dev/null
	is "$(grep -o 'RESULT [tf][a-z0-9 ]*' dom | head -n 1)" "RESULT true true 0 0 1" \
		"a browser shows all squares within the picture, who was in one, and runs nothing"
else
	skip "a browser shows the picture" "chromium is not installed"
fi

for wrong in '--no-such-option' '--latency' '-o folded' 'x --for 5s' '--for 0' 'x --at 1:2' 'x --range 3:1' 'x --rows 0' 'x --period 0' '- -' 'x --latency -o folded'; do
	# shellcheck disable=SC2086
	map $wrong
	t "misuse is told: '$wrong'" [ "$status" = 64 ]
done
map /nonexistent
t "a file that is not there is told in a line" [ "$status $(wc -l <err)" = "3 1" ]
echo 'no samples' >none
map none
t "so is one without samples" [ "$status $(wc -l <err)" = "3 1" ]
plan
