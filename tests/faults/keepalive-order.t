#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Is the order in which event loops read told from that of a server that starves others: where each thread
# has a listener of its own and one hangs, where nobody accepts, where data goes on without being read?
# Alone on the machine: a trace of two seconds has to know whose every listener is from its beginning on,
# or a neighbour's load becomes a share of the answers. What it did not know, a second one does.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
needs jq hey unshare ip
own_network
loud
begin
# shellcheck source=tests/keepalive.sh
. "$root/tests/keepalive.sh"
machine=keepalive-order

# A listener for each thread, and one of the threads hangs: what came to that one is nobody else's to take.
start server "$helpers/loops" 4349 8 20 20 1 0 600 own
start load load 4349 6 ""
start new load 4349 4 "" -disable-keepalive
until_connected 4349 7
# From then on no request is older than the thread's sleep.
sleep 1
examine_port 4349 --deep
is_so keepalive '.verdict == "good"' || examine_port 4349 --deep
check_that "what lies in one thread's own listener is no other one's fault" keepalive \
	'.verdict == "good" and .tier == "trace"'
stop new
stop load
stop server
# Who accepts hangs, after eight connections, and the loops go on with those that they have.
start server "$helpers/loops" 4349 4 5 5 0 0 600 8
start load load 4349 4 ""
until_connected 4349 4
start slow load 4349 4 "" -q 5
until_connected 4349 8
start new load 4349 5 ""
until_connected 4349 13
# That nothing was accepted has to be seen within the two seconds of the trace: it is asked once more.
not_drained='.verdict == "maybe" and any(.metrics[]; .name == "starved_ratio" and .value > 0.5) and
	any(.howevers[]; contains("nothing was accepted"))'
examine_port 4349
is_so keepalive "$not_drained" || examine_port 4349
check_that "an accept queue that nobody drains is no order of event loops" keepalive "$not_drained"
stop new
stop slow
stop load
stop server
# What comes on six connections at once goes on by splice(2), and no event tells that it was read. Where it
# comes within the same 5 ms as another's first request in the trace that is not seen, which two looks rule out.
start server "$helpers/loops" 4349 16 5 5 6 0 600 splice
start load load 4349 8 "" -q 25
until_connected 4349 8
examine_port 4349 --deep
is_so keepalive '.verdict == "good"' || examine_port 4349 --deep
check_that "what goes on without being read does not lie unread" keepalive \
	'.verdict == "good" and .tier == "trace"'
stop load
stop server
plan
