/* SPDX-License-Identifier: GPL-2.0-only */
/* Who opens a file that its reader may not open? */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sys/caps.h"
#include "sys/open_beneath.h"
#include "sys/opener.h"

/* What changes neither the file nor who has it. */
#define OPENER_FLAGS \
	(O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW | O_DIRECTORY | O_PATH)

struct question {
	int flags;
	bool beneath;
	char path[PATH_MAX];
};

/* One message, with a descriptor or none. */
struct parcel {
	struct msghdr header;
	struct iovec part;
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
};

static int opener_fd = -1;

static void parcel_make(struct parcel *parcel, void *bytes, size_t len)
{
	memset(parcel, 0, sizeof(*parcel));
	parcel->part = (struct iovec){bytes, len};
	parcel->header = (struct msghdr){.msg_iov = &parcel->part,
		.msg_iovlen = 1,
		.msg_control = parcel->control.bytes,
		.msg_controllen = sizeof(parcel->control.bytes)};
}

/* fd: -1 for none. Returns 0 or -errno. */
static int parcel_send(int socket, void *bytes, size_t len, int fd)
{
	struct parcel parcel;
	struct cmsghdr *control;

	parcel_make(&parcel, bytes, len);
	if (fd < 0) {
		parcel.header.msg_control = NULL;
		parcel.header.msg_controllen = 0;
	} else {
		control = CMSG_FIRSTHDR(&parcel.header);
		control->cmsg_level = SOL_SOCKET;
		control->cmsg_type = SCM_RIGHTS;
		control->cmsg_len = CMSG_LEN(sizeof(fd));
		memcpy(CMSG_DATA(control), &fd, sizeof(fd));
	}
	while (sendmsg(socket, &parcel.header, MSG_NOSIGNAL) < 0)
		if (errno != EINTR)
			return -errno;
	return 0;
}

/* Returns the length of the message or -errno; *fd is -1 where none came with it. */
static ssize_t parcel_receive(int socket, void *bytes, size_t len, int *fd)
{
	struct parcel parcel;
	const struct cmsghdr *control;
	ssize_t n;

	parcel_make(&parcel, bytes, len);
	*fd = -1;
	do {
		n = recvmsg(socket, &parcel.header, MSG_CMSG_CLOEXEC);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	control = CMSG_FIRSTHDR(&parcel.header);
	if (control && control->cmsg_level == SOL_SOCKET && control->cmsg_type == SCM_RIGHTS &&
		control->cmsg_len == CMSG_LEN(sizeof(*fd)))
		memcpy(fd, CMSG_DATA(control), sizeof(*fd));
	return n;
}

static int plain_open(int at, const char *path, int flags)
{
	int fd = openat(at, path, flags | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* A pipe of somebody would be waited for, by the caller too: so nothing is. What is asked for may
 * be anything: it comes from a process that reads what others wrote. */
static int question_answer(const struct question *question, ssize_t len, int at)
{
	if (len != sizeof(*question) || question->flags & ~OPENER_FLAGS ||
		!memchr(question->path, 0, sizeof(question->path)))
		return -EINVAL;
	return question->beneath
		? beneath_open(at, question->path, question->flags)
		: plain_open(at < 0 ? AT_FDCWD : at, question->path, question->flags | O_NONBLOCK);
}

static void opener_serve(int socket)
{
	struct question question;
	ssize_t len;
	int at, fd;

	for (;;) {
		len = parcel_receive(socket, &question, sizeof(question), &at);
		if (len <= 0)
			return;
		fd = question_answer(&question, len, at);
		if (parcel_send(socket, &fd, sizeof(fd), fd))
			return;
		if (fd >= 0)
			close(fd);
		if (at >= 0)
			close(at);
	}
}

/* The opener: it has nothing of its caller but the socket, so that no pipe is held open by it. */
static void opener_work(int socket, int caps, pid_t parent)
{
	signal(SIGINT, SIG_IGN);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent || caps_start(caps))
		_exit(1);
	caps_raise(caps);
	if (dup2(socket, STDIN_FILENO) < 0)
		_exit(1);
	close_range(STDIN_FILENO + 1, ~0u, 0);
	opener_serve(STDIN_FILENO);
	_exit(0);
}

/* Where standard output was closed nothing is written instead to what comes in its place. */
static int beyond_standard(int fd)
{
	int moved = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1), err = -errno;

	close(fd);
	return moved < 0 ? err : moved;
}

int opener_start(int caps)
{
	pid_t parent = getpid(), pid;
	int fds[2], err;

	if (opener_fd >= 0 || !caps_have(caps))
		return 0;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds))
		return -errno;
	pid = fork();
	err = pid < 0 ? -errno : 0;
	if (!pid)
		opener_work(fds[1], caps, parent);
	close(fds[1]);
	if (err) {
		close(fds[0]);
		return err;
	}
	fds[0] = beyond_standard(fds[0]);
	if (fds[0] < 0)
		return fds[0];
	opener_fd = fds[0];
	return 0;
}

int opener_socket(void)
{
	return opener_fd;
}

/* Returns a descriptor or -errno. */
static int opener_ask(int at, const char *path, int flags, bool beneath)
{
	struct question question = {.flags = flags, .beneath = beneath};
	int answer, fd, err;
	ssize_t n;

	if (strlen(path) >= sizeof(question.path))
		return -ENAMETOOLONG;
	memcpy(question.path, path, strlen(path));
	err = parcel_send(opener_fd, &question, sizeof(question), at == AT_FDCWD ? -1 : at);
	if (err)
		return err;
	n = parcel_receive(opener_fd, &answer, sizeof(answer), &fd);
	if (n == sizeof(answer) && fd >= 0)
		return fd;
	return n == sizeof(answer) && answer < 0 ? answer : -EPIPE;
}

/* Whether another process may be let in where this one was not. */
static bool was_refused(int fd)
{
	return (fd == -EACCES || fd == -EPERM) && opener_fd >= 0;
}

int opener_open(int at, const char *path, int flags)
{
	int fd = plain_open(at, path, flags);

	return was_refused(fd) ? opener_ask(at, path, flags, false) : fd;
}

int opener_open_beneath(int dir, const char *path, int flags)
{
	int fd = beneath_open(dir, path, flags);

	return was_refused(fd) ? opener_ask(dir, path, flags, true) : fd;
}
