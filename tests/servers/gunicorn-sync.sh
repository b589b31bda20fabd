# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034,SC2154
# gunicorn with its default workers: a process for each request, and every connection is closed.
known_as=gunicorn
needs="gunicorn"
version() {
	gunicorn --version
}
serve() {
	exec gunicorn --workers "$THREADS" --worker-class sync --bind "127.0.0.1:$PORT" wsgi
}
