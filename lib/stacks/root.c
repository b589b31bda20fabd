/* SPDX-License-Identifier: GPL-2.0-only */
/* Which functions does nothing call, but the kernel or the C library's beginning? */
#include "base/banned.h"

#include <string.h>

#include "base/str.h"
#include "stacks/root.h"
#include "symbols/symbolizer.h"

/* Of glibc, musl and Go; "main" where the C library has no name for who calls it. */
static const char root_names[] =
	"_start __libc_start_main* __libc_start_call_main "
	"generic_start_main* start_thread clone clone3 __clone* thread_start "
	"main runtime.goexit* runtime.mstart* runtime.rt0_go* runtime.main "
	"_dl_start_user _rt0_*";

/* "libc.so.6", "libc-2.31.so", "libpthread-2.31.so", "ld-musl-x86_64.so.1". */
static bool root_is_c_library(const char *file)
{
	const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;

	return str_starts(name, "libc.so") || str_starts(name, "libc-2.") ||
		str_starts(name, "libpthread") || str_starts(name, "ld-musl");
}

enum stacks_root stacks_root_of(const struct symbol *symbol)
{
	if (symbol->name && str_matches(symbol->name, root_names))
		return STACKS_ROOT_IS;
	if (!symbol->name && symbol->file && root_is_c_library(symbol->file))
		return STACKS_ROOT_MAYBE;
	return STACKS_ROOT_NOT;
}

bool stacks_root_is_interrupt(const char *frame)
{
	static const char entries[] = "asm_sysvec_* asm_common_interrupt* common_interrupt* "
				      "sysvec_* do_IRQ* el?_interrupt* el??_64_irq* "
				      "gic_handle_irq* apic_timer_interrupt* "
				      "smp_apic_timer_interrupt* hrtimer_interrupt*";

	return str_matches(frame, entries);
}
