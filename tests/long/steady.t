#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# How often is a machine that is well called ill? Hundreds of runs as users have them beside each load, each
# counted by its first answer. With STEADY_TO a row of docs/truth.md for each load goes there too; STEADY_ONLY is
# a regular expression of the loads that are wanted.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
needs nginx hey redis-server redis-cli fio jq losetup setpriv xargs
loud
begin
postgres=$(dirname "$(find /usr/lib/postgresql -name postgres -path '*/bin/*' 2>/dev/null | sort -V | tail -n 1)")
[ "$postgres" != . ] || skip_all "needs the program postgres"
runs=${STEADY_RUNS:-200}
# What each costs the others is more than 5 % of a machine that compiles where there are ten of them.
at_once=${STEADY_AT_ONCE:-5}
STEADY_TO=${STEADY_TO:-/dev/null}

# one_of_many FILE: begins a little later than the one before it, so that they do not look together.
one_of_many() {
	sleep "$((RANDOM % 10)).$((RANDOM % 10))"
	"$BIN/tuesday" run -o json >"$1.json" 2>"$1.err"
}
export BIN
export -f one_of_many

# steady LOAD: the runs beside it. One line a run: what is bad, what is maybe, what is unknown.
steady() {
	local to=$scratch/steady maybe

	[[ $1 =~ ${STEADY_ONLY:-.} ]] || return 0
	rm -rf "$to"
	mkdir "$to"
	seq -f "$to/%04.0f" "$runs" | xargs -P "$at_once" -I{} bash -c 'one_of_many {}' 6>&- 8>&-
	# shellcheck disable=SC2016
	cat "$to"/*.json | jq -s -c "$met"'
		def those($v): [.[] | .checks[] | select(met == $v) | .check] | group_by(.) | map({(.[0]): length}) | add // {};
		def runs($v): [.[] | select(any(.checks[]; met == $v))] | length;
		{n: length, bad: runs("bad"), maybe: runs("maybe"), who_bad: those("bad"), who_maybe: those("maybe"),
		 who_unknown: those("unknown"), cleared: ([.[] | [.checks[] | select(.exonerated)] | length] | sort | .[length / 2 | floor])}' \
		>"$scratch/counted" || bail "the results cannot be read"
	jq -r --arg load "$1" '
		def list: to_entries | map("\(.key) \(.value)") | join(", ");
		"| \($load) | \(.n) | \(.bad) | \(.maybe) | \([.who_bad, .who_maybe] | add | list) | \(.who_unknown | list) | \(.cleared) |"' \
		"$scratch/counted" | tee -a "$STEADY_TO" | sed 's/^/# /'
	# shellcheck disable=SC2016
	cat "$to"/*.json | jq -r "$met"'.checks[] | select(met | IN("bad", "maybe")) | "#   \(.check): \(.verdict): \(.summary)"'
	is "$(jq .n "$scratch/counted")" "$runs" "$1: every run has answered"
	is "$(jq .bad "$scratch/counted")" 0 "  none says bad"
	maybe=$(jq .maybe "$scratch/counted")
	is "$((maybe * 100 <= runs))" 1 "  at most one in a hundred says maybe: $maybe of $runs"
}

die_with_test() {
	exec setpriv --pdeathsig KILL "$@"
}

steady idle

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
start nginx serve_pages
start hey ask_for_pages
until_connected "${own}1" 10
steady "nginx, 500 requests a second by hey"
stop hey
stop nginx

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
start redis serve_keys
until_true 20 redis-cli -p "${own}2" ping >"$scratch/ping.out" 2>&1 || bail "redis does not answer"
start ask ask_for_keys
until_connected "${own}2" 4
steady "redis, 2,000 commands a second"
stop ask
stop redis

chmod 777 "$scratch"
as_postgres() {
	setpriv --reuid=65534 --regid=65534 --clear-groups --pdeathsig KILL "$@"
}
serve_rows() {
	echo ready
	exec setpriv --reuid=65534 --regid=65534 --clear-groups --pdeathsig KILL "$postgres/postgres" \
		-D "$scratch/rows" -p "${own}3" -h 127.0.0.1 -k "$scratch"
}
ask_for_rows() {
	echo ready
	exec setpriv --reuid=65534 --regid=65534 --clear-groups --pdeathsig KILL "$postgres/pgbench" \
		-h "$scratch" -p "${own}3" -U tuesday -n -c 4 -R 50 -T 7200 postgres
}
as_postgres "$postgres/initdb" -D "$scratch/rows" -U tuesday -A trust >"$scratch/initdb.out" 2>&1 ||
	bail "no database: $(tail -n 1 "$scratch/initdb.out")"
start postgres serve_rows
until_true 20 as_postgres "$postgres/pgbench" -h "$scratch" -p "${own}3" -U tuesday -i -q -s 5 postgres \
	>"$scratch/fill.out" 2>&1 || bail "the database cannot be filled: $(tail -n 1 "$scratch/fill.out")"
start pgbench ask_for_rows
until_true 20 pgrep -P "${started[postgres]}" -f "idle|SELECT|UPDATE|COMMIT" >/dev/null || bail "pgbench does not ask"
steady "PostgreSQL, 50 transactions a second by pgbench"
stop pgbench
stop postgres

read_disk() {
	echo ready
	die_with_test fio --name=steady --filename="$1" --rw=randread --bs=4k --direct=1 --ioengine=psync \
		--thread --rate_iops=50 --runtime=7200 --time_based
}
head -c 64M /dev/urandom >"$scratch/disk" || bail "no room in $scratch"
loop=$(losetup -f --show --direct-io=on "$scratch/disk") || bail "no loop device"
undo losetup -d "$loop"
start fio read_disk "$loop"
steady "fio, 50 reads a second"
stop fio

# Again and again, since one build may be over before the runs are.
compile() {
	echo ready
	while :; do
		setpriv --pdeathsig KILL make -C "$root" -s -j"$(nproc)" BUILD="$scratch/build" BIN="$scratch/bin" all
		rm -rf "${scratch:?}/build" "${scratch:?}/bin"
	done
}
start compile compile
steady "a compile with all CPUs"
stop compile
plan
