# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What does spandiagnose --while cost a process? By the kernel's own clock around its programs, over many
# processes that live for a moment. kernel.bpf_stats_enabled is put back.

PROCESSES=3000

processes_put_back() {
	echo "$PROCESSES_BEFORE" >/proc/sys/kernel/bpf_stats_enabled
}

# Programs are gone once the command has ended: it asks itself, at its end.
# shellcheck disable=SC2016
processes_watched() {
	"$BIN/spandiagnose" --while bash -c 'for ((i = 0; i < $0; i++)); do /bin/true; done
		bpftool -j prog show >&2' "$PROCESSES" 2>&1 >/dev/null |
		jq -r --argjson n "$PROCESSES" \
			'[.[] | select(.name == "forked" or .name == "executed" or .name == "exited")] |
			(.[] | select(.run_time_ns) | "\(.name) \(.run_time_ns / .run_cnt | round) \(.run_cnt)"),
			"together \((map(.run_time_ns // 0) | add) / $n)"'
}

bench_processes() {
	needs_root || return 0
	have jq jq || return 0
	PROCESSES_BEFORE=$(cat /proc/sys/kernel/bpf_stats_enabled)
	trap 'processes_put_back; exit 130' INT TERM
	echo 1 >/proc/sys/kernel/bpf_stats_enabled
	processes_watched >"$TMP/processes" || true
	processes_put_back
	trap - INT TERM
	echo "spandiagnose --while beside $PROCESSES processes that live for a moment:"
	awk '$1 != "together" { printf "  %-10s %6d ns, %d times\n", $1, $2, $3 }
		$1 == "together" { printf "  %-10s %6d ns for each process\n", $1, $2 }' "$TMP/processes"
	target "5 us a process" "$(awk '$1 == "together" { print $2 }' "$TMP/processes")" 5000 1
	echo
}
