#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Recorded machines and the verdicts that they must get. A new machine is two files: NAME.tar.gz, a
# recording, or NAME.tree, written by hand (see grow); and NAME.expected, with a line for each check:
# its name, its verdict, and the first culprit's name where there is one, and below it one for each
# metric that accuses. A line may end in "cleared" or "not-cleared": whether the check is in the
# ledger ("It is not"). Only the checks that are named there are run: a recording holds what the
# checks of its day read.
# Run as root and without: a replay needs nothing from this machine.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
cd "$root/tests/replay" || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
./unpack "$work/machines"

# replays NAME WITH: as it is expected to, by the reports in $work/WITH.
replays() {
	if diff -u "$1.expected" "$work/$2.verdicts/$1" >"$work/diff" 2>&1 && [ ! -s "$work/$2/$1.err" ]; then
		pass "$1 replays to its verdicts with $2"
	else
		fail "$1 replays to its verdicts with $2"
		cat "$work/diff" "$work/$2/$1.err" | why
	fi
}

names=()
for expected in *.expected; do
	name=${expected%.expected}
	if [ -e "$work/machines/$name" ] && [ ! -e "$work/machines/$name.err" ]; then
		names+=("$name")
	else
		fail "$name is a machine"
		echo "neither $name.tree nor $name.tar.gz can be had" | cat - "$work/machines/$name.err" 2>/dev/null | why
	fi
done

# with BUILD PROGRAM: the verdicts that this build gives.
with() {
	./judge "$2" "$work/machines" "$work/$1"
	mkdir "$work/$1.verdicts"
	(cd "$work/$1" && "$root/tests/replay/verdicts" "$work/$1.verdicts" "${names[@]}")
	for name in "${names[@]}"; do
		replays "$name" "$1"
	done
}

with bin "$BIN/tuesday"
if [ -x "$BUILD/asan/bin/tuesday" ]; then
	with asan "$BUILD/asan/bin/tuesday"
else
	skip "they replay to their verdicts with asan" "not built: make asan"
fi

# What is printed to be run next can be pasted: nothing is left in it to be filled in by hand.
(cd "$work/bin" && jq -r '.checks[] | .check as $check | (.next // [])[] | "\($check): \(.)"' "${names[@]}") |
	sort -u >"$work/steps"
sentence="all $(wc -l <"$work/steps") commands that the machines are told to run can be pasted"
if grep -E '[{][a-z_]+[}]|<[a-z_. ]+>|[ /=:@](CGROUP|DEVICE|DISK|FILE|HOST|INSTANCE|INTERFACE|MOUNT|NAME|PID|PORT|URL|WHO)([ /=:,]|$)' \
	"$work/steps" >"$work/open" || [ ! -s "$work/steps" ]; then
	fail "$sentence"
	why <"$work/open"
else
	pass "$sentence"
fi
plan
