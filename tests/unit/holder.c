/* SPDX-License-Identifier: GPL-2.0-only */
/* Is it seen who holds BPF programs, also by a kernel that cannot run the light loader? */
#include "base/banned.h"

#include <errno.h>
#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "base/str.h"
#include "bpf/iter/holder.h"
#include "loader/holder_iterator.h"
#include "sys/caps.h"
#include "tests/unit/tap.h"

#define NAME "tuesday-holds"

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define LOWER_HALF 0
#else
#define LOWER_HALF 4
#endif

/* As before Linux 5.14, which knows no program that loads others. */
static bool refuse_loader_programs(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_bpf, 0, 3),
		BPF_STMT(
			BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args) + LOWER_HALF),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, BPF_PROG_TEST_RUN, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
		!prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* The iterator itself is held by us while it runs. */
static bool finds_us(const struct str *records)
{
	const struct holder_record *record;
	size_t at;

	for (at = 0; at + sizeof(*record) <= records->len; at += sizeof(*record)) {
		record = (const void *)(records->text + at);
		/* By its name: in a container its number is another there. */
		if (record->program && !strncmp((const char *)record->comm, NAME, 16))
			return true;
	}
	return false;
}

static void test_holders(const char *how)
{
	struct str records = STR_INIT;
	int err = holder_iter_read(&records);

	ok(!err && finds_us(&records), "%s finds that we hold the one that looks (%d)", how, err);
	ok(!caps_any_effective(), "and leaves no right effective");
	str_free(&records);
}

int main(void)
{
	struct str records = STR_INIT;
	int err;

	if (prctl(PR_SET_NAME, NAME) || caps_start(CAPS_ALL))
		return 1;
	err = caps_have(CAPS_BPF) ? holder_iter_read(&records) : -EPERM;
	str_free(&records);
	if (err) {
		ok(true, "who holds programs # SKIP %s", strerror(-err));
		return tap_done();
	}
	test_holders("the light skeleton");
	if (refuse_loader_programs())
		test_holders("the full one, where that is refused,");
	return tap_done();
}
