# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034,SC2154
# gunicorn with threads: kept connections go back to its poller.
known_as=gunicorn
needs="gunicorn"
version() {
	gunicorn --version
}
serve() {
	exec gunicorn --workers 1 --worker-class gthread --threads "$THREADS" \
		--bind "127.0.0.1:$PORT" wsgi
}
