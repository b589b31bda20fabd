# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What does a pass over the counters of all checks cost beside the classic first minute by hand?

# The first minute: a line for each command, NAME PACKAGE COMMAND. What watches does it for N seconds.
first_minute() {
	cat <<-END
		uptime procps uptime
		dmesg util-linux dmesg | tail
		vmstat procps vmstat 1 $(($1 > 1 ? $1 : 2))
		mpstat sysstat mpstat -P ALL 1 $1
		pidstat sysstat pidstat 1 $1
		iostat sysstat iostat -xz 1 $1
		free procps free -m
		sar-dev sysstat sar -n DEV 1 $1
		sar-tcp sysstat sar -n TCP,ETCP 1 $1
		top procps top -b -n $(($1 > 1 ? $1 / 3 : 1))
	END
}

# measure_first_minute SET N: all at once, since most of the time they sleep.
measure_first_minute() {
	first_minute "$2" | (
		while read -r name _ command; do
			[ ! -e "$TMP/missing/$name" ] || continue
			# A shell in between costs as much as the smaller ones: only where there is a pipe.
			# shellcheck disable=SC2086
			case $command in
			*'|'*) cost "$1/$name" 0 sh -c "$command" & ;;
			*) cost "$1/$name" 0 $command & ;;
			esac
		done
		wait
	)
}

# What is missing is said once and left out of the sum.
look_for_commands() {
	mkdir -p "$TMP/missing" "$TMP/one" "$TMP/ten"
	first_minute 1 | while read -r name package command; do
		have "${command%% *}" "$package" || : >"$TMP/missing/$name"
	done
}

# sum_first_minute SET: one line a round, the sum of CPU times and the largest memory of the ten.
sum_first_minute() {
	paste -d ' ' "$TMP/$1"/* | awk '{
		cpu = 0; rss = 0
		for (i = 1; i < NF; i += 2) {
			cpu += $i
			if ($(i + 1) > rss)
				rss = $(i + 1)
		}
		print cpu, rss
	}' >"$TMP/$1.sum"
}

largest_command() {
	for file in "$TMP/$1"/*; do
		echo "$(median "$file" 2) ${file##*/}"
	done | sort -g | tail -n 1 | cut -d ' ' -f 2
}

bench_counters() {
	eight="cpu disk irq listen memory net tcp throttle"
	look_for_commands
	for _ in $(seq "$ROUNDS"); do
		cost plain 3 "$BIN/tuesday" run || return 0
		cost full 3 "$BIN/tuesday" run --no-trace || return 0
		measure_first_minute ten 10
		cost quick 3 "$BIN/tuesday" run --quick --no-trace || return 0
		# What the first minute looks at too: CPUs, memory, disks and network.
		# shellcheck disable=SC2086
		cost eight 3 "$BIN/tuesday" run --quick --no-trace $eight || return 0
		measure_first_minute one 1
	done
	sum_first_minute ten
	sum_first_minute one
	echo "Counters of all checks, and the classic first minute (median of $ROUNDS):"
	cost_row plain full "tuesday run, with its sentinels"
	cost_row full full "tuesday run --no-trace"
	cost_row ten.sum full "its commands, ten seconds each"
	echo "The same in a hurry:"
	cost_row quick quick "tuesday run --quick --no-trace"
	cost_row eight quick "the eight of the first minute"
	cost_row one.sum quick "its commands, one second each"
	# Before there were sentinels a run took 36 ms where these took 98.
	target "a plain run at most 37 % of it" "$(median "$TMP/plain" 1)" "$(median "$TMP/ten.sum" 1)" 0.37
	target "all at most a third of the CPU time" "$(median "$TMP/full" 1)" \
		"$(median "$TMP/ten.sum" 1)" 0.3334
	target "those eight at most a quarter, in a hurry" "$(median "$TMP/eight" 1)" \
		"$(median "$TMP/one.sum" 1)" 0.25
	target "no more memory than the largest command" "$(median "$TMP/full" 2)" \
		"$(median "$TMP/ten.sum" 2)" 1
	echo
}
