// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads single pages of a block device at random through a mapping, so that each costs as much as
 * the kernel reads around it: mapread DEVICE FILE. How many it has read is a number in FILE.
 *
 * The device is opened anew again and again: a descriptor keeps the read-ahead that was in force
 * when it was opened, and stops reading around after a hundred misses.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGES_AN_OPEN 8

static uint64_t random_state = 88172645463325252ull;

static uint64_t next_random(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void tell(int fd, unsigned long long n)
{
	char text[32];
	int len = snprintf(text, sizeof(text), "%020llu\n", n);

	if (pwrite(fd, text, (size_t)len, 0) != len)
		fail("pwrite");
}

int main(int argc, char **argv)
{
	unsigned long long n = 0;
	size_t size;
	int count, i;

	if (argc != 3)
		return 1;
	count = open(argv[2], O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	if (count < 0)
		fail(argv[2]);
	tell(count, 0);
	puts("ready");
	fflush(stdout);
	for (;;) {
		int fd = open(argv[1], O_RDONLY | O_CLOEXEC);
		volatile const char *map;
		off_t end;

		if (fd < 0)
			fail(argv[1]);
		end = lseek(fd, 0, SEEK_END);
		size = (size_t)end;
		map = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
		if (end <= 0 || map == MAP_FAILED)
			fail("mmap");
		for (i = 0; i < PAGES_AN_OPEN; i++) {
			(void)map[next_random() % (size / 4096) * 4096];
			tell(count, ++n);
		}
		munmap((void *)map, size);
		posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
		close(fd);
	}
}
