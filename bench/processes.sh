# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What does spandiagnose --while cost a process? By the kernel's own clock around all its programs, over many
# processes that live for a moment. What others on this machine do meanwhile runs the same programs, which find
# nothing: how long that takes is measured beside a command that sleeps, and taken off for all events that are
# none of ours. kernel.bpf_stats_enabled is put back.

PROCESSES=2000

processes_put_back() {
	echo "$PROCESSES_BEFORE" >/proc/sys/kernel/bpf_stats_enabled
}

# processes_watched COMMAND [ARGUMENT]…: name, runs and nanoseconds of each program. They are gone once the command
# has ended: it asks itself, at its end. Ours are all that share a map with the one that sees new programs.
# shellcheck disable=SC2016
processes_watched() {
	"$BIN/spandiagnose" --while sh -c '"$@"; bpftool -j prog show >&2' sh "$@" 2>&1 >/dev/null |
		jq -r '(map(select(.name == "executed")) | max_by(.id).map_ids) as $maps |
			map(select(any(.map_ids[]?; IN($maps[])) and .run_cnt))[] | "\(.name) \(.run_cnt) \(.run_time_ns)"'
}

# processes_round: each process is made, starts a program and ends once; how often it leaves and gets a CPU is known
# of it, twice where one of ours follows another. Name, nanoseconds a run and runs for each process of ours, and in all.
# shellcheck disable=SC2016
processes_round() {
	processes_watched sleep 0.5 >"$TMP/others" || return 0
	rm -f "$TMP/switches"
	processes_watched "$BUILD/bench/measure" "$TMP/switches" bash -c 'for ((i = 0; i < $0; i++)); do
		/bin/true; done' "$PROCESSES" >"$TMP/ours" || return 0
	awk -v n="$PROCESSES" -v switches="$(cut -d " " -f 3 "$TMP/switches")" '
		FNR == NR { others[$1] = $2 ? $3 / $2 : 0; next }
		{
			ours = $1 == "switched" ? 2 * switches : $1 ~ /contended/ ? $2 : n
			ours = ours < $2 ? ours : $2
			# Beside other work caches are others: finding nothing is no dearer than all on average.
			nothing = others[$1] < $3 / $2 ? others[$1] : $3 / $2
			ns = $3 - ($2 - ours) * nothing
			print $1, ns / ours, ours / n
			sum += ns
		}
		END { if (sum) print "together", sum / n, 1 }' "$TMP/others" "$TMP/ours"
}

bench_processes() {
	needs_root || return 0
	have jq jq || return 0
	have bpftool bpftool || return 0
	PROCESSES_BEFORE=$(cat /proc/sys/kernel/bpf_stats_enabled)
	trap 'processes_put_back; exit 130' INT TERM
	echo 1 >/proc/sys/kernel/bpf_stats_enabled
	rm -f "$TMP"/processes
	for _ in $(seq "$ROUNDS"); do
		processes_round >>"$TMP/processes"
	done
	processes_put_back
	trap - INT TERM
	echo "spandiagnose --while beside $PROCESSES processes that live for a moment (median of $ROUNDS):"
	for name in forked executed switched contended uncontended exited together; do
		grep "^$name " "$TMP/processes" >"$TMP/processes.$name" || continue
		awk -v name="$name" -v ns="$(median "$TMP/processes.$name" 2)" -v times="$(median "$TMP/processes.$name" 3)" \
			'BEGIN { printf "  %-12s %6d ns, %.1f times for each process\n", name, ns, times }'
	done
	target "5 us a process" "$(median "$TMP/processes.together" 2)" 5000 1
	echo
}
