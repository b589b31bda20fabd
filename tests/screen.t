#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Is the answer on the first screen? Each recorded machine at 80 by 24: the worst finding's own sentence stands in it,
# nothing is wider or longer, no command has a hole, and a machine that is well says that nothing was found.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"
if ! command -v jq >/dev/null; then
	echo "1..0 # SKIP needs the program jq"
	exit 0
fi
work=$(mktemp -d /var/tmp/tuesday-test.XXXXXX)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C.UTF-8 BIN work
"$root/tests/replay/unpack" "$work/machines"
mkdir "$work/screens"

# look NAME: what its screen says, and what it should.
look() {
	local machine=$work/machines/$1 at=$work/screens/$1

	COLUMNS=80 "$BIN/tuesday" run --replay "$machine" --no-history >"$at.text" 2>/dev/null
	"$BIN/tuesday" run --replay "$machine" --no-history -o json >"$at.json" 2>/dev/null
	jq -r 'def weight: {"error": 0, "harm": 1, "limit": 2, "cause": 3}[.class];
		def accuses: .verdict == "bad" or .verdict == "maybe";
		([.checks[] | select(accuses) | .verdict] | if any(. == "bad") then "bad" else "maybe" end) as $worst
		| [.checks[] | select(.verdict == $worst) | .metrics + (.since // []) | [.[] | select(accuses)]
			| map(select((.idle // false) | not)) | select(length > 0)
			| sort_by([.verdict != "bad", weight]) | .[0] | {w: [.verdict != "bad", weight], say}]
		| (map(.w) | min) as $first | .[] | select(.w == $first) | .say // empty' "$at.json" >"$at.says"
}
export -f look
find "$work/machines" -mindepth 1 -maxdepth 1 -type d -printf '%f\n' | sort >"$work/names"
# shellcheck disable=SC2016
xargs -P "$(nproc)" -n 8 bash -c 'for name; do look "$name"; done' look <"$work/names"

# folded FILE: without the ends of lines and the labels, as a sentence reads on.
folded() {
	tr -s ' \n' ' ' <"$1" | sed 's/\xc2\xa0/ /g'
}
while read -r name; do
	at=$work/screens/$name
	lines=$(wc -l <"$at.text")
	[ "$lines" -le 24 ] || echo "$name has $lines lines" >>"$work/long"
	# Commands are never wrapped.
	grep -vE '^ {7}next|^ {16}[a-z./]+ |^(Try|     ) ' "$at.text" | awk -v name="$name" 'length($0) > 80 { print name ": " $0 }' >>"$work/wide"
	grep -E '^ {7}next' "$at.text" | grep -E '\{[a-z]+\}|\b(CGROUP|INTERFACE|PID|DEVICE|NAME)\b' | sed "s/^/$name: /" >>"$work/holes"
	if ! [ -s "$at.says" ]; then
		if jq -e '[.checks[] | select(.verdict == "bad" or .verdict == "maybe")] | length == 0' "$at.json" >/dev/null; then
			grep -qE '^Nothing (was )?found' "$at.text" || echo "$name" >>"$work/unsaid"
			echo "$name" >>"$work/well"
		fi
		continue
	fi
	# The terminal escapes what names hold, so the first words are compared; one of equals is enough.
	found=
	folded "$at.text" >"$at.folded"
	while IFS= read -r say; do
		head=$(tr -s ' ' <<<"$say" | cut -c 1-40 | sed 's/ [^ ]*$//')
		if grep -qF -- "$head" "$at.folded"; then
			found=yes
		fi
	done <"$at.says"
	[ -n "$found" ] || echo "$name: $(head -n 1 "$at.says")" >>"$work/missing"
	echo "$name" >>"$work/ill"
done <"$work/names"
touch "$work"/{long,wide,holes,unsaid,missing,well,ill}

t "there are machines that are ill: $(wc -l <"$work/ill")" test "$(wc -l <"$work/ill")" -gt 100
t "and some that are well: $(wc -l <"$work/well")" test "$(wc -l <"$work/well")" -gt 20
is "$(wc -l <"$work/long")" 0 "no screen has more than 24 lines"
why <"$work/long"
is "$(wc -l <"$work/wide")" 0 "no line but a command is wider than 80 columns"
why <"$work/wide"
is "$(wc -l <"$work/missing")" 0 "the worst finding's sentence is on the screen"
why <"$work/missing"
is "$(wc -l <"$work/holes")" 0 "no command has a hole to be filled"
why <"$work/holes"
is "$(wc -l <"$work/unsaid")" 0 "where nothing was found the screen says so"
why <"$work/unsaid"
is "$(cat "$work"/screens/*.text | grep -c 'Not yet seen live')" 0 "nothing is said of how a check was tested"
is "$(cat "$work"/screens/*.text | grep -cE '[0-9]/s (times |[a-z]+ )?(a|per) second')" 0 "what is a second is said once"
plan
