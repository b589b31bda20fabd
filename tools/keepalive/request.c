/* SPDX-License-Identifier: GPL-2.0-only */
/* Which bytes are sent? */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "tools/keepalive/options.h"
#include "tools/keepalive/request.h"

#define BODY_MAX (1 << 20)

/* Returns 0, or -errno after a message. */
static int read_body(const char *path, const char *program, struct str *body)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	char part[4096];
	ssize_t n = fd < 0 ? -1 : 1;
	int err;

	while (n > 0 && body->len <= BODY_MAX) {
		n = read(fd, part, sizeof(part));
		str_addn(body, part, n > 0 ? (size_t)n : 0);
	}
	err = n < 0 ? -errno : 0;
	if (fd >= 0)
		close(fd);
	if (!err && body->len > BODY_MAX)
		err = -EFBIG;
	if (err)
		fprintf(stderr, "%s: %s: %s\n", program, path, strerror(-err));
	return err;
}

static char *make(
	const struct keepalive_options *asked, const struct str *body, bool close, size_t *len)
{
	struct str s = STR_INIT;

	str_addf(&s, "%s %s HTTP/1.1\r\n", asked->method, asked->url.path);
	if (!asked->has_host)
		str_addf(&s, "Host: %s\r\n", asked->url.authority);
	if (!asked->has_agent)
		str_add(&s, "User-Agent: keepalivediagnose\r\n");
	if (!asked->has_accept)
		str_add(&s, "Accept: */*\r\n");
	str_add(&s, str_text(&asked->headers));
	if (body->len || asked->body || asked->body_file)
		str_addf(&s, "Content-Length: %zu\r\n", body->len);
	if (close)
		str_add(&s, "Connection: close\r\n");
	str_add(&s, "\r\n");
	str_addn(&s, body->text ? body->text : "", body->len);
	*len = s.len;
	return str_take(&s);
}

int keepalive_options_request(
	const struct keepalive_options *asked, const char *program, struct request *request)
{
	const bool head = !strcmp(asked->method, "HEAD");
	struct str body = STR_INIT;
	int err = 0;

	*request =
		(struct request){.head = head, .repeatable = head || !strcmp(asked->method, "GET")};
	if (asked->body_file)
		err = read_body(asked->body_file, program, &body);
	else if (asked->body)
		str_add(&body, asked->body);
	if (!err) {
		request->keep = make(asked, &body, false, &request->keep_len);
		request->close = make(asked, &body, true, &request->close_len);
	}
	str_free(&body);
	return err;
}

void request_free(struct request *request)
{
	free(request->keep);
	free(request->close);
}
