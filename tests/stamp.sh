# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154
# What does not have to be tested again with the very same inputs: to be sourced after tests/tap.sh. A stamp
# is what the inputs were when all of it passed, in build/; with TUESDAY_TEST_LONG nothing is left out.

# stamped NAME FILE...: whether these files are what they were when NAME was stamped.
stamped() {
	stamp_of=$(sha256sum "${@:2}" | sha256sum)
	[ -z "${TUESDAY_TEST_LONG:-}" ] && [ "$(cat "$BUILD/stamps/$1" 2>/dev/null)" = "$stamp_of" ]
}

# stamp NAME: all that was asked for after stamped has passed, if nothing has failed.
stamp() {
	[ "$tap_failed" = 0 ] || return 0
	mkdir -p "$BUILD/stamps"
	echo "$stamp_of" >"$BUILD/stamps/$1"
}
