#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Recorded machines and the verdicts that they must get. A new machine is two files: NAME.tar.gz, a
# recording, or NAME.tree, written by hand (see grow); and NAME.expected, with a line for each check:
# its name, its verdict, and the first culprit's name where there is one; for a tree each is followed
# by the metrics that accuse. Only the checks that are named there are run: a recording holds what the
# checks of its day read.
# Run as root and without: a replay needs nothing from this machine.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
cd "$root/tests/replay" || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"

# replays NAME OPTION CHECK...: as it is expected to, with every build there is.
replays() {
	local name=$1 option=$2 program

	shift 2
	for program in "$BIN/tuesday" "$BUILD/asan/bin/tuesday"; do
		if [ ! -x "$program" ]; then
			skip "$name replays with $program" "not built"
			continue
		fi
		"$program" run "$@" --replay "$work/$name" -o json 2>"$work/err" |
			./verdicts ${option:+"$option"} >"$work/got"
		if diff -u "$name.expected" "$work/got" >"$work/diff" && [ ! -s "$work/err" ]; then
			pass "$name replays to its verdicts with ${program#"$root"/}"
		else
			fail "$name replays to its verdicts with ${program#"$root"/}"
			cat "$work/diff" "$work/err" | why
		fi
	done
}

for archive in *.tar.gz; do
	name=${archive%.tar.gz}
	mkdir -p "$work/$name"
	tar -xzf "$archive" -C "$work/$name" --no-same-owner
	mapfile -t checks < <(cut -d' ' -f1 "$name.expected")
	replays "$name" "" "${checks[@]}"
done

for tree in *.tree; do
	name=${tree%.tree}
	if ! ./grow -v to="$work/$name" "$tree" 2>"$work/err"; then
		fail "$name is a tree"
		why <"$work/err"
		continue
	fi
	mapfile -t checks < <(awk '$1 !~ /[.]/ { print $1 }' "$name.expected")
	replays "$name" -m "${checks[@]}"
done
plan
