/* SPDX-License-Identifier: GPL-2.0-only */
/* Whom is an experiment about, of those that a check accuses and blames? */
#include "base/banned.h"

#include <stdio.h>

#include "base/str.h"
#include "capture/capture.h"
#include "check/check.h"
#include "check/experiment.h"
#include "report/report.h"
#include "run/experiment_about.h"
#include "tap.h"
#include "tree.h"

static struct culprit culprits[2];
static struct metric quiet = {.name = "quiet_ratio"}, hot = {.name = "hot_ratio"};
static struct metric_result metrics[2];
static struct check_result result = {
	.culprits = culprits, .n_culprits = 2, .metrics = metrics, .n_metrics = 2};

static void blame(size_t at, const char *kind, const char *name, const char *id)
{
	culprits[at] = (struct culprit){.share = -1};
	snprintf(culprits[at].kind, sizeof(culprits[at].kind), "%s", kind);
	snprintf(culprits[at].name, sizeof(culprits[at].name), "%s", name);
	snprintf(culprits[at].id, sizeof(culprits[at].id), "%s", id);
}

static void is_about(struct capture *fs, const struct experiment *experiment, const char *wanted,
	const char *sentence)
{
	char *found = experiment_instance(fs, &result, experiment);

	ok(!strcmp(found, wanted), "%s: '%s'", sentence, found);
	free(found);
}

static void test_route(struct capture *fs)
{
	static const struct experiment route = {.about = "route"};

	blame(0, "process", "ssh", "17");
	blame(1, "remote", "::ffff:10.1.2.3", "");
	is_about(fs, &route, "10.1.2.3", "a remote by IPv4 is asked for its route of IPv4");
	blame(1, "remote", "2001:db8::7", "");
	is_about(fs, &route, "2001:db8::7", "one by IPv6 for that of IPv6");
	blame(1, "remote", "$(reboot)", "");
	is_about(
		fs, &route, "default", "what is no address is none, and the default route is left");
}

static void test_cgroup(struct capture *fs)
{
	static const struct experiment cgroup = {.about = "cgroup", .suspect = "hot_ratio"};
	char busy[] = "31@77", other[] = "32@78";

	metrics[0] = (struct metric_result){.metric = &quiet, .instance = other};
	metrics[1] = (struct metric_result){.metric = &hot, .instance = busy};
	blame(0, "remote", "10.1.2.3", "");
	blame(1, "process", "make", "17");
	is_about(fs, &cgroup, "/batch", "that of the first process to blame");
	blame(1, "process", "gone", "99");
	is_about(fs, &cgroup, "/system.slice/hot.service", "or of the busiest thread");
	metrics[1].instance = other;
	is_about(fs, &cgroup, "", "the root is the whole machine, and no suspect");
}

int main(void)
{
	struct tree tree = tree_new();
	struct capture *fs;
	uint64_t now;

	tree_write(&tree, "proc/17/cgroup", "3:cpu,cpuacct:/batch\n0::/elsewhere\n");
	tree_write(&tree, "proc/31/cgroup", "0::/system.slice/hot.service\n");
	tree_write(&tree, "proc/32/cgroup", "0::/\n");
	if (capture_open(&fs, tree.dir, NULL) || capture_next_sample(fs, &now))
		return 1;
	test_route(fs);
	test_cgroup(fs);
	capture_close(fs);
	tree_free(&tree);
	return tap_done();
}
