#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Are the documents in the program, each as it stands in docs/?
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"
cd "$root" || exit 1

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
	"tuesday help: there is no page, command or check 'verdict'; did you mean 'verdicts'?
64" "a topic that is misspelled gets a suggestion"
is "$("$BIN/tuesday" help disk)" "$("$BIN/tuesday" explain disk)" "help of a check is what explain prints"
is "$("$BIN/tuesday" help limits | head -n 1)" "$(head -n 1 docs/limits.md)" "a reader that has seen enough ends it"
is "$("$BIN/tuesday" version) $("$BIN/tuesday" -V)" "$("$BIN/tuesday" --version) $("$BIN/tuesday" --version)" \
	"the version is printed by any of its names"
for of in "" $("$BIN/tuesday" --help | sed -n 's/^  \([a-z][a-z]*\) .*/\1/p') diskhealth; do
	# shellcheck disable=SC2086
	is "$("$BIN/tuesday" $of --help | LC_ALL=C.UTF-8 grep -E '^.{81}')" "" "the help of '$of' fits 80 columns"
done
if command -v script >/dev/null; then
	is "$(PAGER='head -n 1' timeout 20 script -qec "$BIN/tuesday help types" /dev/null </dev/null | tr -d '\r')" \
		"$(head -n 1 docs/types.md)" "a terminal gets the pager of its user"
	is "$(PAGER='head -n 1' timeout 20 script -qec "$BIN/tuesday help types" /dev/null </dev/null >/dev/null; echo $?)" 0 \
		"a pager that is left early is no failure"
	is "$(PAGER='sed s/^/p:/' timeout 20 script -qec "$BIN/tuesday explain disk" /dev/null </dev/null | head -n 1 | cut -c 1-2)" \
		"p:" "what explain prints goes there, too"
	is "$(PAGER='cat' timeout 20 script -qec "stty cols 70; $BIN/tuesday list" /dev/null </dev/null | awk 'length > 71' | head -n 3)" "" \
		"and the list of checks is wrapped at the terminal's width"
else
	skip "a terminal gets the pager of its user" "needs the program script"
fi
plan
