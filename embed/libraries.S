/* SPDX-License-Identifier: GPL-2.0-only */
/* The libraries of a program, as libraries.sh tells them, one after the other with those of its parts. */
	.section tuesday_libraries, "a"
	.incbin FILE
	.section .note.GNU-stack, "", @progbits
#ifdef __CET__
#include <cet.h>
#endif
