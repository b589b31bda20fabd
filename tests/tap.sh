# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# TAP for shell tests, to be sourced: pass, fail, skip, is and plan; BIN and BUILD as absolute paths.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
BIN=${BIN:-$root/bin}
BUILD=${BUILD:-$root/build}
# What a report says to paste is found, and so is as short as for who has installed it.
export PATH=$BIN:$PATH
# What this machine remembers of earlier runs is no part of a test.
# By which who called sudo to run the tests is known: nothing of TUESDAY_ would be listened to.
unset SUDO_UID
export TUESDAY_STATE_DIR=${TUESDAY_STATE_DIR:-/nonexistent}
# Nor is what somebody has set up here: the test begins anew in a mount namespace where these are empty.
for directory in /etc/tuesday /usr/lib/tuesday; do
	if [ -d "$directory" ] && [ "$(id -u)" = 0 ] && [ "${OWN_SETTINGS:-}" != "$0" ]; then
		# shellcheck disable=SC2016
		OWN_SETTINGS=$0 exec unshare -m sh -c 'for directory in /etc/tuesday /usr/lib/tuesday; do
			[ ! -d "$directory" ] || mount -t tmpfs -o mode=755 none "$directory" || exit
		done
		exec "$@"' sh "$0" "$@"
	fi
done
tap_n=0
tap_failed=0

pass() {
	tap_n=$((tap_n + 1))
	echo "ok $tap_n - $1"
}

# What says why a test failed goes where prove shows it at once and unasked: CI has no second look.
why() {
	sed "s|^|# ${0##*/}: |" >&2
}

fail() {
	tap_n=$((tap_n + 1))
	tap_failed=$((tap_failed + 1))
	echo "not ok $tap_n - $1"
	echo "not ok $tap_n - $1" | why
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
		echo "got '$1', wanted '$2'" | why
	fi
}

plan() {
	echo "1..$tap_n"
	[ "$tap_failed" = 0 ]
}

# jq 1.6 is content with -e and nothing to read, so that a program that printed nothing would pass.
if command -v jq >/dev/null; then
	jq() {
		local told

		if [[ " $* " != *" -e"* ]]; then
			command jq "$@"
			return
		fi
		told=$(command jq "$@"; echo "$?")
		[[ $told != 0 ]] || return 4
		printf '%s' "${told%"${told##*$'\n'}"}"
		return "${told##*$'\n'}"
	}
fi

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

# call COMMAND...: its exit status is in $status, what it printed in out and err. It has $patience
# seconds.
patience=20
call() {
	timeout "$patience" "$@" >out 2>err </dev/null
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
		{
			echo "exit status $status; standard output and error:"
			head -q -n 8 out err | cat -v | cut -c1-200 | sed 's/^/  /'
		} | why
	fi
}
