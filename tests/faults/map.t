#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does tuesday map, looking at this machine, see when a busy program was stopped, and no gap in one that was not?
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
needs jq
loud
begin
cd "$scratch" || bail "no scratch"
cat >spin.sh <<'SPIN'
echo ready
while :; do :; done
SPIN
cp "$(command -v bash)" tue-nap
cp "$(command -v bash)" tue-awake
start nap ./tue-nap spin.sh
start awake ./tue-awake spin.sh
undo_process "${started[nap]}" KILL

# gap NAME: the longest gap of it, in ms; 0 for none that is not chance.
gap() {
	"$BIN/tuesday" map cells --isolate "$1" -o json 2>err |
		jq '[.gaps[] | .to_seconds - .from_seconds] | max // 0 | . * 1000 | floor'
}

# Others may keep the one that is awake from both CPUs for a while: then it is asked again.
for _ in 1 2 3; do
	"$BIN/tuesday" map --for 4s --cells cells >out 2>err 8>&- &
	tracer=$!
	sleep 1.5
	kill -STOP "${started[nap]}"
	sleep 1
	kill -CONT "${started[nap]}"
	wait "$tracer"
	status=$?
	nap=$(gap tue-nap) awake=$(gap tue-awake)
	[ "$nap" -ge 800 ] && [ "$nap" -le 1600 ] && [ "$awake" -lt 500 ] && break
	echo "# $nap ms and $awake ms: asked again"
done
t "it ends well" [ "$status" = 0 ]
t "a program that was stopped for a second has a gap of it: $nap ms" [ "$nap" -ge 800 ]
t "and no longer one" [ "$nap" -le 1600 ]
t "one that was not has none: $awake ms" [ "$awake" -lt 500 ]
"$BIN/tuesday" map cells --isolate tue-nap >out 2>err
t "the gap is the first line" grep -q '^tue-nap was off the CPUs for ' out
plan
