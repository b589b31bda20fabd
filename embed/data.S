/* SPDX-License-Identifier: GPL-2.0-only */
/* One file as bytes in the program, between the symbols NAME and NAME_end. */
#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)
	.section .rodata.embedded, "a"
	.globl NAME
	.globl JOIN(NAME, _end)
NAME:	.incbin FILE
JOIN(NAME, _end):
	.byte 0
	.section .note.GNU-stack, "", @progbits
#ifdef __CET__
#include <cet.h>
#endif
