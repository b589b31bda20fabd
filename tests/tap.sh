# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# TAP for shell tests, to be sourced: pass, fail, skip, is and plan; BIN and BUILD as absolute paths.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
BIN=${BIN:-$root/bin}
BUILD=${BUILD:-$root/build}
tap_n=0
tap_failed=0

pass() {
	tap_n=$((tap_n + 1))
	echo "ok $tap_n - $1"
}

fail() {
	tap_n=$((tap_n + 1))
	tap_failed=$((tap_failed + 1))
	echo "not ok $tap_n - $1"
}

# skip SENTENCE WHY
skip() {
	tap_n=$((tap_n + 1))
	echo "ok $tap_n - $1 # SKIP $2"
}

# is GOT WANTED SENTENCE
is() {
	if [ "$1" = "$2" ]; then
		pass "$3"
	else
		fail "$3"
		echo "# got '$1', wanted '$2'"
	fi
}

plan() {
	echo "1..$tap_n"
	[ "$tap_failed" = 0 ]
}

# works SENTENCE COMMAND...: whether a command succeeds.
works() {
	local sentence=$1

	shift
	if "$@" >/dev/null 2>&1; then
		pass "$sentence"
	else
		fail "$sentence"
	fi
}

# call COMMAND...: its exit status is in $status, what it printed in out and err.
call() {
	timeout 20 "$@" >out 2>err </dev/null
	status=$?
}

# t SENTENCE CONDITION...: one test; on failure the last call's output is shown.
t() {
	local sentence=$1

	shift
	if "$@"; then
		pass "$sentence"
	else
		fail "$sentence"
		echo "# exit status $status; standard output and error:"
		head -n 8 out | cat -v | cut -c1-200 | sed 's/^/#   /'
		head -n 8 err | cat -v | cut -c1-200 | sed 's/^/#   /'
	fi
}
