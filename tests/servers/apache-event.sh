# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034,SC2154
# Apache with threads and a listener that keeps the idle connections, here with few threads.
known_as=apache
needs="/usr/sbin/apache2"
version() {
	/usr/sbin/apache2 -v
}
serve() {
	export MPM=event PROCESSES=1
	{
		cat apache.conf
		echo "ThreadsPerChild $THREADS"
		echo "MinSpareThreads 1"
		echo "MaxSpareThreads $THREADS"
	} >server.conf
	exec /usr/sbin/apache2 -D FOREGROUND -f "$PWD/server.conf"
}
