/* SPDX-License-Identifier: GPL-2.0-only */
/* Who holds which BPF program? */
#include "base/banned.h"

#include <bpf/bpf.h>
#include <errno.h>

#include "sys/caps.h"
#include "loader/light_skeleton.h"
#include "loader/iterator.h"
#include "loader/holder_iterator.h"
#include "base/str.h"

/* Generated code, not written to our warnings. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wunused-function"
#include "bpf/iter/holder.lskel.h"
#include "bpf/iter/holder.skel.h"
#pragma GCC diagnostic pop

#include "bpf/iter/holder.h"

#define HOLDERS_MAX 65536

/* On Linux 5.17 and newer. */
static int holder_read_light(struct str *out)
{
	struct holder_light *light = holder_light__open();
	int err;

	if (!light)
		return -ENOMEM;
	err = holder_light__load(light);
	if (!err)
		err = holder_light__attach(light);
	if (!err)
		err = iter_read(light->links.dump_holder_fd,
			HOLDERS_MAX * sizeof(struct holder_record), out);
	holder_light__destroy(light);
	return err;
}

static int holder_read_full(struct str *out)
{
	libbpf_print_fn_t print = libbpf_set_print(NULL);
	struct holder_full *full = holder_full__open_and_load();
	int err = 0;

	if (!full || holder_full__attach(full))
		err = errno ? -errno : -EINVAL;
	libbpf_set_print(print);
	if (!err)
		err = iter_read(bpf_link__fd(full->links.dump_holder),
			HOLDERS_MAX * sizeof(struct holder_record), out);
	holder_full__destroy(full);
	return err;
}

int holder_iter_read(struct str *out)
{
	struct str records = STR_INIT;
	int err;

	caps_raise(CAPS_BPF);
	err = holder_read_light(&records);
	if (err && err != -E2BIG && err != -EPERM) {
		str_clear(&records);
		caps_raise(CAPS_BPF); /* reading has lowered them */
		err = holder_read_full(&records);
	}
	caps_lower(CAPS_BPF);
	str_addn(out, str_text(&records), records.len);
	str_free(&records);
	return err;
}
