/* SPDX-License-Identifier: GPL-2.0-only */
/* Which GPUs are there, and which of them sleep? Nothing here touches a device. */
#include "base/banned.h"

#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "sources/gpu/gpu_source.h"
#include "sources/common/parse_text.h"
#include "base/str.h"
#include "capture/glob.h"
#include "sources/gpu/discover.h"

#define DRM "/sys/class/drm"
#define NVIDIA "/sys/bus/pci/drivers/nvidia"
/* What only shows pictures, or hands on to another machine: no engine of its own to be busy. */
#define NO_GPU \
	"virtio_gpu virtio-pci vgem vkms simple-framebuffer vmwgfx vboxvideo qxl hyperv_drm udl " \
	"evdi"

/* The last part of a link's target, if it is a plain name. */
static bool gpu_read_target(struct capture *fs, const char *path, char *buf, size_t size)
{
	char target[256];
	const char *name;

	if (capture_readlink(fs, path, target, sizeof(target)))
		return false;
	name = strrchr(target, '/') ? strrchr(target, '/') + 1 : target;
	if (!*name || *name == '.' || strlen(name) >= size ||
		strspn(name,
			"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ:._-") !=
			strlen(name))
		return false;
	memcpy(buf, name, strlen(name) + 1);
	return true;
}

struct finding {
	struct capture *fs;
	struct gpu_devices *out;
};

static struct gpu_device *gpu_intern_device(struct gpu_devices *devices, const char *name)
{
	struct gpu_device *device;
	size_t i;

	for (i = 0; i < devices->n; i++)
		if (!strcmp(devices->list[i].name, name))
			return &devices->list[i];
	if (devices->n == GPU_DEVICES_MAX)
		return NULL;
	device = &devices->list[devices->n++];
	memset(device, 0, sizeof(*device));
	snprintf(device->name, sizeof(device->name), "%s", name);
	return device;
}

static bool gpu_is_number(const char *text)
{
	uint64_t number;

	return !num_u64(text, 0, UINT32_MAX, &number);
}

static int gpu_find_render(void *arg, const char *path, const char *star)
{
	struct finding *finding = arg;
	char link[96], name[GPU_NAME_BYTES], driver[24];
	struct gpu_device *device;

	(void)path;
	if (!gpu_is_number(star) || strlen(star) > 10)
		return 0;
	snprintf(link, sizeof(link), DRM "/renderD%s/device", star);
	if (!gpu_read_target(finding->fs, link, name, sizeof(name)))
		return 0;
	snprintf(link, sizeof(link), DRM "/renderD%s/device/driver", star);
	if (!gpu_read_target(finding->fs, link, driver, sizeof(driver)) ||
		str_matches(driver, NO_GPU))
		return 0;
	device = gpu_intern_device(finding->out, name);
	if (!device)
		return 1;
	memcpy(device->driver, driver, sizeof(driver));
	snprintf(device->render, sizeof(device->render), "renderD%s", star);
	snprintf(device->dir, sizeof(device->dir), DRM "/renderD%s/device", star);
	return 0;
}

static int find_card(void *arg, const char *path, const char *star)
{
	struct finding *finding = arg;
	char link[96], name[GPU_NAME_BYTES];
	size_t i;

	(void)path;
	if (!gpu_is_number(star) || strlen(star) > 10)
		return 0;
	snprintf(link, sizeof(link), DRM "/card%s/device", star);
	if (!gpu_read_target(finding->fs, link, name, sizeof(name)))
		return 0;
	for (i = 0; i < finding->out->n; i++) {
		struct gpu_device *device = &finding->out->list[i];

		if (strcmp(device->name, name) != 0 || *device->card)
			continue;
		snprintf(device->card, sizeof(device->card), "card%s", star);
		snprintf(device->dir, sizeof(device->dir), DRM "/card%s/device", star);
	}
	return 0;
}

/* Those of the NVIDIA driver are no DRM devices unless nvidia-drm is loaded as well. */
static int find_nvidia(void *arg, const char *path, const char *star)
{
	struct finding *finding = arg;
	struct gpu_device *device;
	char name[GPU_NAME_BYTES];

	(void)path;
	if (snprintf(name, sizeof(name), "0%s", star) >= (int)sizeof(name) ||
		strspn(name, "0123456789abcdef:.") != strlen(name))
		return 0;
	device = gpu_intern_device(finding->out, name);
	if (!device)
		return 1;
	snprintf(device->driver, sizeof(device->driver), "nvidia");
	snprintf(device->dir, sizeof(device->dir), "/sys/bus/pci/devices/%s", name);
	return 0;
}

void gpu_find(struct capture *fs, struct gpu_devices *out)
{
	struct finding finding = {fs, out};

	memset(out, 0, sizeof(*out));
	capture_glob(fs, DRM "/renderD*", gpu_find_render, &finding);
	capture_glob(fs, DRM "/card*", find_card, &finding);
	capture_glob(fs, NVIDIA "/0*", find_nvidia, &finding);
}

enum gpu_power gpu_power(struct capture *fs, const struct gpu_device *device)
{
	struct bytes text, word;
	char path[192];

	snprintf(path, sizeof(path), "%s/power/runtime_status", device->dir);
	if (!capture_exists(fs, path))
		return GPU_AWAKE;
	if (capture_read_once(fs, path, &text) || !text_any_line(&text, &word))
		return GPU_ASLEEP;
	if (text_is(word, "active") || text_is(word, "unsupported"))
		return GPU_AWAKE;
	return text_is(word, "error") ? GPU_STUCK : GPU_ASLEEP;
}

bool gpu_add_number(struct capture *fs, const struct gpu_device *device, const char *file,
	const char *key, struct str *lines)
{
	struct bytes text, word;
	char path[256];
	double value;

	if (snprintf(path, sizeof(path), "%s/%s", device->dir, file) >= (int)sizeof(path) ||
		capture_read_once(fs, path, &text) || !text_any_line(&text, &word) ||
		!text_number(word, &value))
		return false;
	str_addf(lines, "%s %s %.17g\n", device->name, key, value);
	return true;
}

bool nvml_has_devices(const struct gpu_devices *devices)
{
	size_t i;

	for (i = 0; i < devices->n; i++)
		if (!strcmp(devices->list[i].driver, "nvidia"))
			return true;
	return false;
}
