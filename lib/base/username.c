/* SPDX-License-Identifier: GPL-2.0-only */
/* Who says so? */
#include "base/banned.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/username.h"
#include "base/str.h"

char *username_of_caller(void)
{
	const char *sudo = getenv("SUDO_USER"), *user = getenv("USER");

	if (!getuid() && sudo && *sudo)
		return mem_strndup(sudo, 100);
	return user && *user ? mem_strndup(user, 100)
			     : mem_printf("uid %u", (unsigned int)getuid());
}
