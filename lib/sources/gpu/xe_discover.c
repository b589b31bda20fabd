/* SPDX-License-Identifier: GPL-2.0-only */
/* Which Intel GPUs of the driver xe are there, and which of them sleep? Nothing touches one. */
#include "base/banned.h"

#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "capture/capture.h"
#include "sources/common/parse_text.h"
#include "sources/gpu/xe_stream.h"
#include "capture/glob.h"
#include "sources/gpu/xe_discover.h"

#define DRM "/sys/class/drm"
#define PLAIN "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ:._-"

struct finding {
	struct capture *fs;
	struct xe_devices *out;
};

/* The last part of a link's target, if it is a plain name. */
static bool xe_read_target(struct capture *fs, const char *path, char *buf, size_t size)
{
	char target[256];
	const char *slash, *name;

	if (capture_readlink(fs, path, target, sizeof(target)))
		return false;
	slash = strrchr(target, '/');
	name = slash ? slash + 1 : target;
	if (!*name || strlen(name) >= size || name[strspn(name, PLAIN)])
		return false;
	memcpy(buf, name, strlen(name) + 1);
	return true;
}

/* A kernel without this file suspends nothing. What cannot be told is left alone. */
static bool is_asleep(struct capture *fs, const char *star)
{
	struct bytes text, word;
	char path[96];

	snprintf(path, sizeof(path), DRM "/renderD%s/device/power/runtime_status", star);
	if (!capture_exists(fs, path))
		return false;
	if (capture_read_once(fs, path, &text) || !text_any_line(&text, &word))
		return true;
	return !text_is(word, "active") && !text_is(word, "unsupported");
}

static int xe_find_render(void *arg, const char *path, const char *star)
{
	struct finding *finding = arg;
	struct xe_device *device;
	char link[96], driver[24];
	uint64_t number;

	(void)path;
	if (finding->out->n == XE_DEVICES_MAX)
		return 1;
	device = &finding->out->list[finding->out->n];
	if (num_u64(star, 0, UINT16_MAX, &number))
		return 0;
	snprintf(link, sizeof(link), DRM "/renderD%s/device/driver", star);
	if (!xe_read_target(finding->fs, link, driver, sizeof(driver)) || strcmp(driver, "xe") != 0)
		return 0;
	snprintf(link, sizeof(link), DRM "/renderD%s/device", star);
	if (!xe_read_target(finding->fs, link, device->name, sizeof(device->name)))
		return 0;
	snprintf(device->node, sizeof(device->node), "/dev/dri/renderD%u", (unsigned int)number);
	device->is_asleep = is_asleep(finding->fs, star);
	finding->out->n++;
	return 0;
}

void xe_find(struct capture *fs, struct xe_devices *out)
{
	struct finding finding;

	memset(out, 0, sizeof(*out));
	finding = (struct finding){fs, out};
	capture_glob(fs, DRM "/renderD*", xe_find_render, &finding);
}
