#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does tests/matrix fail where a server that was wanted is not installed?
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
needs jq hey
begin
cd "$scratch" || exit 1

# Everything that is installed, and no unicorn.
mkdir "$scratch/path"
IFS=: read -ra directories <<<"$PATH"
for directory in "${directories[@]}"; do
	find "$directory" -maxdepth 1 ! -type d ! -name unicorn -exec ln -sf -t "$scratch/path" {} + 2>/dev/null
done

PATH=$scratch/path call "$root/tests/matrix" --quick --server unicorn --results "$scratch/results"
t "a server that is not installed fails the matrix" test "$status" = 1
t "which says what is lacking, and how to get it" test \
	"$(grep -c -e '^unicorn, plain: needs unicorn' -e 'make test-deps' err)" = 2
t "and the page says so too" grep -q '^Skipped: unicorn, plain (needs unicorn' out
plan
