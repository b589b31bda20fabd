/* SPDX-License-Identifier: GPL-2.0-only */
/* Who reads an ELF file that others wrote, and has nothing to lose? */
#include "base/banned.h"

#include <errno.h>
#include <sys/wait.h>

#include "base/str.h"
#include "sys/child.h"
#include "sys/read_write.h"
#include "sys/sandbox.h"
#include "tools/gpu/functions.h"
#include "tools/gpu/functions_apart.h"

/* Of LLVM's library, the largest that is known, it takes a quarter of a second. */
enum { DEADLINE_MS = 10000 };

/* Before each name, which has no zero byte and is as long as that. */
struct head {
	uint64_t offset, size;
	uint32_t name_len;
};

struct work {
	int fd;
	size_t max_bytes;
};

void functions_write(const struct functions *functions, struct str *out)
{
	for (size_t i = 0; i < functions->n; i++) {
		const struct function *function = &functions->list[i];
		struct head head;

		memset(&head, 0, sizeof(head));
		head.offset = function->offset;
		head.size = function->size;
		head.name_len = (uint32_t)strlen(function->name);
		str_addn(out, &head, sizeof(head));
		str_addn(out, function->name, head.name_len);
	}
}

int functions_take(struct functions *functions, const char *bytes, size_t len, size_t max_bytes)
{
	const char *end = bytes + len;
	uint64_t last = 0;

	while (bytes < end) {
		struct head head = {0};
		const size_t left = (size_t)(end - bytes);

		if (left >= sizeof(head))
			memcpy(&head, bytes, sizeof(head));
		if (!head.name_len || head.name_len > FUNCTION_NAME_MAX ||
			head.name_len > left - sizeof(head) ||
			memchr(bytes + sizeof(head), 0, head.name_len) || head.offset < last ||
			max_bytes - functions->bytes < sizeof(struct function) + head.name_len) {
			functions_free(functions);
			return -EBADMSG;
		}
		last = head.offset;
		functions->bytes += sizeof(struct function) + head.name_len;
		ARRAY_GROW(functions->list, functions->n, functions->room);
		functions->list[functions->n++] = (struct function){
			head.offset, head.size, mem_strndup(bytes + sizeof(head), head.name_len)};
		bytes += sizeof(head) + head.name_len;
	}
	return 0;
}

/* The child. Its exit status is the error. */
static int functions_work(void *arg, int fd)
{
	const struct work *work = arg;
	struct functions functions = {0};
	struct str out = STR_INIT;
	int err = sandbox_enter(0);

	if (!err)
		err = functions_read(&functions, work->fd, work->max_bytes);
	if (!err)
		functions_write(&functions, &out);
	if (!err && out.len)
		err = write_all(fd, out.text, out.len);
	functions_free(&functions);
	str_free(&out);
	return -err;
}

int functions_read_apart(struct functions *functions, int fd, size_t max_bytes)
{
	struct work work = {fd, max_bytes};
	struct str answer = STR_INIT;
	struct child child;
	int status = 0, err = child_start(&child, functions_work, &work);

	if (!err)
		err = child_collect(&child, DEADLINE_MS, NULL, NULL, &answer, &status);
	if (err == -EPIPE && WIFEXITED(status) && WEXITSTATUS(status) == EFBIG)
		err = -EFBIG;
	else if (err || functions_take(functions, str_text(&answer), answer.len, max_bytes))
		err = -ENOEXEC;
	str_free(&answer);
	return err;
}
