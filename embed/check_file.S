/* SPDX-License-Identifier: GPL-2.0-only */
/* One check file, packed, as bytes in the program, registered in the section that
 * lib/check/layer_files.h describes. */
	.section .rodata.checks, "a"
name:	.asciz NAME
file:	.ascii NAME
	.asciz ".ini"
packed:	.incbin PACKED
	.section tuesday_checks, "aw"
	.balign 8
	.quad name, file, packed
	.section .note.GNU-stack, "", @progbits
#ifdef __CET__
#include <cet.h>
#endif
