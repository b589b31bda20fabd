#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Is a flame graph of tuesday as wide everywhere as that of flamegraph.pl, does no filter lose a sample, and
# does the page do what it says?
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"
cd "$root" || exit 1
tuesday=$BIN/tuesday
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# t SENTENCE COMMAND...
t() {
	local sentence=$1
	shift
	if "$@"; then pass "$sentence"; else fail "$sentence"; fi
}

# Sums the weights of folded lines.
total() {
	awk '{ sum += $NF } END { print sum + 0 }'
}

# Another kind of profile for each number: wide, deep, recursive, one line, with blanks and colons in names.
# shellcheck disable=SC2016
stacks() {
	awk -v kind="$1" 'BEGIN {
		srand(kind)
		lines = kind == 1 ? 1 : 20 * kind
		for (i = 0; i < lines; i++) {
			depth = 1 + int(rand() * (kind % 5 == 0 ? 120 : 12))
			stack = "main"
			for (d = 0; d < depth; d++) {
				name = int(rand() * (2 + kind % 7))
				stack = stack ";" (kind % 4 == 0 ? "std::map<int, x" name ">::find(a b)" : kind % 4 == 1 ? "com/x/C" name ".run" : kind % 4 == 2 ? "f" name : "same")
			}
			print stack " " 1 + int(rand() * (kind % 3 ? 50 : 100000))
		}
	}'
}
if command -v perl >/dev/null; then
	for kind in $(seq 20); do
		stacks "$kind" >"$work/stacks"
		bench/flame.pl --widths <"$work/stacks" | sort >"$work/wanted"
		"$tuesday" flame "$work/stacks" --svg - 2>/dev/null | awk -f tests/flame-widths.awk | sort >"$work/got"
		if [ -s "$work/wanted" ] && cmp -s "$work/wanted" "$work/got"; then
			pass "profile $kind: all $(wc -l <"$work/got") frames are as wide as flamegraph.pl's"
		else
			fail "profile $kind: all frames are as wide as flamegraph.pl's"
			diff "$work/wanted" "$work/got" | head -n 10 | why
		fi
	done
else
	skip "frames are as wide as flamegraph.pl's" "perl is not installed"
fi

stacks 17 >"$work/stacks"
all=$(total <"$work/stacks")
filters=(--reverse '--hide run' '--only C1' '--without C1' '--focus C2' '--focus-callers C2' --collapse-chains
	'--focus C2 --reverse' '--focus-callers C2 --reverse' '--focus C3 --focus-callers C1 --hide C2'
	'--hide C1 --only C2 --collapse-chains' '--focus nowhere' '--without ^com*1.run$|C3 --inverted')
for filter in "${filters[@]}"; do
	# shellcheck disable=SC2086
	is "$("$tuesday" flame "$work/stacks" $filter -o folded | total)" "$all" "$filter keeps the total"
done

# shellcheck disable=SC2016
printf '%s 7\n' '<script>alert(1)</script>;]]>;"a&b' $'\x01\x1b[31m;\xff\xfe\xc0' $'\xe2\x80\xae;\xef\xbf\xbf' '&lt;;--' \
	"$(head -c 20000 /dev/zero | tr '\0' x)" '$(touch x);`id`;%s%n' ';;;' >"$work/hostile"
for option in '' --reverse --inverted --redact '--unit ns' "--diff $work/stacks"; do
	# shellcheck disable=SC2086
	"$tuesday" flame "$work/hostile" --svg "$work/hostile.svg" $option >"$work/out" 2>&1
	if command -v xmllint >/dev/null; then
		t "a picture of hostile names is well-formed ${option%% *}" xmllint --noout --huge "$work/hostile.svg"
	else
		skip "a picture of hostile names is well-formed ${option%% *}" "xmllint is not installed"
	fi
	# shellcheck disable=SC2016
	t "no byte of them reaches the terminal ${option%% *}" bash -c '! LC_ALL=C grep -q "[^[:print:]]" "$1"' - "$work/out"
done

# 44 % in 300 towers.
awk 'BEGIN { for (i = 0; i < 300; i++) printf "java;app/C%d.run;com/x/legacy/%s.isOn 22\njava;app/C%d.run;other%d 28\n", i, i % 2 ? "Flag" : "Gate", i, i }' >"$work/scattered"
is "$("$tuesday" flame "$work/scattered" | head -n 1)" \
	'com/x/legacy: 44 % of samples in 300 towers, the widest 0.1 %: --focus com/x/legacy' \
	'a scattered package is named unasked'
"$tuesday" flame "$work/scattered" --redact >"$work/out"
# shellcheck disable=SC2016
t "--redact leaves no name of it" sh -c '! grep -Eq "legacy|Flag|app/" "$1" && grep -q "44 %" "$1"' - "$work/out"

printf 'm;a 500\nm;b 500\nm;old 100\n' >"$work/before"
printf 'm;a 1500\nm;b 1000\n' >"$work/after"
is "$("$tuesday" flame "$work/after" --diff "$work/before" | head -n 1)" 'a: 60.0 % of samples now, 45.5 % before' \
	'a difference names the function'
is "$(sed 's/$/0/' "$work/before" | "$tuesday" flame - --diff "$work/before" | head -n 1)" \
	"No function's share has changed by more than chance does." 'ten times the load with the same shares is none'

is "$("$tuesday" flame "$work/after" --diff "$work/before" --unit ms | head -n 6)" 'a: 60.0 % of ms now, 45.5 % before

Also changed:
  old: 0.0 % of ms now, 9.1 % before
  b: 40.0 % of ms now, 45.5 % before
Whether that is more than chance cannot be told of ms: --sample says how much of it one sample is.' \
	'of times the largest changes are told, and that nobody knows whether it is chance'
is "$("$tuesday" flame "$work/after" --diff "$work/before" --unit ms --sample 0.5s | head -n 1)" \
	"No function's share has changed by more than chance does." 'unless a sample is so and so long: five of them say nothing'

"$tuesday" flame --no-such-thing >/dev/null 2>"$work/err"
is "$?" 64 'an option that there is not'
"$tuesday" flame >/dev/null 2>"$work/err"
is "$?" 64 'no file'
echo 'no stack' | "$tuesday" flame - >/dev/null 2>"$work/err"
is "$? $(wc -l <"$work/err")" '3 1' 'a file without stacks is told in a line'
"$tuesday" flame "$work/none" >/dev/null 2>"$work/err"
is "$? $(wc -l <"$work/err")" '3 1' 'a file that is not there is, too'

printf 'm;lib;x;f 4\nm;lib;g 3\nm;x;lib;x;h 2\nq 1\n' >"$work/page"
# What perf script prints, of two threads of a program with a blank in its name.
cat >"$work/perf" <<-'END'
	my prog  100/101 [000]  10.000000:    1 cpu-clock:
	 	55d0 inner+0x4 (/usr/bin/prog)
	 	55e0 main+0x10 (/usr/bin/prog)

	my prog  100/102 [001]  11.500000:    1 cpu-clock:
	 	ffffffff81000000 do_read+0x4 ([kernel.kallsyms])
	 	7f00 [unknown] (/lib/libx.so.1)

	    odd 7 12.250000:    1 cpu-clock:
	 	7f10 LFoo;bar+0x4 (/tmp/perf-7.map)
	 	55f0 tiny (inlined)

END
is "$("$tuesday" flame --from perf -o folded "$work/perf")" 'my prog;main;inner 1
my prog;[unknown] libx.so.1;do_read_[k] 1
odd;tiny_[i];LFoo:bar_[j] 1' 'what perf script prints is read'
is "$("$tuesday" flame --from perf --by-thread --range 1s-2s -o folded "$work/perf")" \
	'my prog 102;[unknown] libx.so.1;do_read_[k] 1' 'by thread, of a part of its time'
"$tuesday" flame --range 1s-2s "$work/before" >/dev/null 2>"$work/err"
is "$? $(grep -c -- '--from perf' "$work/err")" '64 1' 'folded stacks have no times'

# driven PICTURE SCRIPT...: what the scripts write down in the picture's page.
driven() {
	{
		sed '$d' "$1"
		echo '<script><![CDATA['
		cat "${@:2}"
		echo ']]></script></svg>'
	} >"$work/driven.svg"
	timeout 60 chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
		--disable-background-networking --disable-component-update --disable-sync \
		--user-data-dir="$work/chrome" --dump-dom "file://$work/driven.svg" 2>/dev/null |
		sed -n '/id="result"/,$p' | sed "s|$work/||g; s/&lt;/</g; s/&gt;/>/g"
}
# What a picture says of its frames that are wide enough for a name, and of those that are not: as flame-filters.js.
# shellcheck disable=SC2016
drawn() {
	sed -n 's|^<g id="facts"><text[^>]*>\(.*\)</text>|\1|p
		s|^.*<g data-kind[^>]*transform="\([^"]*\)"><rect[^>]*/><text[^>]*>\(.*\)</text>|legend \1 \2|p
		/^<g id="frames"/,/^<\/g>$/s|^<g class="f[^>]*><title>\(.*: \)[0-9.]* %, \([^<]*\)</title><rect class="[^"]*" x="\([^"]*\)" y="\([^"]*\)" width="\([^"]*\)".*|\3 \4.0 \5 \1\2|p' |
		sed 's/&lt;/</g; s/&gt;/>/g'
}

# A picture has its stacks, with what they are: of a look that cannot be had again nothing else is left.
sed 's/^/x;/' "$work/stacks" | "$tuesday" flame - --unit ns --title 'a <title>' --min-width 2 --svg "$work/first.svg" >/dev/null
"$tuesday" flame --from svg "$work/first.svg" --svg "$work/second.svg" >/dev/null
t 'a picture of a picture is the same' cmp -s "$work/first.svg" "$work/second.svg"
is "$("$tuesday" flame --from svg "$work/first.svg" -o folded | sort | cksum)" \
	"$(sed 's/^/x;/' "$work/stacks" | "$tuesday" flame - -o folded | sort | cksum)" 'and has all stacks'
"$tuesday" flame "$work/after" --diff "$work/before" --svg "$work/diff.svg" >/dev/null
for wrong in diff.svg stacks; do
	"$tuesday" flame --from svg "$work/$wrong" >/dev/null 2>"$work/err"
	is "$? $(wc -l <"$work/err")" '3 1' "a picture is not read from $wrong, and that is told"
done
sed 's/"depth":\[0,1/"depth":[0,7/' "$work/first.svg" >"$work/bent.svg"
"$tuesday" flame --from svg "$work/bent.svg" >/dev/null 2>"$work/err"
is "$? $(wc -l <"$work/err")" '3 1' 'nor from one whose frames stand on nothing'

if command -v chromium >/dev/null; then
	"$tuesday" flame "$work/page" --svg "$work/page.svg" >/dev/null
	driven "$work/page.svg" tests/flame-page.js >"$work/dom"
	says() {
		if grep -qF -- "$1" "$work/dom"; then
			pass "$2"
		else
			fail "$2"
			why <"$work/dom"
		fi
	}
	says 'begin | total 10 |  | tuesday flame page' 'the page begins with all'
	says 'search | total 10 | "x" is in 60.00 %, 6 samples of all. | tuesday flame --search x page' 'a search counts each stack once'
	for key in only without focus hide; do
		says "$key | total 10 |  | tuesday flame --$key x page" "$key keeps the total, and has its command line"
	done
	says 'callers | total 10 |  | tuesday flame --focus-callers x page' 'so do the callers'
	says 'reverse | total 10 |  | tuesday flame --reverse page' 'and the reverse'
	says 'collapse | total 10 |  | tuesday flame --collapse-chains page' 'and collapsed chains'
	says "tuesday flame --hide 'it'\\''s <b>' page" 'a pattern is quoted for a shell'
	says 'zoom | total 10 | Zoomed: m: 90.00 %, 9 samples. "x" is in 60.00 %, 6 samples of all. In view: 66.67 %.' 'a click zooms, and the search knows'
	says 'escape | total 10 |  | tuesday flame page' 'Escape zooms out'
	says 'focus on m: 90.00 %, 9 samples' 'an arrow goes to the widest frame above'

	# What the page shows as the command that makes the picture does make it.
	"$tuesday" flame "$work/page" --svg "$work/own file.svg" --hertz 49 --only x --min-width 1 --redact >/dev/null
	"$tuesday" flame --from perf --by-thread --range 0.5s-9s --unit us --title 'a b' "$work/perf" --svg "$work/page.svg" >/dev/null
	for of in page.svg 'own file.svg'; do
		driven "$work/$of" tests/flame-filters.js >"$work/dom"
		shown=$(sed -n 's/^command | //p' "$work/dom" | sed "s|page\\b|$work/&|; s|perf --svg|$work/&|; s|driven.svg|$work/&|; s|new.svg|$work/&|")
		(PATH=$BIN:$PATH && eval "$shown") >/dev/null
		drawn <"$work/$of" >"$work/wanted"
		drawn <"$work/new.svg" >"$work/got"
		t "the command that the page shows makes $of: ${shown//$work\//}" cmp "$work/wanted" "$work/got"
	done

	# The same frames at the same places as in the command line's picture, and the same said of what is too narrow.
	for least in 0.1 20; do
		"$tuesday" flame "$work/stacks" --svg "$work/wide.svg" --min-width "$least" >/dev/null
		printf "'%s',\n" "${filters[@]}" | sed '1s/^/window.flameFilters = [/; $s/,$/];/' >"$work/filters.js"
		driven "$work/wide.svg" "$work/filters.js" tests/flame-filters.js >"$work/dom"
		for filter in "${filters[@]}"; do
			# shellcheck disable=SC2086
			(set -f && "$tuesday" flame "$work/stacks" $filter --svg - --min-width "$least" 2>/dev/null) | drawn | sort >"$work/wanted"
			awk -v filter="filter $filter | " 'index($0, "filter ") == 1 || /^<\/desc>/ { inside = index($0, filter) == 1; sub(/.* \| /, "") }
				inside' "$work/dom" | sort >"$work/got"
			if [ "$(wc -l <"$work/wanted")" -gt 2 ] && cmp -s "$work/wanted" "$work/got"; then
				pass "from $least pixels on the page draws the same frames for $filter"
			else
				fail "from $least pixels on the page draws the same frames for $filter"
				diff "$work/wanted" "$work/got" | head -n 10 | why
			fi
		done
	done
else
	skip 'the page does what it says' 'chromium is not installed'
fi
plan
