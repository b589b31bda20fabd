# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What does live profiling cost? Of cpudiagnose at 99 Hz, with a program that is 40 frames deep on each CPU: its own CPU
# time, of which loading and reading names is told apart, and that of its BPF program, by the kernel's own clock.
# kernel.bpf_stats_enabled is put back.

profile_cpu_ms() {
	# shellcheck disable=SC2086
	cost "profile$1" 0 "$BIN/cpudiagnose" $profile_helpers --for "$1s" -o folded >&2 || echo 0
	awk '{ print $1 * 1000 }' "$TMP/profile$1"
}

bench_profiles() {
	echo "cpudiagnose at 99 Hz, beside a program of 40 frames on each CPU:"
	needs_root || return 0
	profile_helpers=
	for _ in $(seq "$(nproc)"); do
		"$BUILD/faults/framed" 120 deep 36 >/dev/null &
		profile_helpers="$profile_helpers $!"
	done
	profile_short=$(profile_cpu_ms 1)
	profile_stats=$(cat /proc/sys/kernel/bpf_stats_enabled)
	echo 1 >/proc/sys/kernel/bpf_stats_enabled
	# shellcheck disable=SC2086
	"$BIN/cpudiagnose" $profile_helpers --for 11s -o folded >/dev/null &
	profile_look=$!
	sleep 10
	profile_bpf=$(bpftool -j prog show | jq '[.[] | select(.name == "sample_running") | .run_time_ns // 0] | add // 0')
	wait "$profile_look"
	echo "$profile_stats" >/proc/sys/kernel/bpf_stats_enabled
	profile_long=$(profile_cpu_ms 21)
	# shellcheck disable=SC2086
	kill $profile_helpers
	awk -v short="$profile_short" -v long="$profile_long" -v bpf="$profile_bpf" 'BEGIN {
		each = (long - short) / 20
		printf "  to load and to read names %.0f ms; then %.2f ms a second, and %.2f ms of its BPF program on all CPUs\n",
			short - each, each, bpf / 1e7
		printf "  %.2f %% of a CPU while it looks; of a look of ten seconds %.2f %%\n",
			(each + bpf / 1e7) / 10, (short + each * 9 + bpf / 1e6) / 100
	}'
	echo
}
