#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does keepalivehealth see on a Unix socket, as a server behind a proxy has it, what it sees on a port?
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
needs jq curl unshare ip
own_network
begin
socket=$scratch/socket
cd "$scratch" || bail "cannot use $scratch"

# load: ten kept connections of one process, until it is killed.
load() {
	echo ready
	exec curl -s -Z --parallel-immediate --parallel-max 10 -o /dev/null --unix-socket "$socket" \
		'http://localhost/[1-100000]' 8>&-
}

examine_socket() {
	"$BIN/keepalivehealth" --unix "$socket" --quick --windows 3 --window 0.3 -o json \
		>"$scratch/run.json" 2>"$scratch/run.err" 8>&-
	jq -e '.schema == "tuesday/1"' "$scratch/run.json" >/dev/null 2>&1 ||
		bail "keepalivehealth gave no result: $(head -c 300 "$scratch/run.err")"
}

is_loaded() {
	[ "$(grep -c " 0[23] *[0-9]* $socket\$" /proc/net/unix)" -ge 10 ]
}

# A load's children end with their server.
serve() {
	rm -f "$socket"
	start server "$helpers/hoard" "$1" "$socket" 5 40 10 600
	start load load
	until_true 20 is_loaded || bail "no load"
}

end_serving() {
	stop server
	stop load
}

# By the trace, of enough requests that waited to be read: idle is good too, and would prove nothing.
acquitted='.verdict == "good" and .tier == "trace" and
	any(.metrics[]; .name == "starved_ratio" and .value < 0.01 and .verdict == "good" and (.idle | not)) and
	any(.metrics[]; .name == "read_p99_seconds" and .value > 0.02)'

serve inline
examine_socket
check_that "keepalive is bad when connections to a Unix socket are preferred" keepalive \
	'.verdict == "bad" and .tier == "trace"'
check_that "it names the socket" keepalive \
	"any(.metrics[]; .verdict == \"bad\" and .instance == \"unix:$socket\")"
names keepalive process hoard
check_that "and how many requests are served in a row" keepalive \
	'any(.metrics[]; .name == "run_count" and .value >= 9 and .value <= 15)'
TUESDAY_WITHOUT=bpf examine_socket
check_that "without the right to trace it is no more than maybe" keepalive '.verdict == "maybe"'
check_that "and how to grant that is told" keepalive '.missing | contains("CAP_BPF")'
end_serving

serve fair
examine_socket
check_that "the same load in fair order is good" keepalive "$acquitted"
end_serving

serve close
examine_socket
check_that "so are connections that are closed after each answer" keepalive "$acquitted"
end_serving

call "$BIN/keepalivehealth" --unix "$scratch/nobody"
is "$status" 64 "a socket that nobody listens on is told from a quiet server"

plan
