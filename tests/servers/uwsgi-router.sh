# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034,SC2154
# uwsgi behind its own router, which keeps the connections.
known_as=uwsgi-router
needs="uwsgi_python3"
version() {
	echo "uwsgi $(uwsgi_python3 --version)"
}
serve() {
	exec uwsgi_python3 --plugins http --http "127.0.0.1:$PORT" --http-keepalive \
		--threads "$THREADS" --master --need-app --wsgi-file wsgi.py
}
