/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is left to a process that only reads, thinks and writes: no capability, and of the kernel's
 * calls those for files, memory and time. No program can be started from there, no socket opened,
 * no process traced, none killed but its own children, nothing mounted, no BPF loaded, no memory
 * made executable. What is not on the list fails with EPERM.
 *
 * The list holds on x86_64 and aarch64 with a kernel that has seccomp filters (3.5), and not in a
 * build with AddressSanitizer, whose leak check traces the process; elsewhere only the capabilities
 * go.
 */
#ifndef TUESDAY_SYS_SANDBOX_H
#define TUESDAY_SYS_SANDBOX_H

enum {
	SANDBOX_READS = 1, /* files of others are opened by another process: sys/opener.h */
	SANDBOX_TELLS = 2, /* sockets of this machine, as the journal's, may be written to */
	SANDBOX_WORKS = 4  /* threads, and files in memory: for what reads very much */
};

/* For good, and for this process and what it forks. allow is a mask of SANDBOX_*; whoever is in
 * already stays as it is. Returns 0, or -errno where the capabilities could not be given up. */
int sandbox_enter(int allow);

#endif
