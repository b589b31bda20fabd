/* SPDX-License-Identifier: GPL-2.0-only */
/* What kind of machine is a tree of files of? */
#include "base/banned.h"

#include <elf.h>
#include <math.h>

#include "base/str.h"
#include "capture/capture.h"
#include "capture/environment.h"
#include "capture/environment_describe.h"
#include "tap.h"
#include "tree.h"

static struct capture *described(const struct tree *tree)
{
	struct capture *fs = NULL;

	if (capture_open(&fs, tree->dir, NULL))
		exit(1);
	environment_describe(fs, 1000);
	return fs;
}

static bool is_called(struct capture *fs, const char *key, const char *expected)
{
	char *value = capture_environment(fs, key);
	bool same = value ? expected && !strcmp(value, expected) : !expected;

	free(value);
	return same;
}

static void test_tree_says_it(void)
{
	const Elf64_auxv_t auxv[] = {{AT_CLKTCK, {100}}, {AT_PAGESZ, {65536}}, {AT_NULL, {0}}};
	struct tree tree = tree_new();
	struct capture *fs;

	tree_write(&tree, "proc/sys/kernel/osrelease", "4.19.7-far\n");
	tree_write(&tree, "proc/sys/kernel/hostname", "far\n");
	tree_write(&tree, "sys/devices/system/cpu/online", "0-62,64\n");
	tree_write_bytes(&tree, "proc/1/auxv", auxv, sizeof(auxv));
	fs = described(&tree);
	ok(is_called(fs, "kernel", "4.19.7-far"), "the release is that of the tree");
	ok(is_called(fs, "host", "far"), "and the name");
	ok(machine_cpus(fs) == 64, "and the CPUs that are online");
	ok(fabs(machine_page_bytes(fs) - 65536) < 0.5, "and the bytes of a page");
	capture_close(fs);
	tree_free(&tree);
}

static void test_tree_is_silent(void)
{
	struct tree tree = tree_new();
	struct capture *fs = described(&tree);

	ok(is_called(fs, "kernel", NULL), "a tree without a release has none, and not ours");
	ok(machine_cpus(fs) == 0 && isnan(machine_page_bytes(fs)), "nor CPUs, nor pages");
	capture_close(fs);
	tree_write(&tree, "proc/stat", "cpu  1 2\ncpu0 1 2\ncpu3 1 2\nintr 7\n");
	tree_write(&tree, "proc/self/smaps",
		"00400000-00452000 r-xp 00000000 08:02 173521 /bin/x\nSize: 328 kB\n"
		"KernelPageSize:       16 kB\n");
	fs = described(&tree);
	ok(machine_cpus(fs) == 2, "/proc/stat has the CPUs too");
	ok(fabs(machine_page_bytes(fs) - 16384) < 0.5, "and smaps the bytes of a page");
	capture_close(fs);
	tree_free(&tree);
}

static void test_nonsense(void)
{
	const Elf64_auxv_t odd[] = {{AT_PAGESZ, {4097}}};

	ok(!auxv_page_bytes((const char *)odd, sizeof(odd)), "4097 bytes are no page");
	ok(!auxv_page_bytes((const char *)odd, sizeof(odd) - 1), "half an entry says nothing");
	ok(!smaps_page_bytes("KernelPageSize: 4 MB\n") && !smaps_page_bytes("KernelPageSize: 4"),
		"nor does a line that is not as the kernel writes it");
	ok(stat_text_cpus("") == 0 && stat_text_cpus("cpu") == 0 && stat_text_cpus("cpu7") == 1,
		"a text that ends anywhere is no trouble");
}

int main(void)
{
	test_tree_says_it();
	test_tree_is_silent();
	test_nonsense();
	return tap_done();
}
