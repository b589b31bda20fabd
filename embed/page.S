/* SPDX-License-Identifier: GPL-2.0-only */
/* One page of docs/, compressed by gzip, as bytes in the program, registered in the section that
 * tools/help.c reads. */
	.section .rodata.pages, "a"
name:	.asciz NAME
start:	.incbin FILE
end:	.byte 0
	.section tuesday_pages, "aw"
	.balign 8
	.quad name, start, end
	.section .note.GNU-stack, "", @progbits
#ifdef __CET__
#include <cet.h>
#endif
