# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034,SC2154
# node: an event loop reads all at once, and the application has a queue of its own.
known_as=
needs="nodejs"
version() {
	echo "node $(nodejs --version)"
}
serve() {
	exec nodejs server.js
}
