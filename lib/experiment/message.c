/* SPDX-License-Identifier: GPL-2.0-only */
/* How do the tool and its keeper talk, when either can be killed in the middle of a word? */
#include "base/banned.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "experiment/undo_log.h"
#include "experiment/message.h"

struct header {
	int32_t what, watchdog;
	uint32_t text_len, entry_len;
};

static int message_send_all(int fd, const void *data, size_t len)
{
	const char *at = data;

	while (len) {
		ssize_t n = send(fd, at, len, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 && errno != ECONNRESET ? -errno : -EPIPE;
		at += n;
		len -= (size_t)n;
	}
	return 0;
}

int message_send(int fd, const struct message *message)
{
	struct header header = {.what = message->what,
		.watchdog = message->watchdog,
		.text_len = (uint32_t)message->text.len,
		.entry_len = (uint32_t)message->entry.len};
	int err = message_send_all(fd, &header, sizeof(header));

	if (!err)
		err = message_send_all(fd, str_text(&message->text), message->text.len);
	if (!err)
		err = message_send_all(fd, str_text(&message->entry), message->entry.len);
	return err;
}

static int receive_all(int fd, void *data, size_t len, int timeout_ms)
{
	char *at = data;

	while (len) {
		struct pollfd poller = {.fd = fd, .events = POLLIN};
		int ready = poll(&poller, 1, timeout_ms);
		ssize_t n;

		if (!ready)
			return -ETIMEDOUT;
		n = ready < 0 ? -1 : recv(fd, at, len, 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 && errno != ECONNRESET ? -errno : -EPIPE;
		at += n;
		len -= (size_t)n;
	}
	return 0;
}

static int receive_text(int fd, struct str *text, size_t len, int timeout_ms)
{
	char *buf;
	int err;

	if (len > UNDO_LOG_ENTRY_MAX)
		return -EMSGSIZE;
	buf = mem_alloc(len + 1);
	err = receive_all(fd, buf, len, timeout_ms);
	if (!err)
		str_addn(text, buf, len);
	free(buf);
	return err;
}

int message_receive(int fd, struct message *message, int timeout_ms)
{
	struct header header;
	int err = receive_all(fd, &header, sizeof(header), timeout_ms);

	*message = (struct message){0};
	if (err)
		return err;
	message->what = header.what;
	message->watchdog = header.watchdog;
	err = receive_text(fd, &message->text, header.text_len, timeout_ms);
	if (!err)
		err = receive_text(fd, &message->entry, header.entry_len, timeout_ms);
	if (err)
		message_free(message);
	return err;
}

void message_free(struct message *message)
{
	str_free(&message->text);
	str_free(&message->entry);
}
