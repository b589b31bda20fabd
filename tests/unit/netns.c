/* SPDX-License-Identifier: GPL-2.0-only */
/* Why is not every network namespace seen? */
#include "base/banned.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "capture/netns.h"
#include "sys/caps.h"
#include "tests/unit/tap.h"

int main(void)
{
	struct str many = STR_INIT;

	str_addf(&many, "only %d network namespaces are read", NETNS_MAX);
	ok(!strcmp(netns_unseen(-E2BIG), str_text(&many)), "too many of them: %s", str_text(&many));
	if (caps_have(CAPS_NAMESPACE | CAPS_PTRACE))
		ok(strstr(netns_unseen(-EPERM), "not even to root") != NULL,
			"where root may not enter one, root is no help");
	caps_drop(CAPS_ALL);
	ok(str_ends(netns_unseen(-EPERM), "run as root"), "without rights, root would see more");
	str_free(&many);
	return tap_done();
}
