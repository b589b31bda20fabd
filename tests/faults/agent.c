/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What does a security agent look like that hangs? One that wants to be asked whether files may be
 * opened (fanotify) and then does not answer: whoever opens a file of DIR stands still. When it
 * ends the kernel lets everybody go on.
 */
#include <fcntl.h>
#include <sys/fanotify.h>
#include "fault.h"

int main(int argc, char **argv)
{
	int fd;

	if (argc != 3) {
		fputs("usage: agent DIR SECONDS\n", stderr);
		return FAULT_MISUSE;
	}
	fault_bound(fault_number(argv[2], 1, FAULT_SECONDS_MAX));
	fd = fanotify_init(FAN_CLASS_CONTENT | FAN_CLOEXEC, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		fault_die("fanotify_init");
	if (fanotify_mark(fd, FAN_MARK_ADD, FAN_OPEN_PERM | FAN_EVENT_ON_CHILD, AT_FDCWD, argv[1]) <
		0)
		fault_die("fanotify_mark");
	fault_ready();
	for (;;)
		pause();
}
