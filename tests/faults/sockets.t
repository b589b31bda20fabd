#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does Tuesday name the program that loses datagrams, the one that uses up the local ports, a full
# table of connections and a name server that is silent; and does it keep calm while the same is done
# in moderation?
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
needs jq ip nft setpriv timeout unshare flock
begin

# UDP: a socket that nobody reads; the same traffic, read.
there=tuesday-$$
new_netns "$there"
start mute in_netns "$there" "$helpers/mute" 5353 500 0 600
examine --quick udp
check_that "udp is bad when a socket is not read" udp '.verdict == "bad"'
accuses udp rcvbuf_errors_per_second
names udp process mute
stop mute
recovers udp
start mute in_netns "$there" "$helpers/mute" 5353 500 1 600
examine --quick udp
check_that "udp is good when it is" udp cleared
stop mute

# Local ports: 190 of 200 to one destination; as many connections to ten of them.
ip netns exec "$there" sysctl -qw net.ipv4.ip_local_port_range="40000 40199"
start dial in_netns "$there" "$helpers/dial" 8080 1 190 600
examine --quick ports
check_that "ports is bad when one destination has nearly all" ports '.verdict == "bad"'
accuses ports destination_ratio
names ports process dial
check_that "ports says which destination" ports '.summary | contains("127.0.0.1:8080")'
stop dial
recovers ports
start dial in_netns "$there" "$helpers/dial" 8081 10 190 600
examine --quick ports
check_that "ports is good when they are spread" ports cleared
stop dial

# Tracked connections: a table with room for 200, and datagrams from ever new ports; then more room.
max=/proc/sys/net/netfilter/nf_conntrack_max
track() {
	ip netns exec "$there" nft -f - <<-'END'
		table inet track {
			chain out {
				type filter hook output priority 0
				ct state new counter
			}
		}
	END
}
table_is_full() {
	[ "$(cat /proc/sys/net/netfilter/nf_conntrack_count)" -ge 190 ] ||
		[ "$(ip netns exec "$there" cat /proc/sys/net/netfilter/nf_conntrack_count)" -ge 190 ]
}
set_max() {
	echo "$1" >"$max"
}
pour() {
	# shellcheck disable=SC2016
	exec setpriv --pdeathsig KILL ip netns exec "$there" timeout -s KILL 600 bash -c 'echo ready
		while for i in {1..100}; do echo >"/dev/udp/127.0.0.1/$((RANDOM + 1024))"; done; do
			sleep 0.2
		done 2>/dev/null'
}
if [ -e "$max" ] && track 2>/dev/null; then
	# The limit is that of the whole machine: one test at a time.
	exec 7<"$max"
	flock -w 600 7 || bail "another test that turns knobs does not end"
	before=$(cat "$max")
	undo eval "echo $before >$max"
	set_max 200
	start pour pour
	until_true 20 table_is_full || bail "the table does not fill"
	examine --quick conntrack
	check_that "conntrack is bad when its table is full" conntrack '.verdict == "bad"'
	accuses conntrack fill_ratio dropped_per_second
	set_max "$before"
	examine --quick conntrack
	# That it was full a moment ago the kernel's log still tells.
	check_that "conntrack has room again" conntrack 'met == "good" and
		any(.metrics[]; .name == "logged_full_count" and .verdict == "maybe")'
	stop pour
	flock -u 7
	exec 7<&-
else
	skip "conntrack is bad when its table is full" "no connection tracking here"
fi

# Name servers: one that never answers, asked from inside of the namespace, where it is.
echo "nameserver 127.0.0.1" >"$scratch/resolv.conf"
mkdir "$scratch/bin"
cat >"$scratch/bin/tuesday" <<-END
	#!/bin/sh
	exec ip netns exec "$there" unshare -m sh -c 'mount --bind "\$1" /etc/resolv.conf && shift &&
		exec "\$@"' sh "$scratch/resolv.conf" "$BIN/tuesday" "\$@"
END
chmod +x "$scratch/bin/tuesday"
start mute in_netns "$there" "$helpers/mute" 53 1 0 600
BIN=$scratch/bin examine --quick dns
accuses dns unanswered_ratio
check_that "dns is bad when its only server does not answer" dns '.verdict == "bad"'
names dns remote 127.0.0.1
stop mute

plan
