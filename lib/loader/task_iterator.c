/* SPDX-License-Identifier: GPL-2.0-only */
/* How are the records of all threads got from the kernel at once? */
#include "base/banned.h"

#include <bpf/bpf.h>
#include <errno.h>

#include "sys/caps.h"
#include "loader/light_skeleton.h"
#include "loader/iterator.h"
#include "loader/task_iterator.h"
#include "base/str.h"

/* Generated code, not written to our warnings. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wunused-function"
#include "bpf/iter/task.lskel.h"
#include "bpf/iter/task.skel.h"
#pragma GCC diagnostic pop

#include "bpf/iter/task.h"

#define THREADS_MAX 65536

struct task_iter {
	struct task_light *light; /* one of the two */
	struct task_full *full;
	int link;
};

/* The light skeleton loads in a tenth of the time, on Linux 5.17 and newer. */
static int open_light(struct task_iter *iter)
{
	int err;

	iter->light = task_light__open();
	if (!iter->light)
		return -ENOMEM;
	err = task_light__load(iter->light);
	if (!err)
		err = task_light__attach(iter->light);
	if (err) {
		task_light__destroy(iter->light);
		iter->light = NULL;
		return err;
	}
	iter->link = iter->light->links.dump_task_fd;
	return 0;
}

static int open_full(struct task_iter *iter)
{
	libbpf_print_fn_t print = libbpf_set_print(NULL);
	int err = 0;

	iter->full = task_full__open_and_load();
	if (!iter->full || task_full__attach(iter->full))
		err = errno ? -errno : -EINVAL;
	libbpf_set_print(print);
	if (err) {
		task_full__destroy(iter->full);
		iter->full = NULL;
		return err;
	}
	iter->link = bpf_link__fd(iter->full->links.dump_task);
	return 0;
}

int task_iter_open(struct task_iter **out)
{
	struct task_iter *iter = mem_zalloc(sizeof(*iter));
	int err;

	caps_raise(CAPS_BPF);
	err = open_light(iter);
	if (err && err != -EPERM)
		err = open_full(iter);
	caps_lower(CAPS_BPF);
	if (err) {
		free(iter);
		return err;
	}
	*out = iter;
	return 0;
}

int task_iter_read(const struct task_iter *iter, struct str *out)
{
	return iter_read(iter->link, THREADS_MAX * sizeof(struct task_record), out);
}

void task_iter_close(struct task_iter *iter)
{
	if (!iter)
		return;
	if (iter->light)
		task_light__destroy(iter->light);
	task_full__destroy(iter->full);
	free(iter);
}
