/* SPDX-License-Identifier: GPL-2.0-only */
/* One check file, packed, as bytes in the program, registered in the section that lib/check/check.h describes. */
	.section .rodata.checks, "a"
name:	.asciz NAME
start:	.incbin PACKED
end:
	.section tuesday_checks, "aw"
	.balign 8
	.quad name, start, end
	.section .note.GNU-stack, "", @progbits
#ifdef __CET__
#include <cet.h>
#endif
