# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034,SC2154
# Puma 7 as a gem, which make long-deps installs where it can be had: it serves whoever came first.
known_as=puma
needs="ruby"
gems=/var/lib/tuesday-gems
module=$(compgen -G "$gems/gems/puma-7.*/bin/puma" | tail -n 1)
module=${module:-the gem puma 7: make long-deps}
version() {
	GEM_PATH=$gems ruby "$module" --version
}
serve() {
	GEM_PATH=$gems exec ruby "$module" --environment production --threads "$THREADS:$THREADS" \
		--workers 0 --bind "tcp://127.0.0.1:$PORT" config.ru
}
