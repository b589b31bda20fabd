# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034,SC2154
# unicorn: a process for each request, and every connection is closed.
known_as=unicorn
needs="unicorn"
version() {
	unicorn --version
}
serve() {
	echo "worker_processes $THREADS; listen '127.0.0.1:$PORT', backlog: 1024" >unicorn.rb
	exec unicorn --env production --config-file unicorn.rb config.ru
}
