#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does Tuesday see that a server starves those who wait for the sake of the connections that it has,
# and does it keep calm where they wait for other reasons: fair overload, a slow handler, nobody who
# accepts, no HTTP, nothing to do?
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
needs jq hey unshare ip
own_network
begin

# shellcheck source=tests/keepalive.sh
. "$root/tests/keepalive.sh"

# Ten requests in a row from one connection, twice as many connections as threads.
machine=keepalive
start server "$helpers/serve" 4341 5 10 40 600
start load load 4341 10 ""
until_connected 4341 10
examine_port 4341
check_that "keepalive is bad when connections are preferred" keepalive \
	'.verdict == "bad" and .tier == "trace"'
names_server serve 4341
ten_in_a_row "keepalive tells how many requests are served in a row"
check_that "half of the victims waited about ten requests' time" keepalive \
	'any(.metrics[]; .name == "overtaken_p50_seconds" and .value > 0.2 and .value < 2)'
mkdir "$scratch/older"
sed 's/^tracer .*/&___before_6_3/' "$root/checks.d/keepalive.ini" >"$scratch/older/keepalive.ini"
examine_port 4341 --deep -c "$scratch/older"
check_that "so it is by the tracepoints that older kernels have" keepalive \
	'.verdict == "bad" and .tier == "trace"'
ten_in_a_row "and they tell how many requests are served in a row"
examine_port 4341 --no-trace
check_that "without a trace keepalive is no more than maybe" keepalive '.verdict == "maybe"'
stop load
stop server

# A connection that is served for ever, and others that were there before we looked; by IPv6.
start server "$helpers/serve" 4340 5 1000000 40 600
host="[::1]"
start load load 4340 10 ""
host=
until_connected 4340 10
examine_port 4340
check_that "keepalive is bad when the others are never read" keepalive '.verdict == "bad"'
stop load
stop server

# The same in another network namespace, where counters do not look.
far=zz-far-$$
new_netns "$far"
start server in_netns "$far" "$helpers/serve" 4340 5 1000000 40 600
within=(ip netns exec "$far")
start load load 4340 10 ""
within=()
until_connected 4340 10 ip netns exec "$far"
# Of ours alone: another test may have servers that are worse.
mkdir "$scratch/ours"
sed -n 's/^\[metric .*/&\nignore = :* *[!0] *[!4]0 *[!3]40 *[!4]340/p' "$root/checks.d/keepalive.ini" >"$scratch/ours/keepalive.ini"
"$BIN/keepalivehealth" --quick --deep -c "$scratch/ours" -o json >"$scratch/run.json" 2>"$scratch/run.err" 8>&-
check_that "so it is in another network namespace, of connections that were there before" keepalive \
	'any(.metrics[]; .verdict == "bad" and (.instance // "" | endswith(" :4340")))'
stop load
stop server

# The same load on the same number of threads, in order.
machine=keepalive-fair
start server "$helpers/serve" 4342 5 0 40 600
start load load 4342 10 ""
until_connected 4342 10
examine_port 4342 --deep
check_that "fair overload is good" keepalive '.verdict == "good" and .tier == "trace"'
stop load

# A slow handler, and threads to spare.
start load load 4342 3 slow
until_connected 4342 3
examine_port 4342 --deep
check_that "a slow handler with idle threads is good" keepalive '.verdict == "good"'
stop load
stop server

# A server that reads early: who is overtaken waits inside, and nothing lies unread. Counters cannot
# accuse it, and ask for the trace all the same.
machine=keepalive-inside
start server "$helpers/reactor" 4346 5 10 40 600
start load load 4346 10 ""
until_connected 4346 10
# Two looks must find one that has waited for 100 ms; of three, two may come just after all were changed.
examine_port 4346 --windows 5
check_that "keepalive is bad where requests wait inside the process" keepalive \
	'.verdict == "bad" and .tier == "trace"'
names_server reactor 4346
ten_in_a_row "it tells how many requests are served in a row past those inside"
check_that "and that they waited inside" keepalive \
	'any(.metrics[]; .name == "inside_ratio" and .value > 0.9)'
check_that "half of the victims waited about ten requests' time inside" keepalive \
	'any(.metrics[]; .name == "overtaken_p50_seconds" and .value > 0.2 and .value < 2)'
TUESDAY_WITHOUT=bpf examine_port 4346 --windows 5
check_that "without BPF it is not accused, nor exonerated" keepalive \
	'.verdict == "good" and (.exonerated | not) and (.missing | contains("CAP_BPF"))'
stop load
stop server

# The same load, read early and served in order.
machine=keepalive-inside-fair
start server "$helpers/reactor" 4346 5 0 40 600
start load load 4346 10 ""
until_connected 4346 10
examine_port 4346 --deep
check_that "fair overload inside the process is good" keepalive \
	'.verdict == "good" and .exonerated and .tier == "trace"'
stop load

# Requests that wait for others on purpose, and for longer.
stop server
start server "$helpers/reactor" 4346 5 10 10 600
start load load 4346 3 ""
start waiting load 4346 8 wait
until_connected 4346 11
examine_port 4346 --deep
check_that "long polling is good" keepalive '.verdict == "good" and .tier == "trace"'
stop waiting
stop load
stop server

# The same where any thread reads, serves and answers, as the runtime chooses.
longpoll() {
	exec setpriv --pdeathsig KILL env GOMAXPROCS=4 "$scratch/longpoll" "$1"
}
if gccgo -O1 -o "$scratch/longpoll" "$(dirname "$0")/longpoll.go" 2>"$scratch/gccgo.err"; then
	start server longpoll 4347
	start load load 4347 1 ""
	start waiting load 4347 4 wait
	until_connected 4347 5
	examine_port 4347 --deep
	check_that "long polling in Go is good" keepalive '.verdict == "good" and .tier == "trace"'
	stop waiting
	stop load
	stop server
else
	skip "long polling in Go is good" "gccgo: $(head -n 1 "$scratch/gccgo.err")"
fi

# Event loops with connections of their own: while one is at a slow request, what came to it lies unread,
# and the others, which could not take it, go on. Then two connections that nobody reads from, in a
# server that is fair; and some whose data is read where no tracer of TCP sees it.
loops() {
	start server "$helpers/loops" 4348 "$@" 600
	start load load 4348 "${connections:-8}" "" -q 25
	until_connected 4348 "${connections:-8}"
	examine_port 4348 --deep
}
connections=6 loops 4 5 200 0 0
check_that "a slow request in one event loop is no other one's fault" keepalive \
	'.verdict == "good" and .tier == "trace"'
stop load
stop server
loops 16 5 5 2 0
check_that "two connections that nobody reads from are not an order" keepalive '.verdict == "maybe" and
	any(.metrics[]; .name == "starved_ratio" and .value > 0.5)'
cat >"$scratch/victims.ini" <<-'END'
	[check]
	question = How many did others go past?
	area = net
	[trace turns]
	tracer = turns
	seconds = 2
	[metric victims_count]
	value = count(trace:turns.victims)
	ignore = *[!:0-9]* :[!4]* :4[!3]* :43[!4]* :434[!8]*
	class = limit
	maybe = > 1
	why = It is compared with how many there are.
	source = none, it is context
END
"$BIN/tuesday" check "$scratch/victims.ini" --deep --windows 1 --window 0.1 -o json >"$scratch/run.json" \
	2>"$scratch/run.err" 8>&-
is "$(jq '.checks[0].metrics[]? | select(.instance == ":4348") | .value' "$scratch/run.json")" 2 \
	"each of the two counts once, whichever CPU sees it"
stop load
stop server
# A process for each connection, more of them than there is room for at a time.
start server "$helpers/forks" 4350 600
start load load 4350 2 "" -disable-keepalive
until_connected 4350 1
examine_port 4350 --deep --record "$scratch/forks"
ended=$(jq '[.checks[0].metrics[] | select(.name == "read_p99_seconds")] | length' "$scratch/run.json")
lost=$(cat "$scratch"/forks/*/@trace | grep -m 1 '^lost')
echo "# $lost"
is "$ended $lost" "1 lost 0 0 0 0" "the room of a process is free again when it ends"
stop load
stop server
if [ "$(cat /proc/sys/net/mptcp/enabled 2>/dev/null)" = 1 ]; then
	loops 4 5 5 0 8
	check_that "what comes by Multipath TCP does not lie unread" keepalive \
		'.verdict == "good" and .tier == "trace"'
	stop load
	stop server
else
	skip "what comes by Multipath TCP does not lie unread" "this kernel has it switched off, or not at all"
fi

# Clients that give up: what they leave unread is gone with them, and overtaken by nobody.
start server "$helpers/serve" 4342 1 0 10 600
start load load 4342 1 ""
start giveup "$helpers/giveup" 4342 600
until_connected 4342 1
examine_port 4342 --deep
check_that "requests that are given up are not overtaken" keepalive '.verdict == "good" and .tier == "trace"'
stop giveup
stop load
stop server

# No HTTP: another protocol of questions and answers.
start server "$helpers/serve" 4343 5 0 20 600 echo
start talk bash -c 'echo ready; for _ in {1..8}; do
	(exec 3<>/dev/tcp/127.0.0.1/4343; while echo tick >&3 && read -r -n 4 -u 3; do :; done) &
	done; wait' 8>&-
until_connected 4343 8
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
	until_connected 4345 10
	examine_port 4345 --deep
	check_that "keepalive is bad for Puma $puma_version" keepalive '.verdict == "bad"'
	names_server puma 4345
	ten_in_a_row "Puma serves ten requests in a row"
	# Not in step with ten requests in a row.
	examine --windows 3 --window 0.3 puma-keepalive
	check_that "puma-keepalive knows Puma by its socket" puma-keepalive \
		'(.verdict == "maybe" and any(.culprits[]; .name | contains("puma"))) or
		.verdict == "skip" or any(.howevers[]; contains("CPUs are busy"))'
	summary puma-keepalive
	stop load
	start load load 4345 10 "" -disable-keepalive
	until_connected 4345 1
	examine_port 4345 --deep
	check_that "keepalive is good for Puma without kept connections" keepalive '.verdict == "good"'
	stop load
	stop puma
	;;
*)
	skip "keepalive is bad for Puma" "Puma $puma_version is fair"
	;;
esac

# Nobody accepts: that is what listen is for. Requests lie unread all the same, and where nothing is read
# no trace can say that it is in order.
start deaf "$helpers/deaf" 4344 64 20 10000 600
until_connected 4344 15
examine_port 4344 --deep
check_that "an accept queue that nobody drains is not bad, nor exonerated" keepalive \
	'.verdict == "maybe" and (.exonerated | not)'
stop deaf

# In fair order, by the slowest of servers: ten answers in a trace of two seconds.
start server "$helpers/serve" 4342 1 0 200 600
start load load 4342 3 ""
until_connected 4342 3
examine_port 4342 --deep
check_that "too few requests to tell their order are not bad, nor exonerated" keepalive \
	'.verdict == "maybe" and (.exonerated | not)'
stop load
stop server

# And without any load.
start server "$helpers/serve" 4341 5 10 40 600
examine_port 4341
check_that "keepalive is good again after the fault" keepalive '.verdict == "good" and .exonerated'
stop server

# An ordinary user sees that requests wait, and is told what would say more.
start server "$helpers/serve" 4341 5 10 40 600
start load load 4341 10 ""
until_connected 4341 10
TUESDAY_WITHOUT=bpf examine_port 4341
check_that "without BPF keepalive is no more than maybe" keepalive '.verdict == "maybe"'
check_that "keepalive says how to grant it" keepalive '.missing | contains("CAP_BPF")'
stop load
stop server

plan
