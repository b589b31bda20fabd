/* SPDX-License-Identifier: GPL-2.0-only */
/* What does one more report add to what is known of the fleet? */
#include "base/banned.h"

#include <math.h>

#include "base/str.h"
#include "tools/merge/fleet.h"
#include "check/check.h"

#define CHECKS_MAX 2048
#define LABELS_MAX 64
#define SUMMARY_BYTES 160
#define WORDS_BYTES ((size_t)64 << 20) /* of texts; what comes then is counted and not kept */
#define REFUSED_KEPT 1000
#define OVERLAP_SECONDS 60 /* clocks are no better than that */

struct fleet *fleet_new(void)
{
	struct fleet *fleet = mem_zalloc(sizeof(*fleet));

	words_init(&fleet->words);
	return fleet;
}

static void empty_host(struct host *host)
{
	free(host->cells);
	free(host->values);
	free(host->accusations);
}

void fleet_free(struct fleet *fleet)
{
	size_t i;

	for (i = 0; i < fleet->n_hosts; i++)
		empty_host(&fleet->hosts[i]);
	for (i = 0; i < fleet->kept_refused; i++) {
		free(fleet->refused[i].file);
		free(fleet->refused[i].why);
	}
	words_free(&fleet->words);
	free(fleet->hosts);
	free(fleet->first_host);
	free(fleet->checks);
	free(fleet->check_of);
	free(fleet->labels);
	free(fleet->refused);
	free(fleet->expected);
	free(fleet->missing);
	free(fleet->shared);
	free(fleet->comparable);
	free(fleet->type.why);
	free(fleet->order);
	free(fleet);
}

/* An array by words, grown so that there is a place for this one. */
static uint32_t *fleet_place_of(uint32_t **array, size_t *n, uint32_t word)
{
	size_t grown = *n ? *n : 1024;

	if (word >= *n) {
		while (grown <= word)
			grown *= 2;
		*array = mem_realloc_array(*array, grown, sizeof(**array));
		memset(*array + *n, 0, (grown - *n) * sizeof(**array));
		*n = grown;
	}
	return *array + word;
}

static uint32_t check_number(struct fleet *fleet, const struct check *check)
{
	uint32_t word = words_add(&fleet->words, check->name);
	uint32_t *place = fleet_place_of(&fleet->check_of, &fleet->n_check_of, word);

	if (*place)
		return *place - 1;
	if (fleet->n_checks == CHECKS_MAX)
		return UINT32_MAX;
	ARRAY_GROW(fleet->checks, fleet->n_checks, fleet->room_checks);
	fleet->checks[fleet->n_checks] = (struct fleet_check){.name = word,
		.area = words_add(&fleet->words, check->area ? check->area : check->name)};
	*place = (uint32_t)++fleet->n_checks;
	return *place - 1;
}

uint32_t fleet_label(struct fleet *fleet, const char *name)
{
	uint32_t word = words_add(&fleet->words, name), i;

	for (i = 0; i < fleet->n_labels; i++)
		if (fleet->labels[i].name == word)
			return i;
	if (fleet->n_labels == LABELS_MAX)
		return UINT32_MAX;
	ARRAY_GROW(fleet->labels, fleet->n_labels, fleet->room_labels);
	fleet->labels[fleet->n_labels++] = (struct label){.name = word};
	return i;
}

void fleet_set_label(struct fleet *fleet, struct host *host, uint32_t label, uint32_t value)
{
	size_t n = fleet->n_labels;

	if (label == UINT32_MAX)
		return;
	if (label >= host->n_values) {
		host->values = mem_realloc_array(host->values, n, sizeof(*host->values));
		memset(host->values + host->n_values, 0,
			(n - host->n_values) * sizeof(*host->values));
		host->n_values = (uint16_t)n;
	}
	host->values[label] = value;
}

static void set_text_label(
	struct fleet *fleet, struct host *host, const char *name, const char *value)
{
	if (value && *value)
		fleet_set_label(
			fleet, host, fleet_label(fleet, name), words_add(&fleet->words, value));
}

static void fleet_take_labels(struct fleet *fleet, struct host *host, const struct report *report)
{
	char cpus[16];
	size_t i;

	set_text_label(fleet, host, "kernel", report->kernel);
	set_text_label(fleet, host, "tuesday", report->version);
	if (report->cpus) {
		snprintf(cpus, sizeof(cpus), "%u", report->cpus);
		set_text_label(fleet, host, "cpus", cpus);
	}
	for (i = 0; i < report->n_facts; i++)
		set_text_label(fleet, host, report->facts[i].name, report->facts[i].value);
	for (i = 0; i < report->n_labels; i++)
		set_text_label(fleet, host, report->labels[i].name, report->labels[i].value);
}

/* A text that is kept as long as there is room for more. */
static uint32_t keep_text(struct fleet *fleet, const char *text)
{
	uint32_t word;
	char *cut;

	if (!text || !*text)
		return NO_WORD;
	if (fleet->words.bytes > WORDS_BYTES) {
		fleet->left_out++;
		return NO_WORD;
	}
	cut = mem_strndup(text, SUMMARY_BYTES);
	word = words_add(&fleet->words, cut);
	free(cut);
	return word;
}

static void accuse(
	struct fleet *fleet, struct host *host, uint32_t check, const struct check_result *result)
{
	struct accusation *accusation = &host->accusations[host->n_accusations++];
	char *culprit = NULL;

	*accusation = (struct accusation){.check = check};
	accusation->summary = keep_text(fleet,
		result->verdict == VERDICT_UNKNOWN && result->reason ? result->reason
								     : result->summary);
	if (!result->n_culprits)
		return;
	culprit = mem_printf("%s %s", result->culprits[0].kind, result->culprits[0].name);
	accusation->culprit = keep_text(fleet, culprit);
	free(culprit);
}

static void take_checks(struct fleet *fleet, struct host *host, const struct report *report)
{
	size_t i, n = 0;

	for (i = 0; i < report->n_checks; i++)
		n += verdict_is_worse(report->checks[i].verdict, VERDICT_GOOD);
	host->accusations = n ? mem_realloc_array(NULL, n, sizeof(*host->accusations)) : NULL;
	for (i = 0; i < report->n_checks; i++)
		check_number(fleet, report->checks[i].check);
	host->n_cells = (uint16_t)fleet->n_checks;
	host->verdict = report->verdict;
	host->cells = memset(mem_alloc(host->n_cells + 1u), CELL_ABSENT, host->n_cells + 1u);
	for (i = 0; i < report->n_checks; i++) {
		const struct check_result *result = &report->checks[i];
		uint32_t check = check_number(fleet, result->check);

		if (check == UINT32_MAX || host->cells[check] != CELL_ABSENT)
			continue;
		host->cells[check] =
			(uint8_t)(result->verdict | (result->exonerated ? CELL_EXONERATED : 0));
		/* Whatever the report says of itself as a whole. */
		if (verdict_is_worse(result->verdict, host->verdict))
			host->verdict = result->verdict;
		if (verdict_is_worse(result->verdict, VERDICT_GOOD))
			accuse(fleet, host, check, result);
	}
}

/*
 * Whether two reports of one name can be of one machine: of the same boot, or of boots one after
 * the other. Where the later boot began before the earlier report was written, two machines have
 * the name.
 */
static bool is_same_machine(const struct host *host, uint32_t boot_id, const struct report *report)
{
	bool later = report->time_start >= host->time;
	double uptime = later ? report->uptime_seconds : host->uptime;
	time_t first = later ? host->time : report->time_start;
	time_t second = later ? report->time_start : host->time;

	if (boot_id == host->boot_id || !boot_id || !host->boot_id)
		return true;
	if (!first || !second || !isfinite(uptime))
		return true;
	return (double)second - uptime > (double)first - OVERLAP_SECONDS;
}

/* The place for a report: that of an older one of the same machine, or a new one; NULL where a
 * newer one is there. */
static struct host *place_for(struct fleet *fleet, const struct report *report)
{
	uint32_t name = words_add(&fleet->words, report->host), *first;
	uint32_t boot_id = words_add(&fleet->words, report->boot_id), at;
	struct host *host;

	first = fleet_place_of(&fleet->first_host, &fleet->n_first_host, name);
	for (at = *first; at; at = host->namesake) {
		host = &fleet->hosts[at - 1];
		if (!is_same_machine(host, boot_id, report))
			continue;
		fleet->duplicates++;
		if (report->time_start <= host->time)
			return NULL;
		empty_host(host);
		*host = (struct host){.name = name, .boot_id = boot_id, .namesake = host->namesake};
		return host;
	}
	ARRAY_GROW(fleet->hosts, fleet->n_hosts, fleet->room_hosts);
	host = &fleet->hosts[fleet->n_hosts++];
	*host = (struct host){.name = name, .boot_id = boot_id, .namesake = *first};
	*first = (uint32_t)fleet->n_hosts;
	return host;
}

void fleet_add(struct fleet *fleet, const struct report *report)
{
	struct host *host;

	fleet->reports++;
	fleet->replays += report->replay;
	host = place_for(fleet, report);
	if (!host)
		return;
	host->version = words_add(&fleet->words, report->version);
	host->type = words_add(&fleet->words, report->type.name);
	host->time = report->time_start;
	host->uptime = report->uptime_seconds;
	host->interrupted = report->interrupted;
	take_checks(fleet, host, report);
	fleet_take_labels(fleet, host, report);
}

void fleet_refuse(struct fleet *fleet, const char *file, size_t number, const char *why)
{
	struct refused *refused;

	if (fleet->n_refused++ >= REFUSED_KEPT)
		return;
	fleet->refused =
		mem_realloc_array(fleet->refused, fleet->kept_refused + 1, sizeof(*fleet->refused));
	refused = &fleet->refused[fleet->kept_refused++];
	refused->file = number > 1 ? mem_printf("%s, report %zu", file, number) : mem_strdup(file);
	refused->why = mem_strdup(why);
}

static struct host *find_exactly(struct fleet *fleet, const char *name)
{
	uint32_t word = words_find(&fleet->words, name);

	if (!word || word >= fleet->n_first_host || !fleet->first_host[word])
		return NULL;
	return &fleet->hosts[fleet->first_host[word] - 1];
}

struct host *fleet_find(struct fleet *fleet, const char *name)
{
	struct host *host = find_exactly(fleet, name), *found = NULL;
	size_t len = strcspn(name, "."), i;
	char *shortened;

	if (host)
		return host;
	if (name[len]) {
		shortened = mem_strndup(name, len);
		host = find_exactly(fleet, shortened);
		free(shortened);
		return host;
	}
	for (i = 0; i < fleet->n_hosts; i++) {
		const char *full = fleet_text(fleet, fleet->hosts[i].name);

		if (strncmp(full, name, len) != 0 || full[len] != '.')
			continue;
		if (found)
			return NULL;
		found = &fleet->hosts[i];
	}
	return found;
}

struct host *fleet_namesake(struct fleet *fleet, const struct host *host)
{
	return host->namesake ? &fleet->hosts[host->namesake - 1] : NULL;
}

uint8_t host_cell(const struct host *host, uint32_t check)
{
	return check < host->n_cells ? host->cells[check] : CELL_ABSENT;
}

uint32_t host_value(const struct host *host, uint32_t label)
{
	return label < host->n_values ? host->values[label] : NO_WORD;
}

const struct accusation *host_accusation(const struct host *host, uint32_t check)
{
	size_t i;

	for (i = 0; i < host->n_accusations; i++)
		if (host->accusations[i].check == check)
			return &host->accusations[i];
	return NULL;
}

const char *fleet_text(const struct fleet *fleet, uint32_t word)
{
	return words_text(&fleet->words, word);
}

bool host_is_stale(const struct host *host)
{
	return host->stale;
}

bool host_is_ahead(const struct host *host)
{
	return host->ahead;
}

bool host_is_unexpected(const struct host *host)
{
	return host->unexpected;
}

uint32_t *fleet_names_where(
	const struct fleet *fleet, bool (*holds)(const struct host *host), size_t *n)
{
	uint32_t *words = mem_realloc_array(NULL, fleet->n_hosts + 1, sizeof(*words));
	size_t i;

	*n = 0;
	for (i = 0; i < fleet->n_hosts; i++)
		if (holds(&fleet->hosts[i]))
			words[(*n)++] = fleet->hosts[i].shown;
	return words;
}

const char *check_name(const struct fleet *fleet, uint32_t check)
{
	return fleet_text(fleet, fleet->checks[check].name);
}

enum verdict check_worst(const struct fleet_check *check)
{
	return check->counts[VERDICT_BAD]      ? VERDICT_BAD
		: check->counts[VERDICT_MAYBE] ? VERDICT_MAYBE
					       : VERDICT_GOOD;
}

size_t check_accused(const struct fleet_check *check)
{
	enum verdict worst = check_worst(check);

	return worst == VERDICT_GOOD ? 0 : check->counts[worst];
}

bool host_is_accused(const struct fleet *fleet, const struct host *host, uint32_t check)
{
	uint8_t cell = host_cell(host, check);
	enum verdict worst = check_worst(&fleet->checks[check]);

	return worst != VERDICT_GOOD && !host->stale && cell != CELL_ABSENT &&
		CELL_VERDICT(cell) == worst;
}

size_t check_examined(const struct fleet_check *check)
{
	return check->counts[VERDICT_GOOD] + check->counts[VERDICT_MAYBE] +
		check->counts[VERDICT_BAD] + check->counts[VERDICT_UNKNOWN];
}
