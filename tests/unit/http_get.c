/* SPDX-License-Identifier: GPL-2.0-only */
/* Is a request over when its answer is, and is what is no whole answer told from one? */
#include "base/banned.h"

#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/str.h"
#include "experiment/http_get.h"
#include "tap.h"

#define TIMEOUT_MS 5000
#define SHORT_MS 100

/* Answers one request and then, as it is asked for, ends the connection or keeps it. */
static void serve(int listener, const char *answer, bool keeps)
{
	char request[1024];
	int fd = accept(listener, NULL, NULL);

	if (fd < 0 || read(fd, request, sizeof(request)) <= 0 ||
		write(fd, answer, strlen(answer)) < 0)
		_exit(1);
	while (keeps && pause())
		;
	_exit(0);
}

static int get(const char *answer, bool keeps, int timeout_ms, struct str *why)
{
	const struct sockaddr_in any = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct http_server server = {.url = {.port = 80}};
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), status;
	double seconds = -1;
	pid_t child;

	server.address_len = sizeof(server.address);
	if (listener < 0 || bind(listener, (const struct sockaddr *)&any, sizeof(any)) ||
		listen(listener, 1) ||
		getsockname(listener, (struct sockaddr *)&server.address, &server.address_len))
		return -1;
	child = fork();
	if (!child)
		serve(listener, answer, keeps);
	close(listener);
	server.url.authority = mem_strdup("127.0.0.1");
	server.url.path = mem_strdup("/");
	str_clear(why);
	status = http_get(&server, timeout_ms, &seconds, why);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	http_server_free(&server);
	return seconds >= 0 && seconds < TIMEOUT_MS / 1000.0 ? status : -1;
}

#define OK_200 "HTTP/1.1 200 OK\r\n"

int main(void)
{
	struct str why = STR_INIT;

	ok(get(OK_200 "\r\nabc", false, TIMEOUT_MS, &why) == 200,
		"an answer without a length ends with its connection");
	ok(get(OK_200 "Content-Length: 3\r\n\r\nabc", true, TIMEOUT_MS, &why) == 200,
		"one with a length is not waited for, whatever the server does");
	ok(get("HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n", true,
		   TIMEOUT_MS, &why) == 404,
		"what comes before the final status is none");
	ok(!why.len, "nothing is said of what went well");
	ok(get(OK_200 "Content-Length: 9\r\n\r\nabc", false, TIMEOUT_MS, &why) == -EPROTO &&
			strstr(str_text(&why), "ended before"),
		"an answer that is cut is none");
	ok(get("SSH-2.0-x\r\n", true, TIMEOUT_MS, &why) == -EPROTO &&
			strstr(str_text(&why), "not HTTP"),
		"another protocol is not waited for");
	ok(get("", false, TIMEOUT_MS, &why) == -EPROTO &&
			strstr(str_text(&why), "without an answer"),
		"an end without a byte is told");
	ok(get(OK_200 "Content-Length: 99999999999\r\n\r\n", true, TIMEOUT_MS, &why) == -EFBIG &&
			why.len,
		"an answer that would not end is not read");
	ok(get(OK_200 "\r\nabc", true, SHORT_MS, &why) == -ETIMEDOUT && why.len,
		"a server that says no more is waited for as long as was asked");
	str_free(&why);
	return tap_done();
}
