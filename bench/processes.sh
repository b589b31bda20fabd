# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What does spandiagnose --while cost a process? By the kernel's own clock around all its programs, over many
# processes that live for a moment. What others on this machine do meanwhile is in it, so that the round with the
# least counts. kernel.bpf_stats_enabled is put back.

PROCESSES=2000

processes_put_back() {
	echo "$PROCESSES_BEFORE" >/proc/sys/kernel/bpf_stats_enabled
}

# Programs are gone once the command has ended: it asks itself, at its end. Ours are all that share a map with
# the one that sees new programs.
# shellcheck disable=SC2016
processes_watched() {
	"$BIN/spandiagnose" --while bash -c 'for ((i = 0; i < $0; i++)); do /bin/true; done
		bpftool -j prog show >&2' "$PROCESSES" 2>&1 >/dev/null |
		jq -r --argjson n "$PROCESSES" '(map(select(.name == "executed")) | max_by(.id).map_ids) as $maps |
			map(select(any(.map_ids[]?; IN($maps[])) and .run_cnt)) |
			(.[] | "\(.name) \(.run_time_ns / .run_cnt | round) \(.run_cnt / $n)"),
			"together \((map(.run_time_ns) | add) / $n)"'
}

bench_processes() {
	needs_root || return 0
	have jq jq || return 0
	have bpftool bpftool || return 0
	PROCESSES_BEFORE=$(cat /proc/sys/kernel/bpf_stats_enabled)
	trap 'processes_put_back; exit 130' INT TERM
	echo 1 >/proc/sys/kernel/bpf_stats_enabled
	for round in $(seq "$ROUNDS"); do
		processes_watched >"$TMP/processes.$round" || true
	done
	processes_put_back
	trap - INT TERM
	least=$(awk '$1 == "together" { print $2, FILENAME }' "$TMP"/processes.* | sort -g | awk 'NR == 1 { print $2 }')
	[ -n "$least" ] || return 0
	echo "spandiagnose --while beside $PROCESSES processes that live for a moment, the least of $ROUNDS:"
	awk '$1 != "together" { printf "  %-10s %6d ns, %.1f times for each process\n", $1, $2, $3 }
		$1 == "together" { printf "  %-10s %6d ns for each process\n", $1, $2 }' "$least"
	target "5 us a process" "$(awk '$1 == "together" { print $2 }' "$least")" 5000 1
	echo
}
