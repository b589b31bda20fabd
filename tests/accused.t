#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Has every metric that can accuse been seen to do it? By a machine of tests/replay, whose NAME.expected has a
# line for each metric that accuses, or by a fault: a test of tests/faults that asks for it by its name.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"
cd "$root" || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
shopt -s nullglob
checks=(checks.d/*.ini checks.d/*/*.ini)

# metrics KEY VALUE: "CHECK.METRIC" of those that have this key, with this value, as regular expressions. What a
# check says of all its metrics counts for those that do not say it themselves.
metrics() {
	awk -v key="^($1)\$" -v value="^($2)\$" '
		function tell()
		{
			if (name != "" && (name in says ? says[name] : all))
				print check "." name
			name = ""
		}
		FNR == 1 {
			tell()
			check = FILENAME
			gsub(/^.*\/|\.ini$/, "", check)
			all = 0
			delete says
		}
		/^\[/ {
			tell()
			section = $0
			if (section ~ /^\[metric /)
				name = substr(section, 9, length(section) - 9)
		}
		/^[a-z]/ && section ~ /^\[(check|metric .*)\]$/ {
			at = index($0, "=")
			left = substr($0, 1, at - 1)
			right = substr($0, at + 1)
			gsub(/^ +| +$/, "", left)
			gsub(/^ +| +$/, "", right)
			if (left !~ key)
				next
			if (name == "")
				all = right ~ value
			else if (!says[name])
				says[name] = right ~ value
		}
		END { tell() }' "${checks[@]}" | sort -u
}

metrics '(maybe|bad)([.][a-z]+)?' '.+' >"$work/able"
awk '$1 ~ /[.]/ && $2 ~ /^(maybe|bad)$/ { print $1 }' tests/replay/*.expected | sort -u >"$work/replayed"
# A statement of a fault test: "accuses CHECK METRIC...", or one of a check that demands the metric's verdict.
sed -e ':more' -e '/\\$/{N;s/\\\n//;b more' -e '}' tests/faults/*.t |
	grep -E '^[[:blank:]]*accuses |\.verdict == \\?"(maybe|bad)' >"$work/statements"

while IFS=. read -r check metric; do
	grep -wF "$metric" "$work/statements" | grep -qwF -- "$check" || echo "$check.$metric"
done < <(comm -23 "$work/able" "$work/replayed") >"$work/never"
is "$(wc -l <"$work/able" | awk '{ print ($1 > 400) }')" 1 "the check files have metrics that can accuse"
is "$(cat "$work/never")" "" "every metric that can accuse is accused by a machine of tests/replay or by a fault"
is "$(metrics seen never | comm -12 - "$work/replayed")" "" "none of those that a machine accuses is said to be seen never"
is "$(cd tests/replay && printf '%s\n' *.tree *.tar.gz | sed 's/\.tree$\|\.tar\.gz$//' | sort | uniq -d)" "" \
	"no machine by hand has the name of a recording"
plan
