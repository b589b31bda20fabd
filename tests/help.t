#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Are the documents in the program, each as it stands in docs/?
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"
cd "$root" || exit 1
work=$(mktemp) || exit 1
trap 'rm -f "$work"' EXIT

for page in docs/*.md; do
	topic=$(basename "$page" .md)
	if "$BIN/tuesday" help "$topic" | cmp -s - "$page"; then
		pass "$page is in the program"
	else
		fail "$page is in the program"
	fi
done
is "$("$BIN/tuesday" help | grep -c '^  ')" "$(find docs -name '*.md' | grep -c .)" "help lists every page"
is "$("$BIN/tuesday" help lint | head -n 1)" "$("$BIN/tuesday" lint --help | head -n 1)" \
	"help of a command is its --help"
is "$("$BIN/tuesday" help verdict 2>&1; echo $?)" \
	"tuesday help: there is no page or command 'verdict'; did you mean 'verdicts'?
64" "a topic that is misspelled gets a suggestion"
is "$("$BIN/tuesday" help limits | head -n 1)" "$(head -n 1 docs/limits.md)" "a reader that has seen enough ends it"
if command -v script >/dev/null; then
	is "$(PAGER='head -n 1' timeout 20 script -qec "$BIN/tuesday help types" /dev/null </dev/null | tr -d '\r')" \
		"$(head -n 1 docs/types.md)" "a terminal gets the pager of its user"
	is "$(PAGER='head -n 1' timeout 20 script -qec "$BIN/tuesday help types" /dev/null </dev/null >/dev/null; echo $?)" 0 \
		"a pager that is left early is no failure"
else
	skip "a terminal gets the pager of its user" "needs the program script"
fi
for name in "$BIN"/*health "$BIN"/*diagnose; do
	"$name" --help | sed "s/^/${name##*/}: /"
done >"$work"
for name in $("$BIN/tuesday" --help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
	"$BIN/tuesday" "$name" --help | sed "s/^/$name: /"
done >>"$work"
# An example is indented by two blanks, and is one line.
is "$(sed 's/…/./g' "$work" | awk '{ line = $0; sub(/^[^ ]*: /, "", line) }
	length(line) > 80 && line !~ /^(Usage|  [a-z])/')" "" "no help is wider than a terminal of 80 columns, but for examples"
plan
