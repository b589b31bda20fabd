/* SPDX-License-Identifier: GPL-2.0-only */
/* How are the records of all threads got from the kernel at once? */
#include "base/banned.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <unistd.h>

#include "sys/caps.h"
#include "loader/iterator.h"
#include "loader/object_load.h"
#include "loader/task_iterator.h"
#include "loader/types.h"
#include "base/str.h"

/* Generated code, not written to our warnings. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wunused-function"
#include "bpf/iter/task.skel.h"
#pragma GCC diagnostic pop

#include "bpf/iter/task.h"

#define THREADS_MAX 65536
#define BTF "/sys/kernel/btf/vmlinux"

struct task_iter {
	struct object object; /* one of the two */
	struct task_full *full;
	int link;
};

static void task_close_object(struct task_iter *iter)
{
	if (!iter->full && iter->link >= 0)
		close(iter->link);
	object_close(&iter->object);
}

/* Our own loader needs a tenth of libbpf's time. */
static int task_open_object(struct task_iter *iter)
{
	const void *bytes;
	size_t size;
	int err;

	bytes = task_full__elf_bytes(&size);
	err = object_open(&iter->object, bytes, size);
	if (!err && iter->object.n_programs != 1)
		err = -ENOTSUP;
	/* What is read of the kernel's types is kept, and read without rights. */
	types_of_kernel();
	caps_raise(CAPS_BPF);
	if (!err)
		err = object_load(&iter->object);
	if (!err)
		iter->link = bpf_link_create(iter->object.programs[0].fd, 0, BPF_TRACE_ITER, NULL);
	caps_lower(CAPS_BPF);
	if (!err && iter->link < 0)
		err = iter->link;
	if (err)
		task_close_object(iter);
	return err;
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

	iter->link = -1;
	err = task_open_object(iter);
	if (err && err != -EPERM) {
		caps_raise(CAPS_BPF);
		err = open_full(iter);
		caps_lower(CAPS_BPF);
	}
	if (err) {
		free(iter);
		return err != -EPERM && access(BTF, F_OK) ? -ENOENT : err;
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
	task_close_object(iter);
	task_full__destroy(iter->full);
	free(iter);
}
