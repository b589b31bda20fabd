# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
#
# How many EU-stall records does a core decode, and what does a check of a second cost on a GPU of 20
# XeCores that hands out all that its driver can? CPU time, without the GPU, that nobody here has: its
# driver is tests/fake-xe within the program, which copies as a kernel does.

# Ten windows after one to warm up, each of four polls of the hardware.
FULL_RECORDS=$((20 * 1638 * 5 * 4 * 10))

# eustall_machine: the sysfs of a machine with one such GPU, in $TMP/sys.
eustall_machine() {
	gpu=$TMP/sys/devices/0000:03:00.0
	mkdir -p "$gpu/power" "$gpu/drm/renderD128" "$TMP/sys/class/drm" "$TMP/sys/bus/pci/drivers/xe"
	ln -s ../../bus/pci/drivers/xe "$gpu/driver"
	ln -s ../../../0000:03:00.0 "$gpu/drm/renderD128/device"
	ln -s ../../devices/0000:03:00.0/drm/renderD128 "$TMP/sys/class/drm/renderD128"
	ln -s ../../../../devices/0000:03:00.0 "$TMP/sys/bus/pci/drivers/xe/0000:03:00.0"
	echo active >"$gpu/power/runtime_status"
}

# eustall_preloaded NAME COMMAND...: what it costs within such a machine, and what it says.
eustall_preloaded() {
	name=$1
	shift
	# shellcheck disable=SC2016
	cost "$name" 2 unshare --mount sh -c 'mount --make-rprivate / && mount --bind "$1" /sys || exit 99
		export LD_PRELOAD="$2" FAKE_XE="pool=163840 per_ms=1638 ips=2000 mix=10,0,0,0,0,0,0,90"
		shift 2; exec "$@"' sh "$TMP/sys" "$(realpath "$BUILD/faults/fake-xe.so")" "$@"
}

eustall_whole_check() {
	echo "eustallhealth, a whole check of a saturated GPU of 20 XeCores (32.8 M records a second):"
	if [ "$(id -u)" != 0 ]; then
		echo "  needs root, for a sysfs of its own"
		return
	fi
	eustall_machine
	for _ in $(seq "$ROUNDS"); do
		eustall_preloaded eustall-without true || return
		eustall_preloaded eustall-with "$(realpath "$BUILD/dynamic/eustallhealth")" --quick -o json || return
		grep -oE '"name":"(cost_seconds|awake_seconds|sample_count)"[^}]*"value":[0-9.]*' "$TMP/cost.eustall-with.out" |
			sed 's/"name":"\([a-z_]*\)".*:/\1 /' | awk '{ v[$1] = $2 }
			END { print v["cost_seconds"], v["awake_seconds"], v["sample_count"] / 4 }' >>"$TMP/eustall.told"
	done
	awk -v with="$(median "$TMP/eustall-with" 1)" -v without="$(median "$TMP/eustall-without" 1)" \
		-v told="$(median "$TMP/eustall.told" 1)" -v awake="$(median "$TMP/eustall.told" 2)" \
		-v records="$(median "$TMP/eustall.told" 3)" -v full="$FULL_RECORDS" 'BEGIN {
		printf "  %.0f ms of CPU, %.0f ms of it to sample; %.1f M records of %.1f M, %.1f M in each second awake\n",
			(with - without) * 1000, told * 1000, records / 1e6, full / 1e6, records / 1e6 / (awake * 10 / 11)
		printf "  target: at most 150 ms: %s\n", with - without <= 0.150 ? "met" : "NOT met"
	}'
}

bench_eustall() {
	echo "EU-stall records decoded by one core, beside reading the same bytes from the kernel, and copying them:"
	"$BUILD/bench/eustall" >"$TMP/eustall"
	awk '$1 != "check" {
		printf "  %-4s %6d instructions: totals %4.0f M/s, by instruction %4.0f M/s; ", $1, $2, $5, $6
		printf "read %3.0f M/s (%.2f and %.2f of its time), ", $4, $4 / $5, $4 / $6
		printf "memcpy in the cache %4.0f M/s (%.1f and %.1f)\n", $3, $3 / $5, $3 / $6
	}' "$TMP/eustall"
	awk '$1 == "check" { print $2, $3 }' "$TMP/eustall" >"$TMP/eustall.checks"
	awk -v ms="$(median "$TMP/eustall.checks" 2)" 'NR == 1 {
		printf "  a run of gpudiagnose, %.1f M records copied and counted: %.0f ms of CPU\n", $1 / 1e6, ms
		printf "  target: at most 150 ms: %s\n", ms <= 150 ? "met" : "NOT met"
	}' "$TMP/eustall.checks"
	# The slowest layout decides.
	awk '$1 != "check" { print $5, $6, $4 / $5, $4 / $6 }' "$TMP/eustall" >"$TMP/eustall.rates"
	target "200 M records a second for totals" 200 "$(quantile "$TMP/eustall.rates" 1 0)" 1
	target "100 M records a second by instruction" 100 "$(quantile "$TMP/eustall.rates" 2 0)" 1
	# What holds on a slow or busy machine too: what it takes to get the records at all.
	target "totals in half the time of reading them" "$(quantile "$TMP/eustall.rates" 3 1)" 1 0.5
	target "by instruction in less than the time of reading them" "$(quantile "$TMP/eustall.rates" 4 1)" 1 1
	eustall_whole_check
	echo
}
