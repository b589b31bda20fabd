/* SPDX-License-Identifier: GPL-2.0-only */
/* Is this kernel too old for something? */
#include "base/banned.h"

#include <stdio.h>
#include <sys/utsname.h>

#include "base/str.h"
#include "trace/since.h"

bool kernel_is_before(unsigned int major, unsigned int minor)
{
	unsigned int have_major = 0, have_minor = 0;
	struct utsname name;

	if (uname(&name) || sscanf(name.release, "%u.%u", &have_major, &have_minor) != 2)
		return false;
	return have_major < major || (have_major == major && have_minor < minor);
}

bool trace_explain_since(struct str *why, unsigned int since)
{
	unsigned int major = since >> 16, minor = since & 0xffff;

	if (!since || !kernel_is_before(major, minor))
		return false;
	str_addf(why, "needs Linux %u.%u or newer", major, minor);
	return true;
}
