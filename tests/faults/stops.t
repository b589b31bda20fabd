#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does Tuesday name a server that somebody stops again and again, and who does, and leave alone what is stopped
# and serves nobody, or from its terminal?
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
needs jq unshare
own_network
begin
traces signal/signal_deliver || skip_all "this kernel has no signal:signal_deliver"

# stopper SIGNAL PID: stops it for 0.4 s of each half second, until it is gone.
stopper() {
	echo ready
	while kill -s "$1" "$2"; do
		sleep 0.4
		kill -CONT "$2"
		sleep 0.1
	done
}

start serve "$helpers/serve" 4321 1 0 1 600
start stopper stopper STOP "${started[serve]}"
examine --quick stops
accuses stops stopped_ratio
check_that "stops names who stops it, the server as the victim, and where it listens" stops \
	"any(.culprits[]; .kind == \"process\" and .id == \"${started[stopper]}\") and
	any(.culprits[]; .kind == \"victim\" and .name == \"serve\") and
	any(.metrics[]; .name == \"stopped_ratio\" and .instance == \":4321\" and .value > 0.2)"
mkdir "$scratch/few"
printf '[trace stops]\nbudget = 1/s\n' >"$scratch/few/stops.ini"
examine --quick -c "$scratch/few" stops
check_that "beyond its budget the sentinel takes itself away, and clears nobody" stops \
	'(.exonerated | not) and any(.howevers[], .reason; . // "" | contains("took itself away"))'
stop stopper

kill -STOP "${started[serve]}"
examine --quick stops
accuses stops still_stopped_count
kill -CONT "${started[serve]}"

# A job of a terminal, and a program that serves nobody.
start asleep "$helpers/asleep" 1 600
start job stopper TSTP "${started[serve]}"
start stopper stopper STOP "${started[asleep]}"
examine --quick stops
check_that "a job of a terminal, and who does not listen, may be stopped" stops \
	'.verdict == "good" and .idle and .exonerated'
plan
