# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Within a guest, after inside.sh: is a machine that does nothing called well, does each trace load or
# say why not, and is a small fault of each tier found? absent: the traces that cannot be had on this
# kernel; unknowable: the checks that cannot look.

# An interpreted CPU has a slow clock in truth.
true_of_qemu='clock|tsc-watchdog'
run --deep
is "$(guilty "$true_of_qemu")" "" "a machine that does nothing is good"
is "$(jq -r '[.checks[] | select(.verdict == "unknown") | .check] | join(" ")' report.json)" "${unknowable:-}" \
	"what cannot be looked at is known"
is "$(missing_traces)" "${absent:-}" "each other trace is loaded and attached"
is "$(jq '[.checks[] | select(.verdict == "unknown" and (.reason // "") == "")] | length' report.json)" 0 \
	"what cannot be looked at says why"
# Root has every capability here.
is "$(jq -r '.checks[] | .reason // .missing // empty | select(test("CAP_|Invalid argument|be attached"))' report.json)" "" \
	"and the reason is what this kernel lacks"

# Counters: a server that does not accept.
queue_is_full() {
	[ "$(ss -Hltn 'sport = :4321' | awk '{ print $2 }')" = 3 ]
}
python3 -I - <<'END' &
import select, socket, time

server = socket.socket()
server.bind(("127.0.0.1", 4321))
server.listen(2)
clients = []
end = time.monotonic() + 30
while time.monotonic() < end:
    client = socket.socket()
    client.setblocking(False)
    client.connect_ex(("127.0.0.1", 4321))
    clients.append(client)
    time.sleep(0.05)
END
server=$!
until_true 30 queue_is_full
run --no-trace listen
is "$(verdict listen)" bad "an accept queue that is full is bad"
accused listen >accusations
t "and it is that server's" grep -q '127.0.0.1:4321' accusations
kill $server

# A trace, where there is one: four programs for each CPU.
for _ in {1..8}; do
	timeout 60 sh -c 'while :; do :; done' &
	spinners+=("$!")
done
run --quick cpu
kill "${spinners[@]}"
t "CPUs that are fought for are not good" grep -qxE 'bad|maybe' <<<"$(verdict cpu)"
if [ -z "${no_trace:-}" ]; then
	is "$(jq -r '.checks[0].tier' report.json)" trace "and they were traced"
fi
wait

# An experiment, on a name that nothing depends on.
# shellcheck source=tests/experiment.sh
. /share/experiment.sh
mkdir checks
knob=/proc/sys/kernel/domainname
{
	trial_check
	trial_experiment rename "knob = $knob" "set = tuesday-test" "risk = 1" "rounds = 8" "settle = 0"
} >checks/named.ini
before=$(cat $knob)
run named -c checks --yes=named/rename --metric "echo 1"
is "$(jq -r '.checks[0].experiments[0].answer' report.json)" same "an experiment runs to its end"
is "$(cat $knob)" "$before" "and leaves no mark"
