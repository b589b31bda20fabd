# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What all parts of the benchmark share: medians, tables, and tracers that come and go.

TMP=$(mktemp -d)
LOOP=
TRACER_PID=

clean_up() {
	[ -z "$TRACER_PID" ] || stop_tracer
	[ -z "$LOOP" ] || losetup -d "$LOOP"
	umount "$TMP/disk" 2>/dev/null || true
	rm -rf "$TMP"
}
trap clean_up EXIT
trap 'exit 130' INT TERM HUP

# have COMMAND PACKAGE: whether it is there; says how to get it if not.
have() {
	command -v "$1" >/dev/null && return
	echo "  $1: not installed; apt-get install $2"
	return 1
}

# needs_root: tracing parts are left out without it.
needs_root() {
	[ "$(id -u)" = 0 ] && return
	echo "  needs root, to load tracers"
	return 1
}

# mount_tracefs: for those that look for it in one place only.
mount_tracefs() {
	[ -e /sys/kernel/debug/tracing/events ] || mount -t debugfs none /sys/kernel/debug
	[ -e /sys/kernel/tracing/events ] || mount -t tracefs none /sys/kernel/tracing
}

# quantile FILE COLUMN SHARE
quantile() {
	awk -v c="$2" '{ print $c }' "$1" | sort -g |
		awk -v q="$3" '{ v[NR] = $1 } END { r = int(q * (NR - 1) + 1.5); if (NR) print v[r] }'
}

median() {
	quantile "$1" "$2" 0.5
}

# cost NAME STATUS COMMAND [ARGUMENT]…: runs it and keeps its CPU time and memory under that name,
# unless its exit status is above STATUS.
cost() {
	cost_name=$1
	worst=$2
	status=0
	shift 2
	# Several may be under way at once.
	cost_file=$TMP/cost.$(echo "$cost_name" | tr / -)
	rm -f "$cost_file"
	"$BUILD/bench/measure" "$cost_file" "$@" >"$cost_file.out" 2>&1 || status=$?
	if [ "$status" -gt "$worst" ]; then
		echo "  $1 failed with $status: $(tail -n 1 "$cost_file.out")"
		return 1
	fi
	cat "$cost_file" >>"$TMP/$cost_name"
}

# cost_row NAME OURS TEXT: one line of a table of costs; OURS is the row to compare with.
cost_row() {
	[ -s "$TMP/$1" ] || return 0
	awk -v text="$3" -v cpu="$(median "$TMP/$1" 1)" -v rss="$(median "$TMP/$1" 2)" \
		-v our_cpu="$(median "$TMP/$2" 1)" -v our_rss="$(median "$TMP/$2" 2)" -v self="$1" \
		-v ours="$2" 'BEGIN {
		printf "  %-34s %7.1f ms  %7.1f MiB", text, cpu * 1000, rss / 1048576
		if (self != ours)
			printf "   %.1f and %.1f times ours", cpu / our_cpu, rss / our_rss
		print ""
	}'
}

# target TEXT OURS THEIRS SHARE: whether ours is at most that share of theirs.
target() {
	[ -n "$2" ] && [ -n "$3" ] || return 0
	awk -v text="$1" -v ours="$2" -v theirs="$3" -v share="$4" 'BEGIN {
		printf "  target: %s: %s\n", text, ours <= share * theirs ? "met" : "NOT met"
	}'
}

# start_tracer NAME READY COMMAND [ARGUMENT]…: starts it and waits until its output holds READY;
# not at all for "".
start_tracer() {
	tracer_name=$1
	ready=$2
	shift 2
	"$@" >"$TMP/out" 2>&1 &
	TRACER_PID=$!
	[ -n "$ready" ] || return 0
	for _ in $(seq 100); do
		grep -q "$ready" "$TMP/out" && return
		kill -0 "$TRACER_PID" 2>/dev/null || break
		sleep 0.1
	done
	stop_tracer
	echo "  $tracer_name did not start: $(tail -n 1 "$TMP/out")"
	return 1
}

stop_tracer() {
	kill -INT "$TRACER_PID" 2>/dev/null || true
	for _ in $(seq 100); do
		kill -0 "$TRACER_PID" 2>/dev/null || break
		sleep 0.1
	done
	kill -KILL "$TRACER_PID" 2>/dev/null || true
	wait "$TRACER_PID" 2>/dev/null || true
	TRACER_PID=
}

# pair NAME WORKLOAD: runs the function WORKLOAD, which prints nanoseconds for an event, without and
# with the tracer that the function start_NAME starts; keeps both and the difference.
pair() {
	base=$("$2")
	"start_$1" || return 0
	traced=$("$2")
	stop_tracer
	check_events "$1" || return 0
	echo "$base $traced" | awk '{ print $1, $2, $2 - $1 }' >>"$TMP/pairs.$1"
}

# check_events NAME: a tracer of ours that missed the workload must not look cheap. A request or two
# may be merged.
check_events() {
	[ "${1#tuesday}" != "$1" ] || return 0
	seen=$(awk '$1 == "events" { print $2 }' "$TMP/out")
	[ "${seen:-0}" -ge $((events * 99 / 100)) ] && return
	echo "  tuesday saw ${seen:-0} of $events events: not comparable"
	return 1
}

# pairs WORKLOAD EVENTS NAME…: all rounds, in an order that is new each time. EVENTS is how many of
# them one run of the workload makes.
pairs() {
	workload=$1
	events=$2
	shift 2
	rm -f "$TMP"/pairs.*
	for _ in $(seq "$ROUNDS"); do
		for name in $(shuf -e "$@"); do
			pair "$name" "$workload"
		done
	done
	cat "$TMP"/pairs.* 2>/dev/null >"$TMP/all" || true
	for name; do
		pair_row "$name"
	done
	echo "  (base $(median "$TMP/all" 1) ns, $ROUNDS pairs each, quartiles in brackets)"
}

pair_row() {
	file=$TMP/pairs.$1
	[ -s "$file" ] || return 0
	our=
	[ ! -s "$TMP/pairs.tuesday" ] || our=$(median "$TMP/pairs.tuesday" 3)
	awk -v name="$(echo "$1" | tr _ " ")" -v added="$(median "$file" 3)" \
		-v low="$(quantile "$file" 3 0.25)" -v high="$(quantile "$file" 3 0.75)" -v ours="$our" 'BEGIN {
		printf "  %-20s %+6d ns  (%+d to %+d)", name, added, low, high
		if (name !~ /^tuesday/ && ours > 0)
			printf "   %.1f times ours", added / ours
		print ""
	}'
}

added() {
	[ ! -s "$TMP/pairs.$1" ] || median "$TMP/pairs.$1" 3
}
