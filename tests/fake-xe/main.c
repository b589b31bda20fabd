/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fake-xe [KEY=VALUE...] -- COMMAND: runs a program as on a machine with such a GPU. Its system
 * calls come here by seccomp's notifications, so that the program, static or not, is the real one.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fake.h"

bool peek(pid_t pid, uint64_t at, void *to, size_t n)
{
	struct iovec mine = {to, n}, theirs = {(void *)(uintptr_t)at, n};

	return process_vm_readv(pid, &mine, 1, &theirs, 1, 0) == (ssize_t)n;
}

bool poke(pid_t pid, uint64_t at, const void *from, size_t n)
{
	struct iovec mine = {(void *)(uintptr_t)from, n}, theirs = {(void *)(uintptr_t)at, n};

	return process_vm_writev(pid, &mine, 1, &theirs, 1, 0) == (ssize_t)n;
}

/* aarch64 has the newer call alone. */
#ifdef SYS_open
#define OLDER_OPEN SYS_open
#else
#define OLDER_OPEN SYS_openat
#endif

/* Opens, sockets, ioctls, and what is done with our descriptors. */
static int install_filter(void)
{
#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define IS(value, yes, no) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, yes, no)
#define LEAST(value, yes, no) BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, value, yes, no)
	struct sock_filter code[] = {
		LOAD(nr),
		IS(OLDER_OPEN, 15, 0),
		IS(SYS_openat, 14, 0),
		IS(SYS_ioctl, 13, 0),
		IS(SYS_socket, 12, 0),
		IS(SYS_read, 7, 0),
		IS(SYS_close, 6, 0),
		IS(SYS_readv, 5, 0),
		IS(SYS_pread64, 4, 0),
		IS(SYS_sendto, 3, 0),
		IS(SYS_recvfrom, 2, 0),
		IS(SYS_setsockopt, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		LOAD(args[0]),
		LEAST(FD_FIRST, 0, 1),
		LEAST(FD_END, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && errno != EPERM)
		return -1;
	return (int)syscall(
		SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
}

static int listener;

static void answer(const struct seccomp_notif *call, long value)
{
	struct seccomp_notif_resp response = {.id = call->id};

	if (value < 0)
		response.error = (int)value;
	else
		response.val = value;
	ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
}

static void let_pass(const struct seccomp_notif *call)
{
	struct seccomp_notif_resp response = {
		.id = call->id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};

	ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
}

static void give_fd(const struct seccomp_notif *call, int fd, int as, uint32_t flags)
{
	struct seccomp_notif_addfd add = {.id = call->id,
		.flags = SECCOMP_ADDFD_FLAG_SETFD | SECCOMP_ADDFD_FLAG_SEND,
		.srcfd = (uint32_t)fd,
		.newfd = (uint32_t)as,
		.newfd_flags = flags};

	if (ioctl(listener, SECCOMP_IOCTL_NOTIF_ADDFD, &add) < 0) {
		violation("no descriptor could be given: %s", strerror(errno));
		answer(call, -EMFILE);
	}
}

static bool ends_so(const char *path, const char *end)
{
	size_t path_len = strlen(path), len = strlen(end);

	return len && path_len >= len && !strcmp(path + path_len - len, end);
}

static void give_null(const struct seccomp_notif *call, int as, uint64_t flags)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	give_fd(call, null, as, flags & O_CLOEXEC);
	close(null);
}

static void on_open(const struct seccomp_notif *call)
{
	bool at = call->data.nr == SYS_openat;
	uint64_t flags = call->data.args[at ? 2 : 1];
	char path[256] = "";
	unsigned int minor;
	size_t i = 0;

	while (i < sizeof(path) - 1 &&
		peek((pid_t)call->pid, call->data.args[at ? 1 : 0] + i, &path[i], 1) && path[i])
		i++;
	path[i] = 0;
	if (scenario.asleep && strstr(path, "renderD128") && !strstr(path, "runtime_status"))
		violation("%s of a device that sleeps was opened", path);
	if (ends_so(path, scenario.broken) || ends_so(path, scenario.stuck)) {
		give_null(call, FD_FILE, flags);
		return;
	}
	if (strncmp(path, "/dev/dri/", 9) != 0) {
		let_pass(call);
		return;
	}
	note("open %s", path);
	if (scenario.node_errno)
		answer(call, -scenario.node_errno);
	else if (sscanf(path, "/dev/dri/renderD%u", &minor) != 1 || minor < 128 ||
		minor >= 128 + (unsigned int)scenario.gpus)
		answer(call, -ENOENT);
	else {
		if (!(flags & O_CLOEXEC))
			violation("%s is inherited by programs", path);
		give_null(call, FD_NODE + (int)minor - 128, flags);
	}
}

static void open_stream(const struct seccomp_notif *call, size_t gpu)
{
	long gt = stream_check((pid_t)call->pid, gpu, call->data.args[2]);
	struct stream *stream;

	if (gt < 0) {
		answer(call, gt);
		return;
	}
	stream = &gpus[gpu].streams[gt];
	*stream = (struct stream){.is_open = true, .event = eventfd(0, EFD_CLOEXEC)};
	/* Blocking and inherited, as the driver has it. */
	give_fd(call, stream->event, FD_STREAM + (int)(gpu * GTS) + (int)gt, 0);
}

static void on_ioctl(const struct seccomp_notif *call)
{
	int fd = (int)call->data.args[0];
	unsigned long request = call->data.args[1] & 0xffffffff;

	if (fd < FD_FIRST || fd >= FD_END) {
		let_pass(call);
	} else if (fd >= FD_STREAM) {
		size_t i = (size_t)(fd - FD_STREAM);

		answer(call, stream_ioctl(i / GTS, i % GTS, request));
	} else if (request == 0x4020644b) {
		open_stream(call, (size_t)(fd - FD_NODE));
	} else {
		answer(call,
			node_ioctl((pid_t)call->pid, (size_t)(fd - FD_NODE), request,
				call->data.args[2]));
	}
}

static void on_read(const struct seccomp_notif *call)
{
	int fd = (int)call->data.args[0];
	size_t i = (size_t)(fd - FD_STREAM);
	long result;

	if (fd == FD_FILE) {
		if (*scenario.broken)
			answer(call, -EIO);
		return;
	}
	if (fd < FD_STREAM || call->data.nr != SYS_read) {
		violation("a read that no stream has");
		answer(call, -EINVAL);
		return;
	}
	result = stream_read(
		(pid_t)call->pid, i / GTS, i % GTS, fd, call->data.args[1], call->data.args[2]);
	/* Whoever hangs is not answered. */
	if (result != -EDEADLK)
		answer(call, result);
}

static void on_close(const struct seccomp_notif *call)
{
	int fd = (int)call->data.args[0];

	if (fd >= FD_STREAM) {
		size_t i = (size_t)(fd - FD_STREAM);
		struct stream *stream = &gpus[i / GTS].streams[i % GTS];

		if (stream->is_open)
			close(stream->event);
		stream->is_open = stream->is_enabled = false;
		note("close stream %zu", i % GTS);
	}
	let_pass(call);
}

static void on_socket(const struct seccomp_notif *call)
{
	bool generic = call->data.args[0] == AF_NETLINK && call->data.args[2] == NETLINK_GENERIC;

	if (scenario.ras && generic)
		give_null(call, FD_RAS, O_CLOEXEC);
	else
		let_pass(call);
}

static void on_message(const struct seccomp_notif *call)
{
	const uint64_t *args = (const uint64_t *)call->data.args;
	pid_t pid = (pid_t)call->pid;

	if (args[0] != FD_RAS) {
		violation("a message that no stream has");
		answer(call, -ENOTSOCK);
	} else if (call->data.nr == SYS_sendto) {
		answer(call, ras_send(pid, args[1], args[2]));
	} else if (call->data.nr == SYS_recvfrom) {
		answer(call, ras_receive(pid, args[1], args[2], args[4], args[5]));
	} else {
		answer(call, 0);
	}
}

static void serve_one(void)
{
	struct seccomp_notif call = {0};

	if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &call))
		return;
	switch (call.data.nr) {
#ifdef SYS_open
	case SYS_open:
#endif
	case SYS_openat:
		on_open(&call);
		break;
	case SYS_ioctl:
		on_ioctl(&call);
		break;
	case SYS_close:
		on_close(&call);
		break;
	case SYS_socket:
		on_socket(&call);
		break;
	case SYS_sendto:
	case SYS_recvfrom:
	case SYS_setsockopt:
		on_message(&call);
		break;
	default:
		on_read(&call);
	}
}

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void tick_all(void)
{
	static uint64_t last;
	uint64_t now = now_ms();

	if (now - last < TICK_MS)
		return;
	last = now;
	for (size_t i = 0; i < GPUS; i++)
		for (size_t k = 0; k < GTS; k++)
			if (gpus[i].streams[k].is_open)
				stream_tick(&gpus[i].streams[k]);
}

static int serve(pid_t child)
{
	struct pollfd polled = {.fd = listener, .events = POLLIN};
	int status = 0;

	while (!waitpid(child, &status, WNOHANG)) {
		if (poll(&polled, 1, 2) > 0 && polled.revents & POLLIN)
			serve_one();
		tick_all();
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/* The filter's descriptor comes from the child, since the filter must not hold for us; it is closed
 * on exec, which therefore waits until we have it. */
static void start_command(int to, int from, char **argv)
{
	int number = install_filter();

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (write(to, &number, sizeof(number)) == sizeof(number) &&
		read(from, &number, sizeof(number)) == sizeof(number))
		execvp(*argv, argv);
	_exit(127);
}

int main(int argc, char **argv)
{
	int numbers[2], acks[2], theirs = -1, pidfd, i = 1;
	pid_t child;

	if (argc > 1 && !strcmp(argv[1], "--abi")) {
		print_abi();
		return 0;
	}
	for (; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (!scenario_take(argv[i])) {
			fprintf(stderr, "fake-xe: no such key: %s\n", argv[i]);
			return 64;
		}
	if (i + 1 >= argc || pipe2(numbers, O_CLOEXEC) || pipe2(acks, O_CLOEXEC))
		return 64;
	child = fork();
	if (!child)
		start_command(numbers[1], acks[0], argv + i + 1);
	if (read(numbers[0], &theirs, sizeof(theirs)) != sizeof(theirs) || theirs < 0) {
		fprintf(stderr, "fake-xe: no seccomp notifications here\n");
		return 77;
	}
	pidfd = (int)syscall(SYS_pidfd_open, child, 0);
	listener = (int)syscall(SYS_pidfd_getfd, pidfd, theirs, 0);
	if (listener < 0 || write(acks[1], &theirs, sizeof(theirs)) != sizeof(theirs)) {
		kill(child, SIGKILL);
		return 77;
	}
	return serve(child);
}
