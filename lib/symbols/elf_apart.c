/* SPDX-License-Identifier: GPL-2.0-only */
/* Who reads an ELF file that others wrote, and has nothing to lose? */
#include "base/banned.h"

#include <errno.h>
#include <sys/wait.h>

#include "base/str.h"
#include "symbols/elf_apart.h"
#include "sys/child.h"
#include "sys/read_write.h"
#include "sys/sandbox.h"

/* LLVM's library, the largest that is known, takes a quarter of a second. */
enum { DEADLINE_MS = 10000 };

struct elf_head {
	uint64_t n_segments, n, names_len;
	struct elf_facts facts;
};

struct elf_work {
	int fd;
	unsigned int wants;
	size_t max_bytes;
};

void elf_image_write(struct str *out, const struct elf_image *image)
{
	struct elf_head head;

	memset(&head, 0, sizeof(head));
	head.n_segments = image->n_segments;
	head.n = image->n;
	head.names_len = image->names_len;
	memcpy(&head.facts, &image->facts, sizeof(head.facts));
	str_addn(out, &head, sizeof(head));
	str_addn(out, image->segments, image->n_segments * sizeof(*image->segments));
	if (image->n)
		str_addn(out, image->functions, image->n * sizeof(*image->functions));
	if (image->names_len)
		str_addn(out, image->names, image->names_len);
}

/* Whether it is as elf_image_read leaves it: whoever uses it relies on that. */
static bool elf_image_is_whole(const struct elf_image *image)
{
	const struct elf_facts *facts = &image->facts;

	if (image->names_len && image->names[image->names_len - 1])
		return false;
	for (size_t i = 0; i < image->n; i++)
		if (image->functions[i].name >= image->names_len ||
			(i && image->functions[i].address <= image->functions[i - 1].address))
			return false;
	return facts->build_id_len <= ELF_IMAGE_BUILD_ID_MAX &&
		memchr(facts->debug_link, 0, sizeof(facts->debug_link)) &&
		!strchr(facts->debug_link, '/') && facts->with_frame_pointer <= facts->looked;
}

int elf_image_take(struct elf_image *image, const char *bytes, size_t len, size_t max_bytes)
{
	struct elf_head head;
	size_t segments, functions;

	*image = (struct elf_image){.n = 0};
	if (len < sizeof(head))
		return -EBADMSG;
	memcpy(&head, bytes, sizeof(head));
	bytes += sizeof(head);
	len -= sizeof(head);
	if (head.n_segments > ELF_IMAGE_SEGMENTS_MAX || head.n > len || head.names_len > len)
		return -EBADMSG;
	segments = head.n_segments * sizeof(*image->segments);
	functions = head.n * sizeof(*image->functions);
	if (segments + functions + head.names_len != len || functions + head.names_len > max_bytes)
		return -EBADMSG;
	memcpy(&image->facts, &head.facts, sizeof(image->facts));
	memcpy(image->segments, bytes, segments);
	image->n_segments = head.n_segments;
	image->functions = mem_alloc(functions + 1);
	memcpy(image->functions, bytes + segments, functions);
	image->n = image->room = head.n;
	image->names = mem_alloc(head.names_len + 1);
	memcpy(image->names, bytes + segments + functions, head.names_len);
	image->names_len = image->names_room = head.names_len;
	if (elf_image_is_whole(image))
		return 0;
	elf_image_free(image);
	return -EBADMSG;
}

/* The child. Its exit status is the error. */
static int elf_apart_work(void *arg, int fd)
{
	const struct elf_work *work = arg;
	struct elf_image image = {.n = 0};
	struct str out = STR_INIT;
	int err = sandbox_enter(0);

	if (!err)
		err = elf_image_read(&image, work->fd, work->wants, work->max_bytes);
	if (!err || err == -EFBIG)
		elf_image_write(&out, &image);
	if (out.len && write_all(fd, out.text, out.len))
		err = -EIO;
	elf_image_free(&image);
	str_free(&out);
	return -err;
}

int elf_image_read_apart(struct elf_image *image, int fd, unsigned int wants, size_t max_bytes)
{
	struct elf_work work = {fd, wants, max_bytes};
	struct str answer = STR_INIT;
	struct child child;
	bool too_big;
	int status = 0, err = child_start(&child, elf_apart_work, &work);

	*image = (struct elf_image){.n = 0};
	if (!err)
		err = child_collect(&child, DEADLINE_MS, NULL, NULL, &answer, &status);
	too_big = err == -EPIPE && WIFEXITED(status) && WEXITSTATUS(status) == EFBIG;
	if ((err && !too_big) || elf_image_take(image, str_text(&answer), answer.len, max_bytes))
		err = -ENOEXEC;
	else if (too_big)
		err = -EFBIG;
	str_free(&answer);
	return err;
}
