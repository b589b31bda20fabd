# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034,SC2154
# uwsgi that speaks HTTP/1.1 itself: a thread stays with the connection that it has.
known_as=uwsgi-http11
needs="uwsgi_python3"
version() {
	echo "uwsgi $(uwsgi_python3 --version)"
}
serve() {
	exec uwsgi_python3 --http11-socket "127.0.0.1:$PORT" --threads "$THREADS" --master \
		--need-app --wsgi-file wsgi.py
}
