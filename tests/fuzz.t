#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Every parser of what others wrote: what was found once is found no more, and a second finds nothing
# new. make check-long has ten minutes for each, and keeps what it finds: tests/fuzz/run.
cd "$(dirname "$0")/.." || exit 1
build=${BUILD:-build}
set --
for target in tests/fuzz/*.c; do
	set -- "$@" "$(basename "$target" .c)"
done
exec tests/fuzz/run "${FUZZ_SECONDS:-1}" "$build/asan/fuzzers" "$@"
