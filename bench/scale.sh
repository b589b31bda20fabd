# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Does a counters pass grow in proportion to the machine, and not faster?

# median_cost TUESDAY-OPTION…: CPU milliseconds of a counters pass.
median_cost() {
	rm -f "$TMP/scale"
	for _ in $(seq "$ROUNDS"); do
		cost scale 3 "$BIN/tuesday" run --no-trace "$@" || return 0
	done
	awk -v s="$(median "$TMP/scale" 1)" 'BEGIN { printf "%.2f", s * 1000 }'
}

# scale_row WHAT N BASE HALF WHOLE: costs with none, half and all of them. Of straight growth the second
# half costs as much as the first.
scale_row() {
	awk -v what="$1" -v n="$2" -v base="$3" -v half="$4" -v whole="$5" 'BEGIN {
		first = half - base
		second = whole - half
		printf "  %6d %-22s %6.2f ms -> %6.2f -> %6.2f   %5.1f us each", n, what, base, half,
			whole, (whole - base) * 1000 / n
		if (first > 0)
			printf "   second half / first: %.2f", second / first
		print ""
	}'
}

# with_many WHAT N: the cost while there are as many processes or listeners.
with_many() {
	start_tracer many ready "$BUILD/bench/many" "$1" "$2" || return 0
	median_cost --quick
	stop_tracer
	# Thousands of children take a moment to go.
	sleep 2
}

scale_many() {
	scale_row "$1" "$2" "$(median_cost --quick)" "$(with_many "$1" $(($2 / 2)))" \
		"$(with_many "$1" "$2")"
}

# Where cgroups with a CPU or memory controller are made.
cgroup_root() {
	awk '$3 == "cgroup" && $4 ~ /memory/ { print $2; exit }
		$3 == "cgroup2" { two = $2 }
		END { if (two) print two }' /proc/self/mounts | head -n 1
}

scale_cgroups() {
	at=$(cgroup_root)/tuesday-bench-$$
	base=$(median_cost --quick)
	mkdir "$at" || return 0
	seq "$(($1 / 2))" | sed "s|^|$at/|" | xargs mkdir
	half=$(median_cost --quick)
	seq "$(($1 / 2 + 1))" "$1" | sed "s|^|$at/|" | xargs mkdir
	whole=$(median_cost --quick)
	find "$at" -depth -type d -exec rmdir {} +
	scale_row cgroups "$1" "$base" "$half" "$whole"
}

# A recorded machine of so many disks and CPUs, as the kernel would write them.
write_machine() {
	disks=$1
	cpus=$2
	awk -v disks="$disks" -v cpus="$cpus" 'BEGIN {
		for (s = 0; s < 2; s++) {
			print "=== " s " /proc/diskstats"
			for (i = 0; i < disks; i++)
				printf " %d %d sd%d %d 0 %d %d 0 0 0 0 0 %d %d 0 0 0 0 0 0\n", 8, i, i,
					s * 500, s * 4000, s * 900, s * 800, s * 900
			for (i = 0; !s && i < disks; i++)
				printf "=== 0 /sys/block/sd%d/queue/wbt_lat_usec\n75000\n=== 0 /sys/block/sd%d/queue/rotational\n1\n", i, i
			print "=== " s " /proc/stat"
			print "cpu  " cpus * s * 100 " 0 0 " cpus * s * 900 " 0 0 0 0 0 0"
			for (i = 0; i < cpus; i++)
				print "cpu" i " " s * 100 " 0 0 " s * 900 " 0 0 0 0 0 0"
			print "=== " s " /proc/net/softnet_stat"
			for (i = 0; i < cpus; i++)
				printf "%08x 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 %08x 00000000 00000000\n", s * 1000, i
			print "=== " s " /proc/interrupts"
			for (i = 0; i < cpus; i++)
				printf "%11s", "CPU" i
			printf "\n  24:"
			for (i = 0; i < cpus; i++)
				printf " %10d", s * 100
			print "  PCI-MSI-0000:00:05.0 0-edge nvme0q0"
		}
	}' >"$TMP/machine.tree"
	rm -rf "$TMP/machine"
	# shellcheck disable=SC2154
	"$here/../tests/replay/grow" -v to="$TMP/machine" "$TMP/machine.tree"
}

replayed() {
	write_machine "$1" "$2"
	median_cost --replay "$TMP/machine"
}

bench_scale() {
	echo "A counters pass as the machine grows (CPU time with none, half and all; medians of $ROUNDS):"
	if needs_root; then
		scale_cgroups 1000
	fi
	scale_many processes 5000
	scale_many listeners 1000
	scale_row "disks (replayed)" 200 "$(replayed 1 2)" "$(replayed 100 2)" "$(replayed 200 2)"
	scale_row "CPUs (replayed)" 256 "$(replayed 1 2)" "$(replayed 1 128)" "$(replayed 1 256)"
	echo
}
