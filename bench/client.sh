# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What CPU time does the client of keepalivediagnose take for a fixed number of requests, and how far
# from the truth is what it says they took? The same of ab, hey and wrk, of the same server in turns.

CLIENT_PORT=18700
DELAY_PORT=18701
DELAY_US=1000
DELAYED=1000

start_server() {
	cat >"$TMP/nginx.conf" <<-END
		daemon off; worker_processes 1; pid $TMP/nginx.pid; error_log $TMP/nginx.log;
		events { worker_connections 1024; }
		http { access_log off; keepalive_requests 100000000;
			client_body_temp_path $TMP/n1; proxy_temp_path $TMP/n2;
			fastcgi_temp_path $TMP/n3; uwsgi_temp_path $TMP/n4; scgi_temp_path $TMP/n5;
			server { listen 127.0.0.1:$CLIENT_PORT; location / { return 200 "ok\n"; } } }
	END
	start_tracer nginx "" nginx -p "$TMP" -c "$TMP/nginx.conf" || return
	for _ in $(seq 50); do
		"$BUILD/bench/client" "http://127.0.0.1:$CLIENT_PORT/" keep 1 1 2>/dev/null |
			grep -q 'failed 0' && return
		sleep 0.1
	done
	echo "  nginx did not start: $(tail -n 1 "$TMP/out")"
	stop_tracer
	return 1
}

# send TOOL keep|close: 60000 requests on ten connections, or 20000 on a new one each.
send() {
	url=http://127.0.0.1:$CLIENT_PORT/
	case $1.$2 in
	ours.keep) cost keep.ours 0 "$BUILD/bench/client" "$url" keep 10 60000 ;;
	ours.close) cost close.ours 0 "$BUILD/bench/client" "$url" close 10 20000 ;;
	ab.keep) cost keep.ab 0 ab -q -k -c 10 -n 60000 "$url" ;;
	ab.close) cost close.ab 0 ab -q -c 10 -n 20000 "$url" ;;
	hey.keep) cost keep.hey 0 hey -cpus 1 -c 10 -n 60000 "$url" ;;
	hey.close) cost close.hey 0 hey -cpus 1 -disable-keepalive -c 10 -n 20000 "$url" ;;
	esac
}

# requests_per_cpu NAME COUNT TEXT TARGET: by the client's own CPU time.
requests_per_cpu() {
	[ -s "$TMP/$1" ] || return 0
	awk -v cpu="$(median "$TMP/$1" 1)" -v n="$2" -v text="$3" -v least="$4" 'BEGIN {
		printf "  target: %s: %.0f k requests per CPU second, of %d k: %s\n", text,
			n / cpu / 1000, least / 1000, (n / cpu >= least) ? "met" : "NOT met" }'
}

bench_costs() {
	echo "60000 requests on kept connections, 20000 on new ones, ten at a time (median of $ROUNDS):"
	start_server || return 0
	for _ in $(seq "$ROUNDS"); do
		for name in $(shuf -e "$@"); do
			[ "$name" != wrk ] || continue
			send "$name" keep || break 2
			send "$name" close || break 2
		done
	done
	stop_tracer
	for kind in keep close; do
		for name; do
			cost_row "$kind.$name" "$kind.ours" "$kind, $name"
		done
	done
	for kind in keep close; do
		[ ! -s "$TMP/$kind.ab" ] ||
			target "$kind: no more than ab's CPU time" "$(median "$TMP/$kind.ours" 1)" \
				"$(median "$TMP/$kind.ab" 1)" 1
	done
	requests_per_cpu keep.ours 60000 "kept" 130000
	requests_per_cpu close.ours 20000 "new connections" 20000
}

# What each tool says of 50 %, 90 % and 99 % of the requests, in microseconds. Their own words.
said_by_ours() {
	"$BUILD/bench/client" "$1" keep 1 "$DELAYED" | awk '{ print $12, $14, $16 }'
}

said_by_ab() {
	ab -q -k -c 1 -n "$DELAYED" -e "$TMP/ab.csv" "$1" >/dev/null 2>&1
	awk -F, '$1 == 50 || $1 == 90 || $1 == 99 { printf "%s ", $2 * 1000 }' "$TMP/ab.csv"
}

said_by_hey() {
	hey -cpus 1 -c 1 -n "$DELAYED" -o csv "$1" | tail -n +2 | cut -d, -f1 >"$TMP/hey.csv"
	for share in 0.5 0.9 0.99; do
		quantile "$TMP/hey.csv" 1 "$share"
	done | awk '{ printf "%s ", $1 * 1e6 }'
}

said_by_wrk() {
	wrk -t1 -c1 -d1s --latency "$1" | awk '$1 ~ /^(50|90|99)%$/ {
		printf "%s ", $2 * ($2 ~ /us$/ ? 1 : $2 ~ /ms$/ ? 1000 : 1000000) }'
}

# ask TOOL: the mean of the errors of its three, as a share of what the server's kernel clock says.
ask() {
	start_tracer delay '^ready' "$BUILD/bench/delay" "$DELAY_PORT" "$DELAY_US" || return
	said=$("said_by_$1" "http://127.0.0.1:$DELAY_PORT/")
	sleep 0.1
	true=$(tail -n 1 "$TMP/out")
	stop_tracer
	echo "$said $true" | awk 'NF == 7 {
		for (i = 1; i <= 3; i++)
			sum += ($i > $(i + 4) ? $i - $(i + 4) : $(i + 4) - $i) / $(i + 4)
		print sum / 3 * 100 }' >>"$TMP/error.$1"
}

bench_errors() {
	echo "$DELAYED requests, one at a time, of about 1 ms: error of their 50th, 90th and 99th percentile"
	echo "against the kernel's time stamps at the server (median of $ROUNDS):"
	for _ in $(seq "$ROUNDS"); do
		for name in $(shuf -e "$@"); do
			ask "$name" || return 0
		done
	done
	ours=$(median "$TMP/error.ours" 1)
	for name; do
		awk -v name="$name" -v own="$(median "$TMP/error.$name" 1)" -v ours="$ours" 'BEGIN {
			printf "  %-8s %6.2f %%", name, own
			if (name != "ours")
				printf "   %.1f times ours", own / ours
			print "" }'
		[ "$name" = ours ] ||
			target "less than $name" "$ours" "$(median "$TMP/error.$name" 1)" 1
	done
	target "less than 1 %" "$ours" 1 1
}

bench_client() {
	have nginx nginx-light || return 0
	set -- ours
	! have ab apache2-utils || set -- "$@" ab
	! have hey hey || set -- "$@" hey
	! have wrk wrk || set -- "$@" wrk
	bench_costs "$@"
	bench_errors "$@"
	echo
}
