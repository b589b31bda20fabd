# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034,SC2154
# waitress: an event loop that reads, and a pool of threads that serve.
known_as=waitress
needs="waitress-serve"
version() {
	dpkg-query --show python3-waitress
}
serve() {
	PYTHONPATH=. exec waitress-serve "--listen=127.0.0.1:$PORT" "--threads=$THREADS" \
		wsgi:application
}
