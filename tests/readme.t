#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does the README still show what the programs print?
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"
cd "$root" || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Blocks of the README are indented by four.
shows() {
	sed 's/^/    /; s/ *$//' "$1" >"$work/indented"
	lines=$(grep -c '' "$work/indented")
	awk -v n="$lines" 'NR == FNR { want[NR] = $0; next }
		{ have[FNR] = $0; last = FNR }
		END {
			for (i = 1; i + n - 1 <= last; i++) {
				for (k = 1; k <= n && have[i + k - 1] == want[k]; k++)
					;
				if (k > n)
					exit 0
			}
			exit 1
		}' "$work/indented" README.md
}

"$BIN/tuesday" list >"$work/list"
if shows "$work/list"; then
	pass "the table of checks is what 'tuesday list' prints"
else
	fail "the table of checks is what 'tuesday list' prints"
	why <"$work/list"
fi

mkdir "$work/listen"
tar -xzf tests/replay/listen.tar.gz -C "$work/listen" --no-same-owner
# The first line has the time that it took, and the last one what it cost.
"$BIN/tuesday" run -q --replay "$work/listen" | sed '1,2d; /^Type:/,$d' >"$work/shown"
if shows "$work/shown"; then
	pass "the run that is shown is what the recording gives"
else
	fail "the run that is shown is what the recording gives"
	why <"$work/shown"
fi

mapfile -t words < <(sed -n 's/^    tuesday \[\{0,1\}\([a-z]*\)\]\{0,1\} .*/\1/p' README.md | sort -u)
works "the README has commands" [ "${#words[@]}" -gt 5 ]
for word in "${words[@]}"; do
	works "the command $word is there" "$BIN/tuesday" "$word" --help
done

works "the first command of the README is there" \
	grep -q 'make deps && make .*&& bin/tuesday' README.md
command=$(sed -n 's/^    \(apt-get update .*check\)$/\1/p' README.md)
is "$(grep -v -e '^#' -e '^set ' -e '^cd ' .ci/run)" "${command:-none}" "CI runs the README's test command, and nothing else"
plan
