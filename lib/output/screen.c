/* SPDX-License-Identifier: GPL-2.0-only */
/* How wide is what stands on it? */
#include "base/banned.h"

#include "base/wrap.h"
#include "output/screen.h"

void screen_flow(const struct screen *screen, size_t at, size_t indent, const char *text)
{
	wrap_text(screen->out, screen->columns, at, indent, text);
}
