# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034,SC2154
# Puma in one process, with its own defaults: before 7.0 up to ten requests in a row of a connection.
known_as=puma
needs="puma rackup"
version() {
	puma --version
}
serve() {
	exec puma --environment production --threads "$THREADS:$THREADS" --workers 0 \
		--bind "tcp://127.0.0.1:$PORT" config.ru
}
