#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does Tuesday see who opens connections only to close them again, that a pool keeps too few, and when
# the local ports are used up; and does it keep calm where connections come from others, are opened
# once, seldom, or to many places?
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
needs jq ip
begin

# The only namespaces that count here: other connections of this machine are none of ours.
there=zz-client-$$
server=zz-server-$$
new_netns "$there" "$server"
join_netns "$there" "$server"
mkdir "$scratch/ours"
for metric in active_opens_per_second exhaustion_seconds forecast_ratio brief_per_second setup_ratio \
	pool_idle_count opens_per_request_ratio life_p50_seconds; do
	printf '[metric %s]\nignore = [!z]* z[!z]*\n' "$metric"
done >"$scratch/ours/churn.ini"

look() {
	examine churn --quick -c "$scratch/ours"
}

# pool IDLE RATE [DESTINATIONS [ADDRESS]]: a client in the namespace.
pool() {
	in_netns "$there" "$helpers/pool" "${4:-10.231.7.2}" 4351 "${workers:-10}" "$1" "$2" "${3:-1}" 600
}

setting() {
	ip netns exec "$there" sysctl -qw "net.ipv4.$1=$2"
}

# warm COUNT: the client has opened so many more connections.
warm() {
	local from

	from=$(tcp_counter ActiveOpens ip netns exec "$there")
	until_true 20 counted ActiveOpens $((from + $1)) ip netns exec "$there" || bail "the client does not connect"
}

is_calm() {
	check_that "$1" churn '.verdict == "good"'
	[ "$(verdict_of churn)" = good ] || show churn
}

accused='select(.verdict == "maybe" or .verdict == "bad")'
start serve in_netns "$server" "$helpers/serve" 4351 20 0 2 600

# A connection for each request. Many workers, each seldom: what a slow machine adds to a request is
# little beside the pause before it, so the rate stays what it was meant to be.
workers=40
start pool pool 0 200
workers=
warm 200
look
accuses churn brief_per_second
names churn process pool
check_that "churn names the destination" churn \
	"any(.metrics[] | $accused; .name == \"brief_per_second\" and .instance == \"$there 10.231.7.2:4351\")"
check_that "churn counts about 200 a second" churn \
	'any(.metrics[]; .name == "brief_per_second" and .value > 100 and .value < 240)'
check_that "churn sees a connection for each request" churn \
	'any(.metrics[]; .name == "opens_per_request_ratio" and .value > 0.9 and .value < 1.1)'
check_that "churn blames no pool where there is none" churn \
	"all(.metrics[]; .name != \"pool_idle_count\" or .value == null or .value == 0)"
check_that "churn does not accuse the server that others open connections to" churn \
	"all(.metrics[] | $accused; .instance | startswith(\"$server\") | not)"
check_that "half of them live for a few milliseconds" churn \
	'any(.metrics[]; .name == "life_p50_seconds" and .value > 0.001 and .value < 1)'
check_that "TIME_WAIT is told, of the side that closed first" churn \
	'any(.metrics[]; .name == "client_time_wait_count" and .value > 100) and
	any(.metrics[]; .name == "time_wait_count" and .value > 100)'
TUESDAY_WITHOUT=bpf look
check_that "without BPF churn accuses nobody and clears nobody, and says what is missing" churn \
	'.verdict == "good" and (.exonerated | not) and (.missing | contains("CAP_BPF"))'
stop pool

# A pool of two idle connections, and about six requests at once.
start pool pool 2 800
warm 100
look
accuses churn pool_idle_count
names churn process pool
check_that "churn tells the size of the pool" churn \
	'any(.metrics[]; .name == "pool_idle_count" and .value == 2)'
check_that "churn tells the remedy" churn '.remedies | any(contains("MaxIdleConnsPerHost"))'
stop pool

# Enough idle connections: opened once, while we look.
workers=40
start pool pool 64 800
workers=
look
is_calm "a pool that warms up once is good"
stop pool

# Few ports, and each closed connection keeps one for a minute.
setting tcp_tw_reuse 0
setting ip_local_port_range "40000 41999"
start pool pool 0 150
warm 300
look
check_that "churn is bad when ports run out" churn '.verdict == "bad"'
accuses churn exhaustion_seconds
names churn process pool
check_that "in about ten seconds" churn \
	'any(.metrics[]; .name == "exhaustion_seconds" and .value > 2 and .value < 30)'
check_that "churn names where they go" churn '.summary | contains("10.231.7.2:4351")'
is "$(ask .type.name)" "time bomb" "it is a time bomb"
setting ip_local_port_range "40000 40049"
look
check_that "churn counts who finds no port at all" churn \
	'any(.metrics[]; .name == "portless_count" and .value > 0 and .verdict == "bad")'
stop pool
setting ip_local_port_range "10000 60999"

# 40 a second since a while: TIME_WAIT, and nothing that grows. And another place once a second.
start pool pool 0 40
start poller pool 0 1 1 127.0.0.1
warm 40
look
is_calm "a steady rate far below the ports that there are is good"
stop pool
stop poller

# A crawler: many places, each seldom.
setting tcp_tw_reuse 2
ip netns exec "$server" sysctl -qw net.ipv4.ip_nonlocal_bind=1
start near in_netns "$there" "$helpers/serve" 4351 20 0 2 600
start pool pool 0 200 2000 127.0.0.1
look
is_calm "many places at a low rate each are good"
stop pool
stop near
stop serve

look
is_calm "churn is good again after the fault"

plan
