#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What does spandiagnose --while cost a process? By the kernel's own clock around its three programs, over many
# short processes. Needs root; kernel.bpf_stats_enabled is put back.
set -eu
bin=${BIN:-bin}
n=${1:-3000}
before=$(cat /proc/sys/kernel/bpf_stats_enabled)
trap 'echo "$before" >/proc/sys/kernel/bpf_stats_enabled' EXIT
echo 1 >/proc/sys/kernel/bpf_stats_enabled
# Programs are gone once the command has ended: it asks itself, at its end.
# shellcheck disable=SC2016
"$bin/spandiagnose" --while bash -c 'for ((i = 0; i < $0; i++)); do /bin/true; done
	bpftool -j prog show >&2' "$n" 2>&1 >/dev/null |
	jq -r --argjson n "$n" '[.[] | select(.name == "forked" or .name == "executed" or .name == "exited")]
		| (map(select(.run_time_ns)) | .[] | "\(.name): \(.run_time_ns / .run_cnt | round) ns, \(.run_cnt) times"),
		"together \((map(.run_time_ns // 0) | add) / $n / 1000 * 100 | round / 100) us for each of \($n) processes"'
