# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034,SC2154
# What tests of the check keepalive have in common, to be sourced after lib.sh.

# load PORT CONNECTIONS PATH [OPTION...]: until it is stopped. The server is ready, so the load is.
within=()
load() {
	echo ready
	exec "${within[@]}" hey -z 600s -t 60 -c "$2" "${@:4}" "http://${host:-127.0.0.1}:$1/$3" 8>&-
}

# names_server NAME PORT: the verdict is about this one.
names_server() {
	names keepalive process "$1"
	check_that "keepalive names the port" keepalive \
		"any(.metrics[]; .verdict == \"bad\" and .instance == \":$2\")"
}

# Where nobody waits at the tenth, a server may go on for some more.
ten_in_a_row() {
	check_that "$1" keepalive \
		'any(.metrics[]; .name == "run_count" and .value >= 10 and .value <= 20)'
}

# examine_port PORT [OPTION...]: by the tool, since another server of this machine may be ill indeed:
# three looks, not in step with anything, and a trace of two seconds. With RECORD_TO the first one of each
# $machine is kept for tests/replay.
examine_port() {
	local port=$1 recording=

	shift
	[ -z "$RECORD_TO" ] || recording=$RECORD_TO/$machine
	[ -z "$recording" ] || [ -e "$recording" ] || set -- "$@" --record "$recording"
	"$BIN/keepalivehealth" --port "$port" --quick --windows 3 --window 0.3 "$@" -o json >"$scratch/run.json" \
		2>"$scratch/run.err" 8>&-
	jq -e '.schema == "tuesday/1"' "$scratch/run.json" >/dev/null 2>&1 ||
		bail "keepalivehealth gave no result: $(head -c 300 "$scratch/run.err")"
}
