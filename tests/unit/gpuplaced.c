/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Does a runtime's own probe say which kernel is where? This program is such a runtime: it has a
 * probe level_zero:launch_kernel, as <sys/sdt.h> would make it, and the call that is then left
 * alone.
 */
#include "base/banned.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sys/caps.h"
#include "tap.h"
#include "tools/gpu/conclusion.h"
#include "tools/gpu/launches.h"
#include "trace/trace.h"
#include "sources/gpu/eustall_read.h"

#ifdef __x86_64__

uint32_t zeCommandListAppendLaunchKernel(void *list, void *kernel, const void *groups);

/* A note says where the probe is, and in which registers its arguments are. */
static __attribute__((noinline)) void place(
	unsigned long base, unsigned long address, unsigned long size, const char *name)
{
	__asm__ volatile("990: nop\n"
			 ".pushsection .note.stapsdt,\"\",\"note\"\n"
			 ".balign 4\n"
			 ".4byte 992f-991f, 994f-993f, 3\n"
			 "991: .asciz \"stapsdt\"\n"
			 "992: .balign 4\n"
			 "993: .8byte 990b\n"
			 ".8byte _.stapsdt.base\n"
			 ".8byte 0\n"
			 ".asciz \"level_zero\"\n"
			 ".asciz \"launch_kernel\"\n"
			 ".asciz \"8@%0 8@%1 8@%2 8@%3\"\n"
			 "994: .balign 4\n"
			 ".popsection\n"
			 ".pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n"
			 ".weak _.stapsdt.base\n"
			 ".hidden _.stapsdt.base\n"
			 "_.stapsdt.base: .space 1\n"
			 ".size _.stapsdt.base, 1\n"
			 ".popsection\n"
			 :
			 : "r"(base), "r"(address), "r"(size), "r"(name));
}

__attribute__((noinline, noipa, used)) uint32_t zeCommandListAppendLaunchKernel(
	void *list, void *kernel, const void *groups)
{
	place(0xffff00000000, 0xffff80001000, 512, "gemm");
	return !list || !kernel || !groups;
}

static int on_kernel(void *arg, const struct eustallfile_kernel *kernel)
{
	kernels_add(arg, kernel->id, kernel->address, kernel->size, kernel->name);
	return 0;
}

static int on_launch(void *arg, const struct eustallfile_launch *launch)
{
	kernels_launched(arg, kernels_by_id(arg, launch->kernel), launch->stack, launch->count);
	return 0;
}

static void test_placed(struct launches *launches)
{
	struct gpu_kernels kernels = {0};
	const struct eustallfile_reader to = {
		.on_kernel = on_kernel, .on_launch = on_launch, .arg = &kernels};
	static char list[8];
	int err;

	for (int i = 0; i < 11; i++)
		zeCommandListAppendLaunchKernel(list, list, list);
	place(0xffff00000000, 0xffff80002000, 256, "relu");
	launches_collect(launches);
	err = launches_tell(launches, &to);
	if (!ok(!err && kernels.n == 2, "two kernels are at two places (%zu)", kernels.n))
		return;
	ok(!strcmp(kernels.list[0].name, "gemm") && kernels.list[0].address == 0xffff80001000 &&
			kernels.list[0].size == 512 && kernels.list[1].address == 0xffff80002000,
		"with their names, addresses and sizes");
	ok(kernels.list[0].launches == 11 && kernels.list[1].launches == 1,
		"each launch is seen once, though the program called a function that is known too");
	kernels_free(&kernels);
}

int main(void)
{
	struct launches *launches;
	struct str why = STR_INIT;
	char self[4096] = "";

	traces_allow_memory();
	if (geteuid() || caps_start(CAPS_ALL) || readlink("/proc/self/exe", self, 4095) < 0) {
		printf("1..0 # SKIP probes need root\n");
		return 0;
	}
	launches_start(&launches, self, &why);
	if (!launches && strstr(str_text(&why), "the kernel does not take"))
		ok(true, "# SKIP %s", str_text(&why));
	else if (ok(launches != NULL, "the runtime is watched %s", str_text(&why)))
		test_placed(launches);
	launches_free(launches);
	str_free(&why);
	return tap_done();
}

#else

int main(void)
{
	printf("1..0 # SKIP the probe is written for x86-64\n");
	return 0;
}

#endif
