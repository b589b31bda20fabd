/* SPDX-License-Identifier: GPL-2.0-only */
/* Who says so? */
#include "base/banned.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/username.h"
#include "base/str.h"

#define NAME_BYTES 100

/* A static program has no other way to ask than the file. "name:x:uid:…" */
static char *username_in_line(const char *line, uid_t uid)
{
	size_t len = strcspn(line, ":");
	const char *at = line[len] ? strchr(line + len + 1, ':') : NULL;
	char *end;
	unsigned long number = at ? strtoul(at + 1, &end, 10) : 0;

	return at && end > at + 1 && *end == ':' && number == uid && len
		? mem_strndup(line, len < NAME_BYTES ? len : NAME_BYTES)
		: NULL;
}

static char *username_of(uid_t uid)
{
	FILE *file = fopen("/etc/passwd", "re");
	char line[1024], *name = NULL;

	while (file && !name && fgets(line, sizeof(line), file))
		name = username_in_line(line, uid);
	if (file)
		fclose(file);
	return name ? name : mem_printf("uid %u", (unsigned int)uid);
}

char *username_of_caller(void)
{
	const char *sudo = getenv("SUDO_USER"), *user = getenv("USER");

	if (!getuid() && sudo && *sudo)
		return mem_strndup(sudo, NAME_BYTES);
	return user && *user ? mem_strndup(user, NAME_BYTES) : username_of(getuid());
}
