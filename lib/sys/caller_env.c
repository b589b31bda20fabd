/* SPDX-License-Identifier: GPL-2.0-only */
/* Does the caller of this process decide what it believes? */
#include "base/banned.h"

#include "base/str.h"
#include "sys/caller_env.h"

/* Each is looked for many times in a run. */
static void caller_env_say(const char *name)
{
	static char said[256];

	if (!str_starts(name, "TUESDAY_") || strlen(said) + strlen(name) + 2 > sizeof(said) ||
		strstr(said, name))
		return;
	snprintf(said + strlen(said), sizeof(said) - strlen(said), "%s ", name);
	fprintf(stderr, "tuesday: %s is not taken from the caller of sudo\n", name);
}

const char *caller_env(const char *name)
{
	const char *value = secure_getenv(name);

	if (!value || !getenv("SUDO_UID"))
		return value;
	caller_env_say(name);
	return NULL;
}
