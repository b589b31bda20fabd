/* SPDX-License-Identifier: GPL-2.0-only */
/* One check file as bytes in the program, registered in the section that lib/check.h describes. */
	.section .rodata.checks, "a"
name:	.asciz NAME
start:	.incbin INI
end:	.byte 0
	.section tuesday_checks, "aw"
	.balign 8
	.quad name, start, end
	.section .note.GNU-stack, "", @progbits
