/* SPDX-License-Identifier: GPL-2.0-only */
/* Which share of the samples is in stall, for which reason and where, and how sure is that? */
#include "base/banned.h"

#include <errno.h>
#include <math.h>

#include "tools/gpu/profile.h"
#include "base/str.h"
#include "stats/proportion.h"
#include "sources/gpu/eustall_histogram.h"
#include "sources/gpu/eustall_read.h"

void profile_init(struct gpu_profile *profile, enum eustall_layout layout)
{
	*profile = (struct gpu_profile){.layout = layout};
	profile->instructions = eustall_table_new(PROFILE_INSTRUCTIONS_MAX);
	profile->window = eustall_table_new(PROFILE_INSTRUCTIONS_MAX);
}

void profile_free(struct gpu_profile *profile)
{
	eustall_table_free(profile->instructions);
	eustall_table_free(profile->window);
	kernels_free(&profile->kernels);
	*profile = (struct gpu_profile){0};
}

static int on_bytes(void *arg, unsigned int gt, const void *bytes, size_t n_bytes)
{
	struct gpu_profile *profile = arg;

	(void)gt;
	eustall_table_add(profile->window, profile->layout, bytes, n_bytes);
	profile->window_bytes += n_bytes;
	return 0;
}

static void profile_add_share(struct share_sums *sums, double share)
{
	sums->sum += share;
	sums->square_sum += share * share;
}

static void forget_window(struct gpu_profile *profile)
{
	eustall_table_clear(profile->window);
	profile->window_bytes = 0;
}

static void end_window(struct gpu_profile *profile)
{
	struct eustall_totals now;
	uint64_t samples, stalls;

	profile->windows++;
	if (!profile->window_bytes)
		return;
	eustall_table_totals(profile->window, &now);
	samples = eustall_totals_samples(&now);
	stalls = eustall_totals_stalls(&now);
	if (samples) {
		profile->windows_used++;
		profile_add_share(&profile->stalled, (double)stalls / (double)samples);
	}
	if (stalls) {
		profile->windows_stalled++;
		for (int i = 0; i < EUSTALL_REASONS; i++)
			profile_add_share(
				&profile->reasons[i], (double)now.stall[i] / (double)stalls);
	}
	eustall_table_merge(profile->instructions, profile->window);
	eustall_totals_add(&profile->totals, &now);
	forget_window(profile);
}

static int on_window(void *arg, const struct xe_window *window)
{
	struct gpu_profile *profile = arg;

	/* A sum of what others say must stay one. */
	if (profile->windows == PROFILE_WINDOWS_MAX || window->reads > UINT32_MAX ||
		window->drops > UINT32_MAX || window->enabled_ns > UINT32_MAX * 1000ULL)
		return -EBADMSG;
	profile->resets += window->resets > 0;
	profile->cpu_ns += window->cpu_ns;
	if (!window->number) {
		forget_window(profile);
		return 0;
	}
	end_window(profile);
	profile->bytes += window->bytes;
	profile->reads += window->reads;
	profile->drops += window->drops;
	profile->enabled_ns += window->enabled_ns;
	profile->cuts += window->is_cut;
	return 0;
}

static int on_kernel(void *arg, const struct eustallfile_kernel *kernel)
{
	struct gpu_profile *profile = arg;

	kernels_add(&profile->kernels, kernel->id, kernel->address, kernel->size, kernel->name);
	return 0;
}

static int on_launch(void *arg, const struct eustallfile_launch *launch)
{
	struct gpu_profile *profile = arg;
	struct gpu_kernel *kernel = kernels_by_id(&profile->kernels, launch->kernel);

	if (kernel)
		kernels_launched(&profile->kernels, kernel, launch->stack, launch->count);
	return 0;
}

struct eustallfile_reader profile_reader(struct gpu_profile *profile)
{
	return (struct eustallfile_reader){
		.stream = {.arg = profile, .on_bytes = on_bytes, .on_window = on_window},
		.on_kernel = on_kernel,
		.on_launch = on_launch,
		.arg = profile,
	};
}

void profile_settle(struct gpu_profile *profile)
{
	if (profile->window_bytes)
		end_window(profile);
	kernels_settle(&profile->kernels);
}

static struct gpu_share profile_share_of(const struct share_sums *sums, size_t windows)
{
	struct gpu_share share = {.share = windows ? sums->sum / (double)windows : NAN};
	struct stats_mean mean;

	if (stats_sums_interval(sums->sum, sums->square_sum, windows, 0.95, &mean))
		return share;
	share.have_interval = true;
	share.interval.low = fmax(0, mean.interval.low);
	share.interval.high = fmin(1, mean.interval.high);
	return share;
}

struct gpu_share profile_stalled(const struct gpu_profile *profile)
{
	return profile_share_of(&profile->stalled, profile->windows_used);
}

struct gpu_share profile_reason(const struct gpu_profile *profile, enum eustall_reason reason)
{
	return profile_share_of(&profile->reasons[reason], profile->windows_stalled);
}

struct gpu_share profile_instruction(
	const struct gpu_profile *profile, const struct eustall_entry *entry)
{
	return profile_share_of(&(struct share_sums){entry->share_sum, entry->share_square_sum},
		profile->windows_stalled);
}

double profile_drop_share(const struct gpu_profile *profile)
{
	if (!profile->drops)
		return 0;
	return (double)profile->drops / (double)(profile->reads ? profile->reads : 1);
}
