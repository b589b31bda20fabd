# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034,SC2154
# thin: an event loop that reads, and a pool of threads that serve.
known_as=thin
needs="thin"
version() {
	thin --version
}
serve() {
	exec thin --rackup config.ru --environment production --address 127.0.0.1 --port "$PORT" \
		--threaded --threadpool-size "$THREADS" start
}
