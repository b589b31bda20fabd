# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What CPU time does the client of keepalivediagnose take for a fixed number of requests, and what do
# ab and hey take for as many, of the same server in turns?

CLIENT_PORT=18700

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

bench_client() {
	echo "60000 requests on kept connections, 20000 on new ones, ten at a time (median of $ROUNDS):"
	have nginx nginx-light || return 0
	start_server || return 0
	set -- ours
	! have ab apache2-utils || set -- "$@" ab
	! have hey hey || set -- "$@" hey
	for _ in $(seq "$ROUNDS"); do
		for name in $(shuf -e "$@"); do
			send "$name" keep || break 2
			send "$name" close || break 2
		done
	done
	stop_tracer
	for name; do
		cost_row "keep.$name" keep.ours "kept, $name"
	done
	for name; do
		cost_row "close.$name" close.ours "new, $name"
	done
	for kind in keep close; do
		[ ! -s "$TMP/$kind.ab" ] ||
			target "$kind: no more than ab's CPU time" "$(median "$TMP/$kind.ours" 1)" \
				"$(median "$TMP/$kind.ab" 1)" 1
	done
	echo
}
