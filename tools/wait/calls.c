/* SPDX-License-Identifier: GPL-2.0-only */
/* Which system calls sleep, and for what? */
#include "base/banned.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stddef.h>
#include <sys/syscall.h>

#include "base/str.h"
#include "tools/wait/calls.h"

#define CALL(name, is) \
	{ \
		SYS_##name, is, #name \
	}

/* What an architecture lacks others have under another name. */
static const struct wait_call {
	uint32_t nr;
	enum waits_call kind;
	const char *name;
} wait_calls[] = {
	CALL(futex, WAITS_CALL_FUTEX),
	CALL(nanosleep, WAITS_CALL_SLEEP),
	CALL(clock_nanosleep, WAITS_CALL_SLEEP),
	CALL(wait4, WAITS_CALL_CHILDREN),
	CALL(waitid, WAITS_CALL_CHILDREN),
#ifdef SYS_vfork
	CALL(vfork, WAITS_CALL_CHILDREN),
	CALL(poll, WAITS_CALL_POLL),
	CALL(select, WAITS_CALL_SELECT),
	CALL(epoll_wait, WAITS_CALL_EPOLL),
	CALL(pause, WAITS_CALL_PAUSE),
	CALL(open, WAITS_CALL_FILE),
	CALL(unlink, WAITS_CALL_FILE),
	CALL(rename, WAITS_CALL_FILE),
	CALL(mkdir, WAITS_CALL_FILE),
	CALL(rmdir, WAITS_CALL_FILE),
	CALL(getdents, WAITS_CALL_FILE),
#endif
	CALL(ppoll, WAITS_CALL_POLL),
	CALL(pselect6, WAITS_CALL_SELECT),
	CALL(epoll_pwait, WAITS_CALL_EPOLL),
	CALL(epoll_pwait2, WAITS_CALL_EPOLL),
	CALL(accept, WAITS_CALL_EVENTS),
	CALL(accept4, WAITS_CALL_EVENTS),
	CALL(io_uring_enter, WAITS_CALL_EVENTS),
	CALL(io_getevents, WAITS_CALL_PAUSE),
	CALL(rt_sigtimedwait, WAITS_CALL_PAUSE),
	CALL(rt_sigsuspend, WAITS_CALL_PAUSE),
	CALL(read, WAITS_CALL_DATA),
	CALL(readv, WAITS_CALL_DATA),
	CALL(pread64, WAITS_CALL_DATA),
	CALL(preadv, WAITS_CALL_DATA),
	CALL(preadv2, WAITS_CALL_DATA),
	CALL(write, WAITS_CALL_DATA),
	CALL(writev, WAITS_CALL_DATA),
	CALL(pwrite64, WAITS_CALL_DATA),
	CALL(pwritev, WAITS_CALL_DATA),
	CALL(pwritev2, WAITS_CALL_DATA),
	CALL(recvfrom, WAITS_CALL_DATA),
	CALL(recvmsg, WAITS_CALL_DATA),
	CALL(recvmmsg, WAITS_CALL_DATA),
	CALL(sendto, WAITS_CALL_DATA),
	CALL(sendmsg, WAITS_CALL_DATA),
	CALL(sendmmsg, WAITS_CALL_DATA),
	CALL(sendfile, WAITS_CALL_DATA),
	CALL(connect, WAITS_CALL_DATA),
	CALL(fsync, WAITS_CALL_FILE),
	CALL(fdatasync, WAITS_CALL_FILE),
	CALL(sync, WAITS_CALL_FILE),
	CALL(syncfs, WAITS_CALL_FILE),
	CALL(sync_file_range, WAITS_CALL_FILE),
	CALL(msync, WAITS_CALL_FILE),
	CALL(openat, WAITS_CALL_FILE),
	CALL(openat2, WAITS_CALL_FILE),
	CALL(unlinkat, WAITS_CALL_FILE),
	CALL(renameat2, WAITS_CALL_FILE),
	CALL(getdents64, WAITS_CALL_FILE),
	CALL(fallocate, WAITS_CALL_FILE),
	CALL(ftruncate, WAITS_CALL_FILE),
	CALL(statx, WAITS_CALL_FILE),
	CALL(flock, WAITS_CALL_LOCK),
	CALL(fcntl, WAITS_CALL_FCNTL),
	CALL(semop, WAITS_CALL_LOCK),
	CALL(semtimedop, WAITS_CALL_LOCK),
	CALL(msgrcv, WAITS_CALL_MESSAGE),
	CALL(msgsnd, WAITS_CALL_MESSAGE),
	CALL(mq_timedreceive, WAITS_CALL_MESSAGE),
	CALL(mq_timedsend, WAITS_CALL_MESSAGE),
	/* What these wait for is not known, but they have a name. */
	CALL(ioctl, WAITS_CALL_OTHER),
	CALL(restart_syscall, WAITS_CALL_OTHER),
	CALL(splice, WAITS_CALL_OTHER),
	CALL(tee, WAITS_CALL_OTHER),
	CALL(close, WAITS_CALL_OTHER),
	CALL(execve, WAITS_CALL_OTHER),
	CALL(exit, WAITS_CALL_OTHER),
	CALL(exit_group, WAITS_CALL_OTHER),
	CALL(clone, WAITS_CALL_OTHER),
	CALL(mmap, WAITS_CALL_OTHER),
	CALL(munmap, WAITS_CALL_OTHER),
	CALL(mprotect, WAITS_CALL_OTHER),
	CALL(madvise, WAITS_CALL_OTHER),
	CALL(getrandom, WAITS_CALL_OTHER),
};

static const struct wait_call *wait_call_of(uint32_t nr)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(wait_calls); i++)
		if (wait_calls[i].nr == nr)
			return &wait_calls[i];
	return NULL;
}

enum waits_call wait_call_kind(uint32_t nr)
{
	const struct wait_call *call = wait_call_of(nr);

	return call ? call->kind : WAITS_CALL_OTHER;
}

const char *wait_call_name(uint32_t nr)
{
	const struct wait_call *call = wait_call_of(nr);

	return call ? call->name : NULL;
}

int wait_calls_fill(int map)
{
	uint32_t nr, kind;

	for (nr = 0; nr < WAITS_NR_MAX; nr++) {
		kind = wait_call_kind(nr);
		if (kind != WAITS_CALL_OTHER && bpf_map_update_elem(map, &nr, &kind, BPF_ANY))
			return -errno;
	}
	return 0;
}
