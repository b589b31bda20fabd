/* SPDX-License-Identifier: GPL-2.0-only */
/* What kind of machine is it, and how do people call it? */
#include "base/banned.h"

#include <limits.h>

#include "base/diag.h"
#include "base/ini.h"
#include "check/site.h"
#include "history/host_facts.h"
#include "base/num.h"
#include "capture/capture.h"
#include "report/report.h"
#include "base/str.h"
#include "capture/recording.h"
#include "capture/list.h"
#include "capture/environment.h"

#define PREFIX "machine-"
#define VALUE_BYTES 200
#define MODELS_MAX 16
#define LABELS_FILE "/etc/tuesday/labels.ini"
#define LABELS_MAX 32

static const char *const names[] = {"cpu_model", "microcode", "memory", "disk_models",
	"nic_drivers", "product", "firmware", "distribution", "virtualisation", "container"};

static void facts_note(struct capture *fs, const char *name, const char *value)
{
	char *key, *cut;

	if (!value || !*value)
		return;
	key = mem_printf("%s%s", PREFIX, name);
	cut = mem_strndup(value, VALUE_BYTES);
	capture_set_environment(fs, key, cut);
	free(key);
	free(cut);
}

/* One line of text: blanks at both ends gone and folded in between. */
static void add_folded(struct str *out, const char *text, size_t len)
{
	size_t i, start = out->len;

	for (i = 0; i < len && text[i] && text[i] != '\n'; i++) {
		bool blank = (unsigned char)text[i] <= ' ';

		if (!blank || (out->len > start && out->text[out->len - 1] != ' '))
			str_addc(out, blank ? ' ' : text[i]);
	}
	while (out->len > start && out->text[out->len - 1] == ' ')
		out->text[--out->len] = 0;
}

/* The first line of a file, "" where there is none. The caller frees. */
static char *facts_first_line(struct capture *fs, const char *path)
{
	struct str line = STR_INIT;
	struct bytes bytes;

	str_add(&line, "");
	if (!capture_read_once(fs, path, &bytes))
		add_folded(&line, bytes.data, bytes.len);
	return str_take(&line);
}

/* The value of the first "key : value" or "key=value" line, NULL where there is none. The caller
 * frees. */
static char *line_value(const struct bytes *bytes, const char *key, char separator)
{
	const char *at = bytes->data, *end = at + bytes->len;
	size_t len = strlen(key);

	while (at < end) {
		const char *next = memchr(at, '\n', (size_t)(end - at)), *value;

		next = next ? next : end;
		value = (size_t)(next - at) > len && !memcmp(at, key, len) ? at + len : NULL;
		while (value && value < next && (*value == ' ' || *value == '\t'))
			value++;
		if (value && value < next && *value == separator) {
			struct str out = STR_INIT;

			add_folded(&out, value + 1, (size_t)(next - value - 1));
			return str_take(&out);
		}
		at = next + 1;
	}
	return NULL;
}

static bool facts_has_word(const char *text, const char *word)
{
	size_t len = strlen(word);

	for (; text && (text = strstr(text, word)); text += len)
		if ((text[len] == ' ' || !text[len]))
			return true;
	return false;
}

/* What a machine is run by, as its DMI vendor says: systemd-detect-virt knows them by these too. */
static const char *hypervisor_of(const char *vendor)
{
	static const struct {
		const char *vendor, *name;
	} known[] = {
		{"QEMU", "kvm"},
		{"VMware", "vmware"},
		{"Microsoft", "microsoft"},
		{"Xen", "xen"},
		{"Amazon EC2", "amazon"},
		{"Google", "google"},
		{"innotek", "virtualbox"},
		{"DigitalOcean", "kvm"},
		{"Hetzner", "kvm"},
		{"OpenStack", "kvm"},
		{"Parallels", "parallels"},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++)
		if (str_starts(vendor, known[i].vendor))
			return known[i].name;
	return "a hypervisor";
}

/* Only an x86 CPU says whether it is a virtual one. */
static void note_virtualisation(struct capture *fs, const char *flags)
{
	char *vendor;

	if (!flags)
		return;
	if (!facts_has_word(flags, "hypervisor")) {
		facts_note(fs, "virtualisation", "none");
		return;
	}
	vendor = facts_first_line(fs, "/sys/class/dmi/id/sys_vendor");
	facts_note(fs, "virtualisation", hypervisor_of(vendor));
	free(vendor);
}

static void note_cpu(struct capture *fs)
{
	struct bytes bytes;
	char *model, *part, *microcode, *flags;

	if (capture_read_once(fs, "/proc/cpuinfo", &bytes))
		return;
	model = line_value(&bytes, "model name", ':');
	model = model ? model : line_value(&bytes, "cpu", ':');
	part = line_value(&bytes, "CPU part", ':');
	if (!model && part) {
		char *implementer = line_value(&bytes, "CPU implementer", ':');

		model = mem_printf("implementer %s part %s", implementer ? implementer : "?", part);
		free(implementer);
	}
	microcode = line_value(&bytes, "microcode", ':');
	flags = line_value(&bytes, "flags", ':');
	facts_note(fs, "cpu_model", model);
	facts_note(fs, "microcode", microcode);
	note_virtualisation(fs, flags);
	free(model);
	free(part);
	free(microcode);
	free(flags);
}

/* What was built in: the kernel keeps some of it for itself, so it is rounded up to whole GiB. */
static void note_memory(struct capture *fs)
{
	struct bytes bytes;
	char *text, *value;
	uint64_t kib;
	const char *at;

	if (capture_read_once(fs, "/proc/meminfo", &bytes))
		return;
	text = line_value(&bytes, "MemTotal", ':');
	at = text;
	if (text && !num_next(&at, text + strlen(text), &kib) && kib < UINT64_MAX / 1024) {
		value = mem_printf("%llu GiB", (unsigned long long)((kib + (1 << 20) - 1) >> 20));
		facts_note(fs, "memory", value);
		free(value);
	}
	free(text);
}

/* A set of words. */
struct words {
	struct capture *fs;
	char *list[MODELS_MAX];
	size_t n;
};

static void facts_add_word(struct words *words, const char *word)
{
	size_t i, k;

	for (i = 0; i < words->n && strcmp(words->list[i], word) < 0; i++)
		;
	if (!*word || words->n == MODELS_MAX || (i < words->n && !strcmp(words->list[i], word)))
		return;
	for (k = words->n++; k > i; k--)
		words->list[k] = words->list[k - 1];
	words->list[i] = mem_strdup(word);
}

static void note_words(struct words *words, const char *name)
{
	struct str joined = STR_INIT;
	size_t i;

	for (i = 0; i < words->n; i++) {
		str_addf(&joined, "%s%s", i ? ", " : "", words->list[i]);
		free(words->list[i]);
	}
	words->n = 0;
	facts_note(words->fs, name, str_text(&joined));
	str_free(&joined);
}

static void add_driver(struct words *words, const char *device)
{
	char *path = mem_printf("%s/driver", device), target[PATH_MAX];
	const char *slash;

	if (!capture_readlink(words->fs, path, target, sizeof(target))) {
		slash = strrchr(target, '/');
		facts_add_word(words, slash ? slash + 1 : target);
	}
	free(path);
}

/* A disk has a model, or is one of a driver's (virtio). A partition or a loop has no device. */
static int facts_add_disk(void *arg, const char *name)
{
	struct words *words = arg;
	char *device = mem_printf("/sys/block/%s/device", name);
	char *path = mem_printf("%s/model", device), *model = facts_first_line(words->fs, path);

	if (*model)
		facts_add_word(words, model);
	else
		add_driver(words, device);
	free(device);
	free(path);
	free(model);
	return 0;
}

static int add_nic(void *arg, const char *name)
{
	char *device = mem_printf("/sys/class/net/%s/device", name);

	add_driver(arg, device);
	free(device);
	return 0;
}

static void note_pair(
	struct capture *fs, const char *name, const char *one_path, const char *other_path)
{
	char *one = facts_first_line(fs, one_path), *other = facts_first_line(fs, other_path);
	char *both = mem_printf("%s%s%s", one, *one && *other ? " " : "", other);

	facts_note(fs, name, both);
	free(one);
	free(other);
	free(both);
}

static void note_distribution(struct capture *fs)
{
	struct bytes bytes;
	char *name, *quote;

	if (capture_read_once(fs, "/etc/os-release", &bytes) &&
		capture_read_once(fs, "/usr/lib/os-release", &bytes))
		return;
	name = line_value(&bytes, "PRETTY_NAME", '=');
	if (!name)
		return;
	quote = *name == '"' ? strchr(name + 1, '"') : NULL;
	if (quote)
		*quote = 0;
	facts_note(fs, "distribution", name + (quote != NULL));
	free(name);
}

static void note_container(struct capture *fs)
{
	char *kind = facts_first_line(fs, "/run/systemd/container");

	if (*kind)
		facts_note(fs, "container", kind);
	else if (capture_exists(fs, "/.dockerenv"))
		facts_note(fs, "container", "docker");
	else if (capture_exists(fs, "/run/.containerenv"))
		facts_note(fs, "container", "podman");
	free(kind);
}

/* Those of one file, behind n of others. Returns how many there are then. */
static size_t facts_add_labels(struct capture *fs, const char *file, struct str *labels, size_t n)
{
	struct complaints complaints = {0};
	struct inifile *ini;
	struct bytes bytes;
	size_t i;

	if (capture_read_once(fs, file, &bytes))
		return n;
	ini = inifile_parse(file, bytes.data, bytes.len, &complaints);
	for (i = 0; ini && i < inifile_count(ini) && n < LABELS_MAX; i++) {
		const struct ini_entry *entry = inifile_entry(ini, i);

		if (!*entry->key || !*entry->value || strcmp(entry->section, "labels") != 0)
			continue;
		str_addf(labels, "%s%s=", n++ ? "\t" : "", entry->key);
		add_folded(labels, entry->value, VALUE_BYTES);
	}
	inifile_free(ini);
	return n;
}

static void note_labels(struct capture *fs)
{
	struct str labels = STR_INIT;
	size_t n = facts_add_labels(fs, SITE_FILE, &labels, 0);

	facts_add_labels(fs, LABELS_FILE, &labels, n);
	if (labels.len)
		capture_set_environment(fs, "labels", labels.text);
	str_free(&labels);
}

void host_facts_note(struct capture *fs)
{
	struct words words = {.fs = fs};
	bool paused;

	if (capture_is_replay(fs))
		return;
	/* The recording gets what was made of it: no list of all that is below /sys. */
	paused = capture_pause_recording(fs, true);
	note_cpu(fs);
	note_memory(fs);
	capture_list(fs, "/sys/block", facts_add_disk, &words);
	note_words(&words, "disk_models");
	capture_list(fs, "/sys/class/net", add_nic, &words);
	note_words(&words, "nic_drivers");
	note_pair(fs, "product", "/sys/class/dmi/id/sys_vendor", "/sys/class/dmi/id/product_name");
	note_pair(
		fs, "firmware", "/sys/class/dmi/id/bios_vendor", "/sys/class/dmi/id/bios_version");
	note_distribution(fs);
	note_container(fs);
	note_labels(fs);
	capture_pause_recording(fs, paused);
}

static void add_fact(struct fact **facts, size_t *n, const char *name, char *value)
{
	*facts = mem_realloc_array(*facts, *n + 1, sizeof(**facts));
	(*facts)[(*n)++] = (struct fact){mem_strdup(name), value};
}

void host_facts_read(struct capture *fs, struct report *report)
{
	char *labels = capture_environment(fs, "labels"), *at = labels, *label;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		char *key = mem_printf("%s%s", PREFIX, names[i]);
		char *value = capture_environment(fs, key);

		if (value)
			add_fact(&report->facts, &report->n_facts, names[i], value);
		free(key);
	}
	while (at && (label = strsep(&at, "\t"))) {
		char *equals = strchr(label, '=');

		if (!equals || equals == label || !equals[1])
			continue;
		*equals = 0;
		add_fact(&report->labels, &report->n_labels, label, mem_strdup(equals + 1));
	}
	free(labels);
}
