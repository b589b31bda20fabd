# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# How is napdiagnose asked about helpers of a test? To be sourced after lib.sh.

# naps SECONDS NAME...: what napdiagnose says of helpers, in $answer.
naps() {
	local seconds=$1 name pids=()

	shift
	for name in "$@"; do
		pids+=("${started[$name]}")
	done
	answer=$("$BIN/napdiagnose" "${pids[@]}" --for "${seconds}s" -o json)
}

# says SENTENCE FILTER: $of_NAME is the number of the helper.
says() {
	if holds "$2"; then
		pass "$1"
	else
		fail "$1"
		head -c 1500 <<<"$answer" | why
	fi
}

holds() {
	local name arguments=()

	for name in "${!started[@]}"; do
		arguments+=(--argjson "of_$name" "${started[$name]}")
	done
	jq -e "${arguments[@]}" "$1" <<<"$answer" >/dev/null
}

# thrice FILTER COMMAND...: asks again, twice at most, where it does not hold.
thrice() {
	local filter=$1 _

	shift
	for _ in 1 2 3; do
		"$@"
		holds "$filter" && break
	done
}
