# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034,SC2154
# nginx: an event loop with no bound on what it serves at once, so that nothing ever queues.
known_as=nginx
needs="/usr/sbin/nginx"
module=/usr/lib/nginx/modules/ngx_http_echo_module.so
version() {
	/usr/sbin/nginx -v 2>&1
}
# In seconds, of the service time times $1.
seconds() {
	awk -v ms="$SERVICE_MS" -v times="$1" 'BEGIN { printf "%.3f", ms * times / 1000 }'
}
serve() {
	cat >nginx.conf <<-END
		load_module $module;
		daemon off;
		pid nginx.pid;
		error_log stderr;
		events { worker_connections 512; }
		http {
			client_body_temp_path .; proxy_temp_path .; fastcgi_temp_path .;
			uwsgi_temp_path .; scgi_temp_path .;
			log_format order '\$arg_id \$msec -\$request_time';
			access_log $ORDER_LOG order;
			split_clients \$request_id \$wait {
				$([ "$SLOW_PERCENT" = 0 ] || echo "$SLOW_PERCENT% $(seconds 10);")
				* $(seconds 1);
			}
			server {
				listen 127.0.0.1:$PORT backlog=1024;
				location / { echo_sleep \$wait; echo ok; }
			}
		}
	END
	exec /usr/sbin/nginx -p "$PWD" -c nginx.conf
}
