/* SPDX-License-Identifier: GPL-2.0-only */
/* A disk of our own: a file behind a loop device, gone when its last descriptor is closed. */
#ifndef TUESDAY_TESTS_LOOPDISK_H
#define TUESDAY_TESTS_LOOPDISK_H

#include <fcntl.h>
#include <linux/loop.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Sets up a device of 4 MiB and writes its name, "loop0". Returns a descriptor for direct reads, or
 * -1 where there is no loop device. */
static int loop_disk(char *name, size_t size)
{
	struct loop_info64 info = {.lo_flags = LO_FLAGS_AUTOCLEAR};
	char path[] = "/tmp/tuesday-disk-XXXXXX", device[48];
	int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC), file, number = -1, fd;
	int direct = -1;

	file = mkostemp(path, O_CLOEXEC);
	unlink(path);
	if (control >= 0)
		number = ioctl(control, LOOP_CTL_GET_FREE);
	if (number >= 0 && file >= 0 && !ftruncate(file, 4 << 20)) {
		snprintf(device, sizeof(device), "/dev/loop%d", number);
		fd = open(device, O_RDWR | O_CLOEXEC);
		if (fd >= 0 && !ioctl(fd, LOOP_SET_FD, file)) {
			ioctl(fd, LOOP_SET_STATUS64, &info);
			direct = open(device, O_RDONLY | O_DIRECT | O_CLOEXEC);
			snprintf(name, size, "loop%d", number);
		}
		if (fd >= 0)
			close(fd);
	}
	if (file >= 0)
		close(file);
	if (control >= 0)
		close(control);
	return direct;
}

#endif
