#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does the README still show what the programs print?
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"
cd "$root" || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# What the program prints into the documents: docs/generate writes it.
mkdir "$work/docs"
docs/generate "$work/docs" 2>"$work/errors"
for file in checks.md tuesday-1.schema.json screen.svg page.svg; do
	# Of a page nothing but its random word differs from run to run.
	if cmp -s "$work/docs/$file" "docs/$file"; then
		pass "docs/$file is what docs/generate prints"
	else
		fail "docs/$file is what docs/generate prints"
		diff "$work/docs/$file" "docs/$file" | head -n 5 | why
	fi
done
if command -v xmllint >/dev/null; then
	works "the pictures are well-formed" xmllint --noout docs/screen.svg docs/page.svg
else
	skip "the pictures are well-formed" "needs the program xmllint"
fi
works "the README has at most 8 KB: $(wc -c <README.md)" [ "$(wc -c <README.md)" -le 8192 ]
is "$(grep -oE '\]\([a-zA-Z0-9/._-]+\)' README.md | tr -d ']()' | sort -u | while read -r file; do [ -e "$file" ] || echo "$file"; done)" \
	"" "every file that it leads to is there"

mapfile -t words < <(sed -n 's/^    tuesday \([a-z]*\) .*/\1/p' README.md | sort -u | grep .)
works "the README has commands" [ "${#words[@]}" -gt 5 ]
for word in "${words[@]}"; do
	works "the command $word is there" "$BIN/tuesday" "$word" --help
done

works "the first command of the README is there" \
	grep -q 'make deps && make .*&& bin/tuesday' README.md
command=$(sed -n 's/^    \(apt-get update .*check\)$/\1/p' README.md)
is "$(grep -v -e '^#' -e '^set ' -e '^cd ' .ci/run)" "${command:-none}" "CI runs the README's test command, and nothing else"
plan
