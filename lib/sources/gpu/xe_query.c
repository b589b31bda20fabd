/* SPDX-License-Identifier: GPL-2.0-only */
/* What is this Intel GPU: which generation, how many XeCores, which rates and buffers? */
#include "base/banned.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "sources/gpu/xe_uapi.h"
#include "sources/gpu/xe_stream.h"
#include "sources/gpu/xe_query.h"
#include "sources/gpu/xe_error.h"

#define ANSWER_MAX (1 << 20)
#define TRIES 3		       /* a size that changed in between is asked for again */
#define BUFFER_MAX (16u << 20) /* of an XeCore */

struct asking {
	struct xe_gpu *gpu;
	struct xe_trouble *trouble;
};

/* What may go wrong with every call. */
static int xe_explain_query(const struct asking *asking, int error, const char *what)
{
	const char *name = asking->gpu->name;

	if (error == ECANCELED || error == ENODEV)
		return xe_explain_open(asking->trouble, name, error);
	return xe_trouble_set(asking->trouble, XE_UNABLE, error, "%s: %s cannot be queried: %s",
		name, what, strerror(error));
}

static int call(int fd, unsigned long request, void *arg)
{
	int result;

	do
		result = ioctl(fd, request, arg);
	while (result && errno == EINTR);
	return result ? -errno : 0;
}

/* An answer of a length that the kernel knows: the caller frees it. 0 bytes are an answer too. */
static int query(int fd, uint32_t what, void **answer, size_t *n_bytes)
{
	int err = 0, tries;

	*answer = NULL;
	*n_bytes = 0;
	for (tries = 0; tries < TRIES; tries++) {
		struct xe_device_query request = {.query = what};

		err = call(fd, XE_IOCTL_DEVICE_QUERY, &request);
		if (err || !request.size)
			return err;
		if (request.size > ANSWER_MAX)
			return -EFBIG;
		*n_bytes = request.size;
		*answer = mem_zalloc(request.size);
		request.data = (uintptr_t)*answer;
		err = call(fd, XE_IOCTL_DEVICE_QUERY, &request);
		if (!err && request.size <= *n_bytes)
			return 0;
		free(*answer);
		*answer = NULL;
		*n_bytes = 0;
		if (err != -EINVAL)
			return err ? err : -EFBIG;
	}
	return err;
}

static int ask_driver(const struct asking *asking)
{
	char name[8] = "";
	struct drm_version_query version = {.name_len = sizeof(name), .name = (uintptr_t)name};
	int err = call(asking->gpu->fd, XE_IOCTL_VERSION, &version);

	if (err)
		return xe_explain_query(asking, -err, "its driver");
	if (version.name_len == 2 && !memcmp(name, "xe", 2))
		return 0;
	return xe_trouble_set(asking->trouble, XE_ABSENT, ENOTSUP,
		"%s has another driver than xe, which alone samples stalls", asking->gpu->name);
}

static int ask_config(const struct asking *asking)
{
	struct xe_query_config *config;
	size_t n_bytes;
	void *answer;
	int err = query(asking->gpu->fd, XE_QUERY_CONFIG, &answer, &n_bytes);

	config = answer;
	if (err)
		return xe_explain_query(asking, -err, "its configuration");
	if (n_bytes < sizeof(*config) + sizeof(config->info[0]) || !config->num_params)
		err = xe_explain_query(asking, EBADMSG, "its configuration");
	else
		asking->gpu->pci_id = (uint16_t)config->info[XE_CONFIG_REV_AND_DEVICE_ID];
	free(answer);
	return err;
}

void xe_take_gts(struct xe_gpu *gpu, const void *answer, size_t n_bytes)
{
	const struct xe_query_gt_list *list = answer;
	size_t i, n;

	if (n_bytes < sizeof(*list))
		return;
	n = (n_bytes - sizeof(*list)) / sizeof(list->gt_list[0]);
	for (i = 0; i < n && i < list->num_gt && gpu->n_gts < XE_GTS_MAX; i++)
		if (list->gt_list[i].type == XE_GT_MAIN)
			gpu->gts[gpu->n_gts++] = (struct xe_gt){
				.id = list->gt_list[i].gt_id,
				.version = list->gt_list[i].ip_ver_major,
			};
}

static int ask_gts(const struct asking *asking)
{
	size_t n_bytes;
	void *answer;
	int err = query(asking->gpu->fd, XE_QUERY_GT_LIST, &answer, &n_bytes);

	if (err)
		return xe_explain_query(asking, -err, "the list of its GTs");
	xe_take_gts(asking->gpu, answer, n_bytes);
	free(answer);
	if (asking->gpu->n_gts)
		return 0;
	return xe_trouble_set(asking->trouble, XE_ABSENT, ENODEV,
		"%s has no GT with vector engines, only for media", asking->gpu->name);
}

static struct xe_gt *find_gt(struct xe_gpu *gpu, uint16_t id)
{
	size_t i;

	for (i = 0; i < gpu->n_gts; i++)
		if (gpu->gts[i].id == id)
			return &gpu->gts[i];
	return NULL;
}

/* The masks of cores for geometry and for compute overlap. */
struct cores {
	uint8_t mask[XE_GTS_MAX][XE_XECORES_MAX / 8];
};

static unsigned int count_bits(const uint8_t *mask, size_t n)
{
	unsigned int bits = 0;
	size_t i;

	for (i = 0; i < n; i++)
		bits += (unsigned int)__builtin_popcount(mask[i]);
	return bits;
}

static void take_mask(struct xe_gpu *gpu, struct cores *cores,
	const struct xe_query_topology_mask *entry, const uint8_t *mask)
{
	struct xe_gt *gt = find_gt(gpu, entry->gt_id);
	size_t i;

	if (!gt)
		return;
	switch (entry->type) {
	case XE_TOPOLOGY_DSS_GEOMETRY:
	case XE_TOPOLOGY_DSS_COMPUTE:
		for (i = 0; i < entry->num_bytes && i < XE_XECORES_MAX / 8; i++)
			cores->mask[gt - gpu->gts][i] |= mask[i];
		break;
	case XE_TOPOLOGY_EU_PER_DSS:
	case XE_TOPOLOGY_SIMD16_EU_PER_DSS:
		gt->engines = count_bits(mask, entry->num_bytes);
		break;
	}
}

void xe_take_topology(struct xe_gpu *gpu, const void *data, size_t n_bytes)
{
	const uint8_t *answer = data;
	struct xe_query_topology_mask entry;
	struct cores cores = {0};
	size_t at = 0, i;

	while (n_bytes - at >= sizeof(entry)) {
		memcpy(&entry, answer + at, sizeof(entry));
		at += sizeof(entry);
		if (entry.num_bytes > n_bytes - at)
			break;
		take_mask(gpu, &cores, &entry, answer + at);
		at += entry.num_bytes;
	}
	for (i = 0; i < gpu->n_gts; i++)
		gpu->gts[i].xecores = count_bits(cores.mask[i], sizeof(cores.mask[i]));
}

static int ask_topology(const struct asking *asking)
{
	size_t n_bytes, i;
	void *answer;
	int err = query(asking->gpu->fd, XE_QUERY_GT_TOPOLOGY, &answer, &n_bytes);

	if (err)
		return xe_explain_query(asking, -err, "its topology");
	xe_take_topology(asking->gpu, answer, n_bytes);
	free(answer);
	for (i = 0; i < asking->gpu->n_gts; i++)
		if (!asking->gpu->gts[i].xecores)
			return xe_trouble_set(asking->trouble, XE_UNABLE, 0,
				"%s does not tell how many XeCores its GT %u has, so how large a "
				"buffer takes all of them is not known",
				asking->gpu->name, asking->gpu->gts[i].id);
	return 0;
}

static int check_stall(const struct asking *asking)
{
	const struct xe_gpu *gpu = asking->gpu;

	if (gpu->record_bytes != 64)
		return xe_trouble_set(asking->trouble, XE_UNABLE, 0,
			"%s writes records of %llu bytes, a format that is not known here",
			gpu->name, (unsigned long long)gpu->record_bytes);
	if (gpu->buffer_bytes < 64 || gpu->buffer_bytes > BUFFER_MAX)
		return xe_trouble_set(asking->trouble, XE_UNABLE, 0,
			"%s: buffers of %llu bytes make no sense", gpu->name,
			(unsigned long long)gpu->buffer_bytes);
	if (!gpu->n_rates)
		return xe_trouble_set(asking->trouble, XE_UNABLE, 0,
			"%s names no rate that it can sample at", gpu->name);
	return 0;
}

static int explain_stall(const struct asking *asking, int error)
{
	switch (error) {
	case EINVAL:
		return xe_trouble_set(asking->trouble, XE_UNABLE, error,
			"%s: the kernel cannot sample stalls: that needs Linux 6.15 or later",
			asking->gpu->name);
	case ENODEV:
		return xe_trouble_set(asking->trouble, XE_ABSENT, error,
			"%s has no unit that samples stalls, or is a virtual function",
			asking->gpu->name);
	}
	return xe_explain_query(asking, error, "its sampling of stalls");
}

void xe_take_stall(struct xe_gpu *gpu, const void *answer, size_t n_bytes)
{
	const struct xe_query_eu_stall *stall = answer;
	size_t i, room;

	if (n_bytes < sizeof(*stall))
		return;
	gpu->record_bytes = stall->record_size;
	gpu->buffer_bytes = stall->per_xecore_buf_size;
	room = (n_bytes - sizeof(*stall)) / sizeof(stall->sampling_rates[0]);
	for (i = 0; i < stall->num_sampling_rates && i < room && gpu->n_rates < XE_RATES_MAX; i++)
		if (stall->sampling_rates[i])
			gpu->rates[gpu->n_rates++] = stall->sampling_rates[i];
}

static int ask_stall(const struct asking *asking)
{
	struct xe_gpu *gpu = asking->gpu;
	size_t n_bytes;
	void *answer;
	int err = query(gpu->fd, XE_QUERY_EU_STALL, &answer, &n_bytes);

	if (err)
		return explain_stall(asking, -err);
	if (!n_bytes)
		return xe_trouble_set(asking->trouble, XE_ABSENT, ENODEV,
			"%s does not sample stalls for this function of it", gpu->name);
	if (n_bytes < sizeof(struct xe_query_eu_stall)) {
		free(answer);
		return xe_explain_query(asking, EBADMSG, "its sampling of stalls");
	}
	xe_take_stall(gpu, answer, n_bytes);
	free(answer);
	return check_stall(asking);
}

static int explain_node(const struct xe_device *device, struct xe_trouble *trouble, int error)
{
	switch (error) {
	case ENOENT:
		return xe_trouble_set(
			trouble, XE_UNABLE, error, "%s: no %s here", device->name, device->node);
	case ENXIO:
	case ENODEV:
		return xe_trouble_set(trouble, XE_UNABLE, error,
			"%s: no driver is behind %s, which is stale", device->name, device->node);
	case EACCES:
	case EPERM:
		return xe_trouble_set(trouble, XE_UNABLE, error,
			"%s: opening %s needs the group render (usermod -aG render USER, then log "
			"in again), or root",
			device->name, device->node);
	}
	return xe_trouble_set(trouble, XE_UNABLE, error, "%s: %s: %s", device->name, device->node,
		strerror(error));
}

int xe_gpu_open(const struct xe_device *device, struct xe_gpu *gpu, struct xe_trouble *trouble)
{
	struct asking asking;
	int err;

	*gpu = (struct xe_gpu){.fd = -1};
	*trouble = (struct xe_trouble){0};
	asking = (struct asking){gpu, trouble};
	memcpy(gpu->name, device->name, sizeof(gpu->name));
	if (device->is_asleep)
		return xe_trouble_set(
			trouble, XE_ASLEEP, 0, "%s sleeps, and was not woken", device->name);
	gpu->fd = open(device->node, O_RDWR | O_CLOEXEC);
	if (gpu->fd < 0)
		return explain_node(device, trouble, errno);
	err = ask_driver(&asking);
	if (!err)
		err = ask_stall(&asking);
	if (!err)
		err = ask_config(&asking);
	if (!err)
		err = ask_gts(&asking);
	if (!err)
		err = ask_topology(&asking);
	return err;
}

void xe_gpu_close(struct xe_gpu *gpu)
{
	if (gpu->fd >= 0)
		close(gpu->fd);
	gpu->fd = -1;
}
