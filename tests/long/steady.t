#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# How often is a machine that is well called ill? Hundreds of runs as users have them beside each load, each
# with a history of its own and counted by its first answer. They overlap: STEADY_AT_ONCE (8) go on at the
# same time, each begun a second or more after the one before it, so that 200 beside each load take half an
# hour in all. With STEADY_TO a row of docs/truth.md for each load goes to that file, and a load that has a
# row there is not asked again; STEADY_ONLY is a regular expression of the loads that are wanted, STEADY_RUNS
# how many runs each has.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
needs jq setpriv timeout
loud
begin
runs=${STEADY_RUNS:-200}
# A run costs some 70 ms of CPU in ten seconds: eight are 3 % of two CPUs.
at_once=${STEADY_AT_ONCE:-8}
apart=1
STEADY_TO=${STEADY_TO:-$scratch/rows}
touch "$STEADY_TO" || bail "cannot write $STEADY_TO"

# wanted LOAD PROGRAM...: whether to begin this load, which is in $load from then on.
wanted() {
	local program

	load=$1
	[[ $load =~ ${STEADY_ONLY:-.} ]] || return 1
	if grep -qF "| $load | $runs |" "$STEADY_TO"; then
		judge
		return 1
	fi
	for program in "${@:2}"; do
		if ! command -v "$program" >/dev/null; then
			skip "$load" "needs the program $program"
			return 1
		fi
	done
}

# cpu_time: in ticks since boot, that of all CPUs and how much of it was used.
cpu_time() {
	awk '$1 == "cpu" { all = $2 + $3 + $4 + $5 + $6 + $7 + $8; print all, all - $5 - $6; exit }' /proc/stat
}

# used_since TICKS USED: how many per cent of the CPU time was used since cpu_time said so.
used_since() {
	local now

	read -ra now < <(cpu_time)
	echo $((100 * (now[1] - $2) / (now[0] - $1)))
}

# one_run FILE: bounded, and it ends with the test, however that ends.
one_run() {
	mkdir "$1.state"
	TUESDAY_STATE_DIR=$1.state exec setpriv --pdeathsig KILL timeout -k 5 120 setpriv --pdeathsig KILL \
		"$BIN/tuesday" run -o json >"$1.json" 2>"$1.err" 6>&- 8>&-
}

# overlap DIRECTORY: all runs, so many at once.
overlap() {
	local ended i
	declare -A going=()

	for i in $(seq "$runs"); do
		if [ "${#going[@]}" -ge "$at_once" ]; then
			wait -n -p ended "${!going[@]}"
			unset "going[$ended]"
		fi
		one_run "$1/$i" &
		going[$!]=1
		sleep "$apart"
	done
	wait "${!going[@]}"
}

# judge: the row of $load.
judge() {
	local n bad maybe unknown used row

	row=$(grep -F "| $load | $runs |" "$STEADY_TO" | tail -n 1)
	echo "# $row"
	IFS='|' read -r _ _ n used bad maybe _ unknown _ <<<"$row"
	used=${used//[!0-9]/}
	is "$((n))" "$runs" "$load: every run has answered"
	is "$((bad))" 0 "  none says bad"
	is "$((maybe * 100 <= runs))" 1 "  at most one in a hundred says maybe: $((maybe)) of $runs"
	is "$((100 * $(grep -oE '[0-9]+' <<<"0 $unknown" | sort -n | tail -n 1) <= runs))" 1 \
		"  at most one in a hundred does not know of a part:${unknown% }"
	[ "$load" != idle ] || is "$((used <= 10))" 1 "  the machine was idle: $used % of its CPU time was used"
}

# steady: the runs beside $load. One line a run: what is bad, what is maybe, what is unknown.
steady() {
	local to=$scratch/steady ticks used name

	mkdir "$to"
	read -ra ticks < <(cpu_time)
	overlap "$to"
	used=$(used_since "${ticks[@]}")
	for name in "${!started[@]}"; do
		kill -0 "${started[$name]}" 2>/dev/null || bail "$name ended before the runs beside it did"
	done
	# shellcheck disable=SC2016
	cat "$to"/*.json | jq -s -r --arg load "$load" --arg used "$used" "$met"'
		def list($v): [.[] | .checks[] | select(met | IN($v[])) | .check] | group_by(.) |
			map("\(.[0]) \(length)") | join(", ");
		def runs($v): [.[] | select(any(.checks[]; met == $v))] | length;
		([.[] | [.checks[] | select(.exonerated)] | length] | sort | .[length / 2 | floor]) as $cleared |
		"| \($load) | \(length) | \($used) % | \(runs("bad")) | \(runs("maybe")) | \(list(["bad", "maybe"])) " +
		"| \(list(["unknown"])) | \($cleared) |"' >"$scratch/row" || bail "the results cannot be read"
	# shellcheck disable=SC2016
	cat "$to"/*.json | jq -r "$met"'.checks[] | select(met | IN("bad", "maybe", "unknown")) |
		"#   \(.check): \(.verdict): \(.summary // .reason)"'
	grep -qF "| $load | $runs |" "$scratch/row" || bail "$load: not every run has answered: $(cat "$scratch/row")"
	cat "$scratch/row" >>"$STEADY_TO"
	judge
	rm -rf "$to"
}

die_with_test() {
	exec setpriv --pdeathsig KILL "$@"
}

# What other tests have just left may still be ending.
idle_now() {
	local ticks

	read -ra ticks < <(cpu_time)
	sleep 2
	[ "$(used_since "${ticks[@]}")" -le 5 ]
}
if wanted idle; then
	if until_true 60 idle_now; then
		steady
	else
		skip idle "this machine is not idle"
	fi
fi

serve_pages() {
	mkdir "$scratch/pages"
	echo hello >"$scratch/pages/index.html"
	cat >"$scratch/nginx.conf" <<-END
		daemon off;
		master_process off;
		pid $scratch/nginx.pid;
		error_log $scratch/nginx.log;
		events { }
		http {
			access_log off;
			server { listen 127.0.0.1:${own}1; root $scratch/pages; }
		}
	END
	echo ready
	die_with_test nginx -c "$scratch/nginx.conf"
}
ask_for_pages() {
	echo ready
	die_with_test hey -z 7200s -c 10 -q 50 "http://127.0.0.1:${own}1/index.html"
}
own_ports
chmod 755 "$scratch"
if wanted "nginx, 500 requests a second by hey" nginx hey; then
	start nginx serve_pages
	start hey ask_for_pages
	until_connected "${own}1" 10
	steady
	stop hey
	stop nginx
fi

serve_keys() {
	echo ready
	die_with_test redis-server --port "${own}2" --bind 127.0.0.1 --save '' --dir "$scratch"
}
ask_for_keys() {
	local i

	for i in {1..4}; do
		setpriv --pdeathsig KILL redis-cli -p "${own}2" -r -1 -i 0.002 incr "key$i" >/dev/null &
	done
	echo ready
	wait
}
if wanted "redis, 2,000 commands a second" redis-server redis-cli; then
	start redis serve_keys
	until_true 20 redis-cli -p "${own}2" ping >"$scratch/ping.out" 2>&1 || bail "redis does not answer"
	start ask ask_for_keys
	until_connected "${own}2" 4
	steady
	stop ask
	stop redis
fi

chmod 777 "$scratch"
postgres=$(dirname "$(find /usr/lib/postgresql -name postgres -path '*/bin/*' 2>/dev/null | sort -V | tail -n 1)")
as_postgres() {
	setpriv --reuid=65534 --regid=65534 --clear-groups --pdeathsig KILL "$@"
}
serve_rows() {
	echo ready
	exec setpriv --reuid=65534 --regid=65534 --clear-groups --pdeathsig KILL "$postgres/postgres" \
		-D "$scratch/rows.db" -p "${own}3" -h 127.0.0.1 -k "$scratch"
}
ask_for_rows() {
	echo ready
	exec setpriv --reuid=65534 --regid=65534 --clear-groups --pdeathsig KILL "$postgres/pgbench" \
		-h "$scratch" -p "${own}3" -U tuesday -n -c 4 -R 50 -T 7200 postgres
}
if wanted "PostgreSQL, 50 transactions a second by pgbench" "$postgres/postgres" "$postgres/pgbench"; then
	as_postgres "$postgres/initdb" -D "$scratch/rows.db" -U tuesday -A trust >"$scratch/initdb.out" 2>&1 ||
		bail "no database: $(tail -n 1 "$scratch/initdb.out")"
	start postgres serve_rows
	until_true 20 as_postgres "$postgres/pgbench" -h "$scratch" -p "${own}3" -U tuesday -i -q -s 5 postgres \
		>"$scratch/fill.out" 2>&1 || bail "the database cannot be filled: $(tail -n 1 "$scratch/fill.out")"
	start pgbench ask_for_rows
	until_true 20 pgrep -P "${started[postgres]}" -f "idle|SELECT|UPDATE|COMMIT" >/dev/null ||
		bail "pgbench does not ask"
	steady
	stop pgbench
	# At once, but its processes end before it does, and nobody else has to take leave of them.
	kill -QUIT "${started[postgres]}"
	wait "${started[postgres]}"
	unset "started[postgres]"
fi

read_disk() {
	echo ready
	die_with_test fio --name=steady --filename="$1" --rw=randread --bs=4k --direct=1 --ioengine=psync \
		--thread --rate_iops=50 --runtime=7200 --time_based
}
if wanted "fio, 50 reads a second" fio losetup; then
	head -c 64M /dev/urandom >"$scratch/disk" || bail "no room in $scratch"
	loop=$(losetup -f --show --direct-io=on "$scratch/disk") || bail "no loop device"
	undo losetup -d "$loop"
	start fio read_disk "$loop"
	steady
	stop fio
fi

# Again and again, since one build may be over before the runs are.
compile() {
	echo ready
	while setpriv --pdeathsig KILL make -C "$root" -s -j"$(nproc)" BUILD="$scratch/build" BIN="$scratch/bin" all; do
		rm -rf "${scratch:?}/build" "${scratch:?}/bin"
	done
}
if wanted "a compile with all CPUs"; then
	start compile compile
	steady
	stop compile
fi
plan
