# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What does a pass over the counters of all checks cost beside the classic first minute by hand?

# The first minute: a line for each command, NAME PACKAGE COMMAND.
first_minute() {
	cat <<-'END'
		uptime procps uptime
		dmesg util-linux dmesg | tail
		vmstat procps vmstat 1 2
		mpstat sysstat mpstat -P ALL 1 1
		pidstat sysstat pidstat 1 1
		iostat sysstat iostat -xz 1 1
		free procps free -m
		sar-dev sysstat sar -n DEV 1 1
		sar-tcp sysstat sar -n TCP,ETCP 1 1
		top procps top -b -n 1
	END
}

measure_first_minute() {
	first_minute | while read -r name _ command; do
		[ ! -e "$TMP/ten/$name.missing" ] || continue
		# A shell in between costs as much as the smaller ones: only where there is a pipe.
		# shellcheck disable=SC2086
		case $command in
		*'|'*) cost "ten/$name" 0 sh -c "$command" || true ;;
		*) cost "ten/$name" 0 $command || true ;;
		esac
	done
}

# What is missing is said once and left out of the sum.
look_for_commands() {
	mkdir "$TMP/ten"
	first_minute | while read -r name package command; do
		have "${command%% *}" "$package" || : >"$TMP/ten/$name.missing"
	done
}

# One line a round: the sum of CPU times and the largest memory of the ten.
sum_first_minute() {
	rm -f "$TMP"/ten/*.missing
	paste -d ' ' "$TMP"/ten/* | awk '{
		cpu = 0; rss = 0
		for (i = 1; i < NF; i += 2) {
			cpu += $i
			if ($(i + 1) > rss)
				rss = $(i + 1)
		}
		print cpu, rss
	}' >"$TMP/ten.sum"
}

largest_command() {
	for file in "$TMP"/ten/*; do
		echo "$(median "$file" 2) ${file##*/}"
	done | sort -g | tail -n 1 | cut -d ' ' -f 2
}

bench_counters() {
	eight="cpu disk irq listen memory net tcp throttle"
	echo "Counters of all checks, and the classic first minute (median of $ROUNDS):"
	look_for_commands
	for _ in $(seq "$ROUNDS"); do
		cost tuesday 3 "$BIN/tuesday" run --quick --no-trace || return 0
		# What the first minute looks at too: CPUs, memory, disks and network.
		# shellcheck disable=SC2086
		cost eight 3 "$BIN/tuesday" run --quick --no-trace $eight || return 0
		measure_first_minute
	done
	sum_first_minute
	cost_row tuesday tuesday "tuesday run --quick --no-trace"
	cost_row eight tuesday "the eight of the first minute"
	cost_row ten.sum tuesday "its commands (largest: $(largest_command))"
	target "all at most a third of the CPU time" "$(median "$TMP/tuesday" 1)" \
		"$(median "$TMP/ten.sum" 1)" 0.3334
	target "those eight at most a quarter" "$(median "$TMP/eight" 1)" \
		"$(median "$TMP/ten.sum" 1)" 0.25
	target "no more memory than the largest command" "$(median "$TMP/tuesday" 2)" \
		"$(median "$TMP/ten.sum" 2)" 1
	echo
}
