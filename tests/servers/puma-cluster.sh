# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034,SC2154
# Puma with two workers, forked after their listener.
known_as=puma
needs="puma rackup"
processes=2
version() {
	puma --version
}
serve() {
	exec puma --environment production --threads "$THREADS:$THREADS" --workers 2 \
		--bind "tcp://127.0.0.1:$PORT" config.ru
}
