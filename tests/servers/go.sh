# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034,SC2154
# Go's net/http: a goroutine for each connection, and a semaphore in the application.
known_as=
needs="gccgo"
version() {
	gccgo --version
}
serve() {
	gccgo -O1 -o go-server server.go && exec ./go-server
}
