#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does Tuesday see that a server starves those who wait for the sake of the connections that it has,
# and does it keep calm where they wait for other reasons: fair overload, a slow handler, nobody who
# accepts, no HTTP, nothing to do?
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
needs jq hey
begin

# load PORT CONNECTIONS PATH [OPTION...]: until it is stopped. The server is ready, so the load is.
load() {
	echo ready
	exec hey -z 50s -t 60 -c "$2" "${@:4}" "http://${host:-127.0.0.1}:$1/$3" 8>&-
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
		'any(.metrics[]; .name == "run_count" and .value >= 10 and .value <= 15)'
}

# examine_port PORT [OPTION...]: by the tool, since another server of this machine may be ill indeed:
# three looks, not in step with anything, and a trace of two seconds. The first one with RECORD_TO, and the first one in fair order, are kept for tests/replay.
examine_port() {
	local port=$1 recording=

	shift
	[ -z "$RECORD_TO" ] || recording=$RECORD_TO/keepalive${fair:+-fair}
	[ -z "$recording" ] || [ -e "$recording" ] || set -- "$@" --record "$recording"
	"$BIN/keepalivehealth" --port "$port" --quick --windows 3 --window 0.3 "$@" -o json >"$scratch/run.json" \
		2>"$scratch/run.err" 8>&-
	jq -e '.schema == "tuesday/1"' "$scratch/run.json" >/dev/null 2>&1 ||
		bail "keepalivehealth gave no result: $(head -c 300 "$scratch/run.err")"
}

# Ten requests in a row from one connection, twice as many connections as threads.
start server "$helpers/serve" 4341 5 10 40 50
start load load 4341 10 ""
sleep 1
examine_port 4341
check_that "keepalive is bad when connections are preferred" keepalive \
	'.verdict == "bad" and .tier == "trace"'
names_server serve 4341
ten_in_a_row "keepalive tells how many requests are served in a row"
check_that "half of the victims waited about ten requests' time" keepalive \
	'any(.metrics[]; .name == "overtaken_p50_seconds" and .value > 0.2 and .value < 2)'
examine_port 4341 --no-trace
check_that "without a trace keepalive is no more than maybe" keepalive '.verdict == "maybe"'
stop load
stop server

# A connection that is served for ever, and others that were there before we looked; by IPv6.
start server "$helpers/serve" 4340 5 1000000 40 50
host="[::1]"
start load load 4340 10 ""
host=
sleep 1
examine_port 4340
check_that "keepalive is bad when the others are never read" keepalive '.verdict == "bad"'
stop load
stop server

# The same load on the same number of threads, in order.
fair=yes
start server "$helpers/serve" 4342 5 0 40 50
start load load 4342 10 ""
sleep 1
examine_port 4342 --deep
check_that "fair overload is good" keepalive '.verdict == "good" and .tier == "trace"'
stop load

# A slow handler, and threads to spare.
start load load 4342 3 slow
sleep 1
examine_port 4342 --deep
check_that "a slow handler with idle threads is good" keepalive '.verdict == "good"'
stop load
stop server

# No HTTP: another protocol of questions and answers.
start server "$helpers/serve" 4343 5 0 20 50 echo
start talk bash -c 'echo ready; for _ in {1..8}; do
	(exec 3<>/dev/tcp/127.0.0.1/4343; while echo tick >&3 && read -r -n 4 -u 3; do :; done) &
	done; wait' 8>&-
sleep 1
examine_port 4343 --deep
check_that "questions and answers that are no HTTP are not bad" keepalive '.verdict == "good"'
stop talk
stop server

# Puma itself, of the version that Debian has. 7.0 and later are fair.
rackup() {
	cat >"$scratch/puma.rb" <<-'END'
		threads 5, 5
		workers 0
		bind "tcp://127.0.0.1:4345"
		environment "production"
		app { |_| sleep 0.04; [200, {"Content-Length" => "3"}, ["ok\n"]] }
	END
	mkfifo "$scratch/puma.said"
	sed -u 's/^Use Ctrl-C.*/ready/' "$scratch/puma.said" 8>&- &
	# This process itself becomes Puma, so that what is stopped is Puma.
	exec setpriv --pdeathsig KILL puma -C "$scratch/puma.rb" >"$scratch/puma.said" 8>&-
}
puma_version=$(puma --version 2>/dev/null | grep -o '[0-9][0-9.]*' | head -n 1)
case $puma_version in
"")
	skip "keepalive is bad for Puma" "needs the program puma"
	;;
[1-6].*)
	start puma rackup
	# What it loads with its first requests may have to come from a slow disk.
	timeout 30 hey -n 40 -c 10 -t 30 http://127.0.0.1:4345/ >/dev/null 8>&-
	start load load 4345 10 ""
	sleep 1
	examine_port 4345 --deep
	check_that "keepalive is bad for Puma $puma_version" keepalive '.verdict == "bad"'
	names_server puma 4345
	ten_in_a_row "Puma serves ten requests in a row"
	stop load
	start load load 4345 10 "" -disable-keepalive
	sleep 1
	examine_port 4345 --deep
	check_that "keepalive is good for Puma without kept connections" keepalive '.verdict == "good"'
	stop load
	stop puma
	;;
*)
	skip "keepalive is bad for Puma" "Puma $puma_version is fair"
	;;
esac

# Nobody accepts: that is what listen is for.
start deaf "$helpers/deaf" 4344 64 20 1000 40
examine_port 4344 --deep
check_that "an accept queue that nobody drains is not bad" keepalive '.verdict == "good"'
stop deaf

# And without any load.
start server "$helpers/serve" 4341 5 10 40 50
examine_port 4341
check_that "keepalive is good again after the fault" keepalive '.verdict == "good" and .exonerated'
stop server

# An ordinary user sees that requests wait, and is told what would say more.
start server "$helpers/serve" 4341 5 10 40 50
start load load 4341 10 ""
sleep 1
TUESDAY_WITHOUT=bpf examine_port 4341
check_that "without BPF keepalive is no more than maybe" keepalive '.verdict == "maybe"'
check_that "keepalive says how to grant it" keepalive '.missing | contains("CAP_BPF")'
stop load
stop server

plan
