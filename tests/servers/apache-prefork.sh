# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034,SC2154
# Apache with a process for each connection, until that is silent for KeepAliveTimeout.
known_as=apache
needs="/usr/sbin/apache2"
version() {
	/usr/sbin/apache2 -v
}
serve() {
	export MPM=prefork PROCESSES=$THREADS
	{
		cat apache.conf
		echo "MinSpareServers $THREADS"
		echo "MaxSpareServers $((THREADS + 1))"
	} >server.conf
	exec /usr/sbin/apache2 -D FOREGROUND -f "$PWD/server.conf"
}
