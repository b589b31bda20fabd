#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does tests/tails.awk, by which tests/matrix says what hey shows, know chance?
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
begin

# latencies NAME LONG N SECONDS: N of 0.1 s, LONG of which took so many seconds, sorted.
latencies() {
	awk -v long="$2" -v n="$3" -v seconds="$4" \
		'BEGIN { for (i = 0; i < n; i++) print i < n - long ? 0.1 : seconds }' >"$scratch/$1"
}

# shows LOOKS
shows() {
	awk -v looks="$1" -f "$root/tests/tails.awk" "$scratch/kept" "$scratch/closed"
}

# hidden SENTENCE LOOKS
hidden() {
	if shows "$2"; then
		fail "$1"
	else
		pass "$1"
	fi
}

latencies kept 80 800 0.5
latencies closed 0 800 0.1
works "a tenth that takes five times as long is shown by many requests" shows 8
latencies closed 80 800 0.5
hidden "not where it is the same on the other side" 8
latencies kept 40 800 0.5
latencies closed 0 800 0.1
works "4 to 5 % are shown by the 99th percentile" shows 8
latencies kept 80 800 0.119
hidden "less than a fifth is nothing" 8

# 0.95 ^ 140 and 0.99 ^ 712 are the first below 0.025 / 32.
latencies kept 140 140 0.5
latencies closed 0 139 0.1
hidden "of 139 the 95th percentile has no upper bound in eight looks" 8
works "it has one in a single look" shows 1
latencies closed 0 140 0.1
works "of 140 it has one in eight" shows 8
latencies kept 32 800 0.5
latencies closed 0 711 0.1
hidden "of 711 the 99th percentile has none" 8
latencies closed 0 712 0.1
works "of 712 it has one" shows 8

# Where 5 % are long, 33 and more of 400 are in 0.38 % of samples.
latencies closed 0 400 0.1
latencies kept 33 400 0.5
hidden "what chance brings once in 265 times is not shown in eight looks" 8
works "though in a single one" shows 1
: >"$scratch/kept"
hidden "no answer shows nothing" 8
plan
