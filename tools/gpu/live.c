/* SPDX-License-Identifier: GPL-2.0-only */
/* How does the stream of this machine's GPU get into a profile, and into a recording? */
#include "base/banned.h"

#include <errno.h>

#include "base/clock.h"
#include "tools/gpu/conclusion.h"
#include "sys/sandbox.h"
#include "base/escape.h"
#include "capture/capture.h"
#include "base/progress.h"
#include "tools/gpu/launches.h"
#include "tools/gpu/live.h"
#include "tools/gpu/zebins.h"
#include "sources/gpu/eustall_read.h"
#include "sources/gpu/xe_discover.h"
#include "sources/gpu/xe_query.h"

/* What a sampling writes to. */
struct taps {
	struct gpu_profile *profile;
	struct eustallfile *file;  /* or NULL */
	struct launches *launches; /* or NULL */
	struct eustallfile_reader to;
};

static int live_say(const char *program, const char *device, const char *what)
{
	fprintf(stderr, "%s: %s: %s\n", program, device, what);
	return 3;
}

static int live_choose(const struct gpu_options *asked, const char *program,
	const struct xe_devices *devices, struct xe_device *device)
{
	char *wanted = escape_word(asked->device ? asked->device : "");
	size_t i = 0;
	int status = -1;

	while (i < devices->n && asked->device && strcmp(asked->device, devices->list[i].name) != 0)
		i++;
	if (!devices->n)
		status = live_say(program, asked->device ? wanted : "no GPU",
			"no Intel GPU with the driver xe on this machine; --replay reads a "
			"recording");
	else if (i == devices->n)
		status = live_say(program, wanted, "no such GPU with the driver xe");
	else if (!asked->device && devices->n > 1)
		status = live_say(program, "several GPUs", "name one by its PCI address:");
	else
		*device = devices->list[i];
	for (i = 0; i < devices->n && status == 3; i++)
		fprintf(stderr, "  %s\n", devices->list[i].name);
	free(wanted);
	return status;
}

int live_find(const struct gpu_options *asked, const char *program, struct xe_device *device)
{
	struct xe_devices devices = {0};
	struct capture *fs;
	int err = capture_open(&fs, "/", NULL), status;

	if (err)
		return live_say(program, "/", strerror(-err));
	xe_find(fs, &devices);
	capture_close(fs);
	status = live_choose(asked, program, &devices, device);
	if (status >= 0 || !device->is_asleep)
		return status;
	return live_say(
		program, device->name, "it is suspended, so nothing runs on it; it was not woken");
}

static int make_header(
	const struct xe_gpu *gpu, const struct xe_plan *plan, struct eustallfile_header *header)
{
	*header = (struct eustallfile_header){
		.pci_id = gpu->pci_id,
		.version = gpu->gts[0].version,
		.gts = (uint16_t)gpu->n_gts,
		.engines = gpu->gts[0].engines,
		.windows = plan->windows,
		.rate = plan->rate,
		.started_ns = realtime_ns(),
	};
	for (size_t i = 0; i < gpu->n_gts; i++) {
		header->xecores += gpu->gts[i].xecores;
		if (gpu->gts[i].version != header->version)
			return -ENOTSUP;
		for (size_t k = 0; k < gpu->n_rates; k++)
			if (!plan->rate && gpu->rates[k] > header->rate)
				header->rate = gpu->rates[k];
	}
	if (!header->version && !eustall_is_pvc(gpu->pci_id))
		return -ENOTSUP;
	return eustall_layout_of(header->version, &header->layout);
}

static int tap_bytes(void *arg, unsigned int gt, const void *bytes, size_t n_bytes)
{
	struct taps *taps = arg;
	int err = taps->file ? eustallfile_put_bytes(taps->file, gt, bytes, n_bytes) : 0;

	return err ? err : taps->to.stream.on_bytes(taps->to.stream.arg, gt, bytes, n_bytes);
}

static void tap_drop(void *arg, unsigned int gt)
{
	struct taps *taps = arg;

	if (taps->file)
		eustallfile_put_drop(taps->file, gt);
}

static int tap_window(void *arg, const struct xe_window *window)
{
	struct taps *taps = arg;
	int err = taps->file ? eustallfile_put_window(taps->file, window) : 0;

	if (!err)
		err = taps->to.stream.on_window(taps->to.stream.arg, window);
	if (!err && taps->launches)
		launches_collect(taps->launches);
	/* No error: what there is by then is the answer. */
	return err ? err : progress_interrupted();
}

static int tap_kernel(void *arg, const struct eustallfile_kernel *kernel)
{
	struct taps *taps = arg;
	int err = taps->file ? eustallfile_put_kernel(taps->file, kernel) : 0;

	return err ? err : taps->to.on_kernel(taps->to.arg, kernel);
}

static int tap_launch(void *arg, const struct eustallfile_launch *launch)
{
	struct taps *taps = arg;
	int err = taps->file ? eustallfile_put_launch(taps->file, launch) : 0;

	return err ? err : taps->to.on_launch(taps->to.arg, launch);
}

/* Returns 0 or -errno; what the GPU's driver said is in trouble. */
static int live_read_into(const struct gpu_options *asked, struct xe_gpu *gpu, struct taps *taps,
	struct xe_trouble *trouble)
{
	const struct xe_reader stream = {taps, tap_bytes, tap_drop, tap_window};
	const struct eustallfile_reader names = {
		.on_kernel = tap_kernel, .on_launch = tap_launch, .arg = taps};
	struct xe_tally tally;
	int err;

	taps->to = profile_reader(taps->profile);
	err = xe_sample(gpu, &asked->plan, &stream, &tally, trouble);
	if (err < 0)
		return err;
	if (taps->launches) {
		launches_collect(taps->launches);
		err = launches_tell(taps->launches, &names);
		taps->profile->kernels.unkept += launches_lost(taps->launches);
	} else {
		err = 0;
	}
	/* The GPU and the kernel have told all by now, and bytes of others are read next. */
	if (!err)
		err = sandbox_enter(0);
	return err ? err : zebins_tell(asked, &names);
}

static int live_sample_profile(const struct gpu_options *asked, const char *program,
	struct xe_gpu *gpu, struct gpu_profile *profile, const struct eustallfile_header *header)
{
	struct taps taps = {.profile = profile};
	struct xe_trouble trouble = {0};
	struct str why = STR_INIT, unwritten = STR_INIT;
	int err = 0;

	if (asked->record)
		err = eustallfile_create(&taps.file, asked->record, header, &unwritten);
	if (!err && !asked->no_stacks) {
		launches_start(&taps.launches, asked->library, &why);
		if (why.len)
			fprintf(stderr, "%s: cannot see which program launches kernels: %s\n",
				program, str_text(&why));
	}
	if (!err)
		err = live_read_into(asked, gpu, &taps, &trouble);
	launches_free(taps.launches);
	str_free(&why);
	if (taps.file && err)
		eustallfile_abandon(taps.file);
	else if (taps.file)
		err = eustallfile_finish(taps.file);
	if (*trouble.text)
		fprintf(stderr, "%s: %s\n", program, trouble.text);
	else if (err)
		fprintf(stderr, "%s: %s: %s\n", program, asked->record ? asked->record : gpu->name,
			unwritten.len ? str_text(&unwritten) : strerror(-err));
	str_free(&unwritten);
	return err;
}

int live_sample(const struct gpu_options *asked, const char *program,
	const struct xe_device *device, struct gpu_profile *profile,
	struct eustallfile_header *header)
{
	struct xe_trouble trouble = {0};
	struct xe_gpu gpu = {.fd = -1};
	int err = xe_gpu_open(device, &gpu, &trouble);

	*profile = (struct gpu_profile){0};
	if (err) {
		fprintf(stderr, "%s: %s\n", program, trouble.text);
	} else if (make_header(&gpu, &asked->plan, header)) {
		err = -ENOTSUP;
		fprintf(stderr,
			"%s: %s: the records of graphics version %u (PCI id %04x) have a format "
			"that is not known here\n",
			program, device->name, header->version, header->pci_id);
	} else {
		profile_init(profile, header->layout);
		err = live_sample_profile(asked, program, &gpu, profile, header);
	}
	xe_gpu_close(&gpu);
	return err;
}
