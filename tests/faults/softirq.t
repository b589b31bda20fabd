#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does Tuesday see a CPU that does nothing but softirqs? A flood meets a long rule set, on a CPU
# that receive packet steering has chosen, so that ksoftirqd has to do it.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
needs flock jq ip nft
[ "$(nproc)" -ge 2 ] || skip_all "needs two CPUs"
loud
begin
here=tuesday-a$$
there=tuesday-b$$
new_netns "$here" "$there"
join_netns "$here" "$there"

rules() {
	printf 'table inet walk {\nchain in {\ntype filter hook prerouting priority 0\n'
	for port in {20001..21000}; do
		echo "udp dport $port drop"
	done
	printf '}\n}\n'
}

rules | ip netns exec "$there" nft -f - || skip_all "nft has no such rules here"
ip netns exec "$there" sh -c "echo 2 >/sys/class/net/wire/queues/rx-0/rps_cpus" ||
	skip_all "no receive packet steering"

start blast in_netns "$here" "$helpers/blast" 10.231.7.2 9 0 1 600
examine
accuses irq irq_time_ratio ksoftirqd_ratio
check_that "irq accuses CPU 1" irq \
	'any(.metrics[]; .name == "irq_time_ratio" and (.instance | tostring | test("1$")))'
nothing_else irq
stop blast
recovers irq

plan
