/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What does a machine look like that has very much of something, all of it asleep?
 *
 *   sockets COUNT     connections on loopback, both ends here; in a network namespace of one's own
 *   processes COUNT   that share one memory, and sleep; as process 1 of a PID namespace
 *   netns COUNT       network namespaces with a name; in a mount namespace of one's own, where
 * names begin anew fuse DIR          a file system that answers deaf DIR          and one that
 * hears and never does: who asks it waits in state D
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include "fault.h"

enum {
	COUNT_MAX = 200000,
	PAIRS_A_PROCESS = 2000,
	PORT = 4322,
	STACK = 1024,
	REQUEST_MAX = 1 << 17,
	BLOCKS = 1 << 20,
	BLOCK_BYTES = 4096
};

static _Noreturn void flood_sleep(void)
{
	for (;;)
		pause();
}

/* Sockets. */

static void flood_pair(int listener, const struct sockaddr_in *to)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (fd < 0 || connect(fd, (const struct sockaddr *)to, sizeof(*to)) ||
		accept(listener, NULL, NULL) < 0)
		fault_die("a connection");
}

/* Each process has an address of its own, so that none runs out of ports. */
static _Noreturn void flood_connect(long number, long pairs, int done, long seconds)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
		.sin_port = htons(PORT),
		.sin_addr.s_addr = htonl(0x7f010001u + ((uint32_t)number << 8))};
	struct rlimit files;
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	const int on = 1;

	fault_bound(seconds);
	/* Far from its limit, so that it is well. */
	getrlimit(RLIMIT_NOFILE, &files);
	files.rlim_cur = files.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &files))
		fault_die("setrlimit");
	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof(address)) ||
		listen(listener, 64))
		fault_die("listen");
	for (; pairs; pairs--)
		flood_pair(listener, &address);
	if (write(done, "", 1) != 1)
		fault_die("write");
	flood_sleep();
}

static void flood_sockets(long count, long seconds)
{
	long pairs = (count + 1) / 2, number = 0;
	int done[2];
	char byte;

	if (pipe(done))
		fault_die("pipe");
	for (; pairs > 0; pairs -= PAIRS_A_PROCESS) {
		pid_t child = fork();

		if (child < 0)
			fault_die("fork");
		if (!child)
			flood_connect(number, pairs < PAIRS_A_PROCESS ? pairs : PAIRS_A_PROCESS,
				done[1], seconds);
		number++;
	}
	close(done[1]);
	for (; number; number--)
		if (read(done[0], &byte, 1) != 1)
			fault_die("one of the processes ended");
}

/* Processes. */

/* On a stack that is hardly one: nothing but system calls. */
static int flood_doze(void *arg)
{
	syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	for (;;)
		syscall(SYS_ppoll, NULL, 0, NULL, NULL, 0);
	return arg != NULL;
}

static void flood_processes(long count)
{
	const int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | SIGCHLD;
	char *stacks = mmap(NULL, (size_t)count * STACK, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long i;

	if (stacks == MAP_FAILED)
		fault_die("mmap");
	for (i = 0; i < count; i++)
		if (clone(flood_doze, stacks + (i + 1) * STACK, flags, NULL) < 0)
			fault_die("clone");
}

/* Network namespaces. */

static void flood_netns(long count)
{
	static const char names[] = "/run/netns", itself[] = "/proc/self/ns/net";
	int ours = open(itself, O_RDONLY | O_CLOEXEC), fd;
	char path[64];
	long i;

	if (mkdir(names, 0755) && errno != EEXIST)
		fault_die(names);
	if (ours < 0 || mount("none", names, "tmpfs", 0, "mode=755"))
		fault_die("mount");
	for (i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s/flood%ld", names, i);
		fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);
		if (fd < 0 || unshare(CLONE_NEWNET) || mount(itself, path, "none", MS_BIND, NULL))
			fault_die(path);
		close(fd);
	}
	if (setns(ours, CLONE_NEWNET))
		fault_die("setns");
}

/* A file system. */

static void fuse_answer(int fd, uint64_t unique, int error, const void *what, size_t size)
{
	struct {
		struct fuse_out_header head;
		char body[256];
	} answer = {.head = {.unique = unique, .error = error}};

	answer.head.len = (uint32_t)(sizeof(answer.head) + size);
	memcpy(answer.body, what, size);
	/* Who asked may be gone. */
	if (write(fd, &answer, answer.head.len) < 0 && errno != ENOENT && errno != EINVAL)
		fault_die("answer");
}

static void fuse_greet(int fd, const struct fuse_in_header *head)
{
	const struct fuse_init_in *asked = (const void *)(head + 1);
	const struct fuse_init_out init = {.major = FUSE_KERNEL_VERSION,
		.minor = asked->minor < FUSE_KERNEL_MINOR_VERSION ? asked->minor
								  : FUSE_KERNEL_MINOR_VERSION,
		.max_write = BLOCK_BYTES};

	fuse_answer(fd, head->unique, 0, &init, sizeof(init));
}

static void fuse_say_size(int fd, const struct fuse_in_header *head)
{
	const struct fuse_statfs_out half = {.st = {.blocks = BLOCKS,
						     .bfree = BLOCKS / 2,
						     .bavail = BLOCKS / 2,
						     .files = BLOCKS,
						     .ffree = BLOCKS / 2,
						     .bsize = BLOCK_BYTES,
						     .frsize = BLOCK_BYTES,
						     .namelen = 255}};

	fuse_answer(fd, head->unique, 0, &half, sizeof(half));
}

static int fuse_mount(const char *at)
{
	char options[96];
	int fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);

	snprintf(options, sizeof(options), "fd=%d,rootmode=40755,user_id=0,group_id=0,allow_other",
		fd);
	if (fd < 0 || mount("flood", at, "fuse.flood", 0, options))
		fault_die("fuse");
	return fd;
}

/* Until it is unmounted, or this process ends. */
static void fuse_serve(int fd, bool answers)
{
	static char request[REQUEST_MAX];
	const struct fuse_in_header *head = (const void *)request;

	while (read(fd, request, sizeof(request)) >= (ssize_t)sizeof(*head)) {
		if (head->opcode == FUSE_INIT) {
			fuse_greet(fd, head);
			fault_ready();
		} else if (answers && head->opcode == FUSE_STATFS) {
			fuse_say_size(fd, head);
		} else if (answers && head->opcode != FUSE_FORGET) {
			fuse_answer(fd, head->unique, -ENOSYS, "", 0);
		}
	}
}

int main(int argc, char **argv)
{
	const char *what = argc == 4 ? argv[1] : "";
	long seconds, count = 0;

	if (argc != 4) {
		fputs("usage: flood sockets|processes|netns|fuse|deaf COUNT|DIR SECONDS\n", stderr);
		return FAULT_MISUSE;
	}
	seconds = fault_number(argv[3], 1, FAULT_SECONDS_MAX);
	fault_bound(seconds);
	if (!strcmp(what, "fuse") || !strcmp(what, "deaf")) {
		fuse_serve(fuse_mount(argv[2]), !strcmp(what, "fuse"));
		return 0;
	}
	count = fault_number(argv[2], 1, COUNT_MAX);
	if (!strcmp(what, "sockets"))
		flood_sockets(count, seconds);
	else if (!strcmp(what, "processes"))
		flood_processes(count);
	else if (!strcmp(what, "netns"))
		flood_netns(count);
	else
		return FAULT_MISUSE;
	fault_ready();
	flood_sleep();
}
