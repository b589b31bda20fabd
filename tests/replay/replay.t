#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Recorded machines and the verdicts that they must get: NAME.tar.gz is a recording, NAME.expected has
# a line for each check: its name, its verdict, and the first culprit's name where there is one. A new
# machine is those two files. Run as root and without: a replay needs nothing from this machine.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
cd "$root/tests/replay" || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"

for archive in *.tar.gz; do
	name=${archive%.tar.gz}
	mkdir -p "$work/$name"
	tar -xzf "$archive" -C "$work/$name" --no-same-owner
	for program in "$BIN/tuesday" "$BUILD/asan/bin/tuesday"; do
		if [ ! -x "$program" ]; then
			skip "$name replays with $program" "not built"
			continue
		fi
		"$program" run --replay "$work/$name" -o json 2>"$work/err" | ./verdicts >"$work/got"
		if diff -u "$name.expected" "$work/got" >"$work/diff" && [ ! -s "$work/err" ]; then
			pass "$name replays to its verdicts with ${program#"$root"/}"
		else
			fail "$name replays to its verdicts with ${program#"$root"/}"
			sed 's/^/# /' "$work/diff" "$work/err"
		fi
	done
done
plan
