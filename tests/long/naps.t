#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2016
# Is each nap that a reader of a service's smaps makes found, and blamed on him; and does nobody nap who has nothing to
# do? Both hold on a machine that others keep busy.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/naps.sh
. "$(dirname "$0")/../naps.sh"
needs jq
begin

# Page tables of 80 GB of the page of zeros are 160 MB, and to walk them takes a tenth of a second and more. The reader
# tells how long each of its looks took.
start service "$helpers/napper" busy 48 60
start bursty "$helpers/napper" bursty 60
start idle "$helpers/napper" idle 60
read_smaps() {
	(
		sleep 3
		exec "$helpers/napper" read "${started[service]}" smaps 20 150
	) >"$scratch/reader" 6>&- 8>&- &
	reader=$!
	undo_process "$reader"
	start ends "$helpers/napper" ends 3
	naps 10 service bursty idle ends
	kill "$reader" 2>/dev/null
	wait "$reader"
	stop ends
	# All but those at the very end, and those that took just about a nap.
	reads=$(awk '$1 == "took" && $2 > 0.14 { n++ } END { print n + 0 }' "$scratch/reader")
	answer=$(jq -c --argjson reads "$reads" '. + {$reads}' <<<"$answer")
}
blamed='[.naps[] | select(.pid == $of_service and .cause == "memory-map" and any(.ran[]; .name == "reader" and .file == "smaps"))]'
thrice ".reads >= 10 and ($blamed | length) >= .reads - 1" read_smaps
says "each look at its smaps is a nap, and blamed on the reader" ".reads >= 10 and ($blamed | length) >= .reads - 1"
says "and so is the service as a whole, by the file that the reader had open" 'any(.processes[];
	.pid == $of_service and .by == "file" and .culprit.name == "reader" and .culprit.file == "smaps")'
says "a nap says when it began and how long it was" 'all(.naps[]; .seconds >= 0.1 and .seconds < 5 and .begin_seconds > 0)'
# Whoever can run and gets no CPU naps as well: other tests run here.
others='[.naps[] | select(.pid != $of_service and .cause != "run-queue")]'
says "a bursty job has pauses, but neither it nor an idle server nor a job that ended has a nap" \
	".idle_pauses >= 3 and ($others | length) == 0"

# A process that forks runs meanwhile, and its other threads wait for the lock of its memory map.
stop service
start forks "$helpers/napper" forks 48 60
forked='([.naps[] | select(.partial and .cause == "memory-map")] | length) >= 2 and
	any(.processes[]; .by == "fork" and .naps_with_fork >= 2 and (has("culprit") | not))'
thrice "$forked" naps 6 forks
says "a partial nap is blamed on the fork of the process itself" "$forked"

plan
