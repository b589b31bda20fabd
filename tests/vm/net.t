#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A network that loses or holds packets, real DCTCP with and without marks.
# shellcheck source=tests/vm/vm.sh
. "$(dirname "$0")/vm.sh"
guest 6.1 < <(cat <<'END'
modprobe veth
modprobe sch_netem
modprobe tcp_dctcp
ip netns add near
ip netns add far
ip link add v0 netns near type veth peer name v1 netns far
for namespace in near far; do
	ip -n $namespace link set lo up
done
ip -n near addr add 10.9.0.1/24 dev v0
ip -n far addr add 10.9.0.2/24 dev v1
ip -n near link set v0 up
ip -n far link set v1 up
near="ip netns exec near"
far="ip netns exec far"
echo "reno cubic dctcp" >/proc/sys/net/ipv4/tcp_allowed_congestion_control
cat >receive.py <<'PYTHON'
import socket, sys, threading

def drain(connection):
    while connection.recv(65536):
        pass

server = socket.socket()
server.bind(("0.0.0.0", int(sys.argv[1])))
server.listen(16)
while True:
    threading.Thread(target=drain, args=(server.accept()[0],), daemon=True).start()
PYTHON
cat >send.py <<'PYTHON'
import socket, sys, time

connection = socket.create_connection(("10.9.0.2", int(sys.argv[1])))
end = time.monotonic() + 120
while time.monotonic() < end:
    connection.sendall(b"x" * 20000)
    time.sleep(0.005)
PYTHON
# listens PORT
listens() {
	$far ss -Hltn "sport = :$1" | grep -q .
}
# flow PORT
flow() {
	$far timeout 150 python3 -I receive.py "$1" &
	flows+=("$!")
	until_true 10 listens "$1"
	$near timeout 150 python3 -I send.py "$1" &
	flows+=("$!")
	sleep 2
}
stop() {
	kill "${flows[@]}" 2>/dev/null
	wait 2>/dev/null
	flows=()
}

flow 5001
run tcp qdisc
is "$(guilty)" "" "a network that loses nothing is good"
ip netns exec near tc qdisc add dev v0 root netem loss 5%
run tcp qdisc
accused tcp >accusations
t "one that loses 5 % is not good" grep -qxE 'bad|maybe' <<<"$(verdict tcp)"
t "for what is sent again" grep -q ' retransmit_ratio' accusations
$near tc qdisc change dev v0 root netem delay 300ms limit 10000
run tcp qdisc
accused qdisc >accusations
t "packets that a queueing discipline holds for 300 ms are said, with its interface" grep -q 'queue_seconds.*v0' accusations
is "$(awk 'NF > 2 && !/v0/' accusations)" "" "and no other interface is"
$near tc qdisc del dev v0 root
stop

# DCTCP: first no ECN is agreed on, then it is, and a queue marks.
$near sysctl -qw net.ipv4.tcp_congestion_control=dctcp net.ipv4.tcp_ecn=1
$far sysctl -qw net.ipv4.tcp_ecn=0
flow 5002
$near "$BIN/tuesday" run dctcp -o json >report.json 2>errors
t "DCTCP without ECN is not good" grep -qxE 'bad|maybe' <<<"$(verdict dctcp)"
accused dctcp >accusations
t "for what has none, by where its data goes" grep -q 'without_ecn_count.*10\.9\.0\.2' accusations
stop
$far sysctl -qw net.ipv4.tcp_ecn=1 net.ipv4.tcp_congestion_control=dctcp
flow 5003
$near "$BIN/tuesday" run dctcp -o json >report.json 2>errors
is "$(verdict dctcp)" good "DCTCP with ECN, and nothing to mark, is good"
$near tc qdisc add dev v0 root netem loss 5% ecn
$near "$BIN/tuesday" run dctcp -o json >report.json 2>errors
is "$(verdict dctcp)" good "with a few marks too"
$near tc qdisc change dev v0 root netem loss 95% ecn
$near "$BIN/tuesday" run dctcp -o json >report.json 2>errors
t "and where nearly all is marked it is not" grep -qxE 'bad|maybe' <<<"$(verdict dctcp)"
accused dctcp >accusations
t "for its marks, by where its data goes" grep -q 'own_marked_ratio.*10\.9\.0\.2' accusations
is "$(grep -c without_ecn_count accusations)" 0 "and not for want of ECN"
stop
END
)
plan
