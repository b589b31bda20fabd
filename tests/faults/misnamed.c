/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What does the kernel write of a program with a hostile name? "signal" returns from a signal that
 * never came: NAME[PID] bad frame in rt_sigreturn ... in FILE, which is the file of this program.
 * "memfd" makes a file in memory that may be run, which is an error where vm.memfd_noexec is 2:
 * NAME[PID]: memfd_create() requires ... Neither needs a right.
 */
#include <string.h>
#include <sys/syscall.h>
#include "fault.h"

/* MFD_EXEC, which Debian 12 has not: others may run what is in the file. */
enum { MAY_BE_RUN = 0x10 };

static void return_from_no_signal(void)
{
#ifdef __x86_64__
	__asm__ volatile("mov $64, %%rsp\n\tsyscall"
			 :
			 : "a"(SYS_rt_sigreturn)
			 : "rcx", "r11", "memory");
#endif
}

int main(int argc, char **argv)
{
	if (argc != 3 || (strcmp(argv[1], "signal") != 0 && strcmp(argv[1], "memfd") != 0)) {
		fputs("usage: misnamed signal|memfd NAME\n", stderr);
		return FAULT_MISUSE;
	}
	fault_bound(10);
	if (prctl(PR_SET_NAME, argv[2]) < 0)
		fault_die("prctl");
	if (!strcmp(argv[1], "signal"))
		return_from_no_signal();
	else
		syscall(SYS_memfd_create, "x", MAY_BE_RUN);
	return 0;
}
