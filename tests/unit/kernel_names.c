/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/banned.h"

#include "base/str.h"
#include "tests/unit/tap.h"
#include "tools/lock/kernel_names.h"
#include "tools/lock/watch.h"

static const char text[] = "ffffffff81000200 T down_write\n"
			   "ffffffff81000100 t vm_mmap_pgoff\t[module]\n"
			   "ffffffff81000300 D some_data\n"
			   "0000000000000000 T hidden\n"
			   "no line of this kind\n"
			   "ffffffff81000400 T\n"
			   "ffffffff81000500 W last";

static bool names_test(const struct kernel_names *names, uint64_t address, const char *wanted)
{
	const char *found = kernel_names_find(names, address);

	return wanted ? found && !strcmp(found, wanted) : !found;
}

int main(void)
{
	struct kernel_names names = {0}, none = {0};

	kernel_names_parse(&names, mem_strdup(text));
	ok(names.n == 3, "functions are read, and neither data nor what has no address");
	ok(names_test(&names, 0xffffffff81000100, "vm_mmap_pgoff"),
		"an address is in its function");
	ok(names_test(&names, 0xffffffff810001ff, "vm_mmap_pgoff"),
		"to the last byte before the next");
	ok(names_test(&names, 0xffffffff81000200, "down_write"), "whatever the order of the lines");
	ok(names_test(&names, 0xffffffffffffffff, "last"), "the last one has no end");
	ok(names_test(&names, 0x1000, NULL), "before the first there is none");
	kernel_names_free(&names);
	kernel_names_parse(&none, mem_strdup(""));
	ok(names_test(&none, 0xffffffff81000100, NULL), "without names there are none");
	kernel_names_free(&none);
	ok(!strcmp(lock_watch_type(4), "rwsem (write)") &&
			!strcmp(lock_watch_type(3), "rwlock (read)") &&
			!strcmp(lock_watch_type(33), "mutex") &&
			!strcmp(lock_watch_type(1), "spinlock"),
		"flags are kinds of locks");
	return tap_done();
}
