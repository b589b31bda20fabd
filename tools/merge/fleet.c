/* SPDX-License-Identifier: GPL-2.0-only */
/* What does one more report add to what is known of the fleet? */
#include "base/banned.h"

#include "base/str.h"
#include "tools/merge/fleet.h"
#include "tools/merge/gaps.h"
#include "check/check.h"

#define CHECKS_MAX 2048
#define LABELS_MAX 64	       /* of reports */
#define PEOPLES_LABELS_MAX 128 /* with those that people give, for which there is room always */
#define SUMMARY_BYTES 160
#define WORDS_BYTES ((size_t)96 << 20) /* of texts; what comes then is counted and not kept */
#define ACCUSATIONS_MAX ((size_t)2 << 20)
#define CELLS_MAX ((size_t)32 << 20) /* 200,000 hosts of 160 checks */
#define REFUSED_KEPT 1000

_Static_assert(CHECKS_MAX <= 1 << (16 - CELL_BITS), "a cell has 16 bits");

struct fleet *fleet_new(void)
{
	struct fleet *fleet = mem_zalloc(sizeof(*fleet));

	words_init(&fleet->words);
	return fleet;
}

void fleet_free(struct fleet *fleet)
{
	size_t i;

	for (i = 0; i < fleet->n_hosts; i++)
		claims_forget(fleet, &fleet->hosts[i]);
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
	free(fleet->conflicts);
	free(fleet->holders);
	free(fleet->holders_of);
	free(fleet->shared);
	free(fleet->comparable);
	free(fleet->type.why);
	free(fleet->order);
	free(fleet);
}

/* A text that is kept as long as there is room for more. */
static uint32_t fleet_keep_word(struct fleet *fleet, const char *text)
{
	uint32_t word;

	if (!text || !*text)
		return NO_WORD;
	if (fleet->words.bytes < WORDS_BYTES)
		return words_add(&fleet->words, text);
	word = words_find(&fleet->words, text);
	fleet->left_out += !word;
	return word;
}

static uint32_t fleet_keep_text(struct fleet *fleet, const char *text)
{
	char *cut = text ? mem_strndup(text, SUMMARY_BYTES) : NULL;
	uint32_t word = fleet_keep_word(fleet, cut);

	free(cut);
	return word;
}

/* UINT32_MAX where there are too many checks already. */
static uint32_t check_number(struct fleet *fleet, const struct check *check)
{
	bool full = fleet->n_checks == CHECKS_MAX;
	uint32_t word = full ? words_find(&fleet->words, check->name)
			     : words_add(&fleet->words, check->name);
	uint32_t *place = words_place(&fleet->check_of, &fleet->n_check_of, word);

	if (*place)
		return *place - 1;
	if (full)
		return UINT32_MAX;
	ARRAY_GROW(fleet->checks, fleet->n_checks, fleet->room_checks);
	fleet->checks[fleet->n_checks] = (struct fleet_check){.name = word,
		.area = words_add(&fleet->words, check->area ? check->area : check->name)};
	*place = (uint32_t)++fleet->n_checks;
	return *place - 1;
}

static uint32_t fleet_label_within(struct fleet *fleet, const char *name, size_t max)
{
	uint32_t word = words_find(&fleet->words, name), i;

	for (i = 0; word && i < fleet->n_labels; i++)
		if (fleet->labels[i].name == word)
			return i;
	if (fleet->n_labels >= max)
		return UINT32_MAX;
	ARRAY_GROW(fleet->labels, fleet->n_labels, fleet->room_labels);
	fleet->labels[fleet->n_labels] = (struct label){.name = words_add(&fleet->words, name)};
	return (uint32_t)fleet->n_labels++;
}

uint32_t fleet_label(struct fleet *fleet, const char *name)
{
	return fleet_label_within(fleet, name, PEOPLES_LABELS_MAX);
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
	uint32_t label;

	if (!value || !*value)
		return;
	label = fleet_label_within(fleet, name, LABELS_MAX);
	if (label == UINT32_MAX)
		fleet->left_out++;
	else
		fleet_set_label(fleet, host, label, fleet_keep_word(fleet, value));
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

static void accuse(
	struct fleet *fleet, struct host *host, uint32_t check, const struct check_result *result)
{
	struct accusation *accusation;
	char *culprit = NULL;

	if (fleet->n_accusations >= ACCUSATIONS_MAX) {
		fleet->left_out++;
		return;
	}
	fleet->n_accusations++;
	accusation = &host->accusations[host->n_accusations++];
	*accusation = (struct accusation){.check = check};
	accusation->summary = fleet_keep_text(fleet,
		result->verdict == VERDICT_UNKNOWN && result->reason ? result->reason
								     : result->summary);
	if (!result->n_culprits)
		return;
	culprit = mem_printf("%s %s", result->culprits[0].kind, result->culprits[0].name);
	accusation->culprit = fleet_keep_text(fleet, culprit);
	free(culprit);
}

static void take_check(struct fleet *fleet, struct host *host, const struct check_result *result)
{
	uint32_t check = check_number(fleet, result->check);
	enum verdict counts = gaps_counts_as(fleet->gaps, result);
	/* A gap that is expected is none to be looked after: as if the check were not there. */
	bool gap = result->verdict == VERDICT_UNKNOWN && counts == VERDICT_GOOD;
	enum verdict shown = gap ? VERDICT_SKIP : result->verdict;
	uint8_t said = (uint8_t)(shown | (result->exonerated ? CELL_EXONERATED : 0));

	/* Whatever the report says of itself as a whole. */
	if (verdict_is_worse(counts, host->verdict))
		host->verdict = counts;
	if (check == UINT32_MAX) {
		fleet->left_out++;
		return;
	}
	host->cells[host->n_cells++] = (uint16_t)(check << CELL_BITS | said);
	if (verdict_is_worse(shown, VERDICT_GOOD))
		accuse(fleet, host, check, result);
}

static int fleet_compare_cells(const void *a, const void *b)
{
	const uint16_t *x = a, *y = b;

	return (int)*x - (int)*y;
}

static int fleet_compare_accusations(const void *a, const void *b)
{
	const struct accusation *x = a, *y = b;

	return (x->check > y->check) - (x->check < y->check);
}

/* What a report says twice counts once, as the worse of both. */
static void host_unite_cells(struct host *host)
{
	uint16_t n = 0, i;

	for (i = 0; i < host->n_cells; i++) {
		uint16_t *last = n ? &host->cells[n - 1] : NULL;

		if (!last || CELL_CHECK(*last) != CELL_CHECK(host->cells[i]))
			host->cells[n++] = host->cells[i];
		else if (verdict_is_worse(CELL_VERDICT(CELL_SAID(host->cells[i])),
				 CELL_VERDICT(CELL_SAID(*last))))
			*last = host->cells[i];
	}
	host->n_cells = n;
}

static void host_unite_accusations(struct host *host)
{
	uint32_t n = 0, i;

	for (i = 0; i < host->n_accusations; i++)
		if (!n || host->accusations[n - 1].check != host->accusations[i].check)
			host->accusations[n++] = host->accusations[i];
	host->n_accusations = n;
}

/* By the numbers of their checks. Hosts of one version have them so already. */
static void host_sort(struct fleet *fleet, struct host *host)
{
	uint16_t i = 1;

	while (i < host->n_cells && CELL_CHECK(host->cells[i - 1]) < CELL_CHECK(host->cells[i]))
		i++;
	if (i >= host->n_cells)
		return;
	qsort(host->cells, host->n_cells, sizeof(*host->cells), fleet_compare_cells);
	host_unite_cells(host);
	if (!host->n_accusations)
		return;
	fleet->n_accusations -= host->n_accusations;
	qsort(host->accusations, host->n_accusations, sizeof(*host->accusations),
		fleet_compare_accusations);
	host_unite_accusations(host);
	fleet->n_accusations += host->n_accusations;
}

static void take_checks(struct fleet *fleet, struct host *host, const struct report *report)
{
	size_t i, n = 0;

	for (i = 0; i < report->n_checks; i++)
		n += verdict_is_worse(report->checks[i].verdict, VERDICT_GOOD);
	host->accusations = n ? mem_realloc_array(NULL, n, sizeof(*host->accusations)) : NULL;
	host->cells = mem_realloc_array(NULL, report->n_checks + 1, sizeof(*host->cells));
	host->verdict = gaps_verdict_of(fleet->gaps, report);
	for (i = 0; i < report->n_checks; i++)
		take_check(fleet, host, &report->checks[i]);
	host_sort(fleet, host);
	fleet->n_cells += host->n_cells;
}

const char *fleet_add(struct fleet *fleet, const struct origin *origin, const struct report *report)
{
	struct host *host;
	const char *why;

	if (fleet->n_cells + report->n_checks > CELLS_MAX)
		return "there is no room for more: earlier reports have 32 million answers";
	host = claims_place(fleet, origin, report, &why);
	if (why)
		return why;
	fleet->reports++;
	fleet->replays += report->replay;
	if (!host)
		return NULL;
	host->version = fleet_keep_word(fleet, report->version);
	host->type = fleet_keep_word(fleet, report->type.name);
	host->time = report->time_start;
	host->uptime = report->uptime_seconds;
	host->interrupted = report->interrupted;
	take_checks(fleet, host, report);
	fleet_take_labels(fleet, host, report);
	return NULL;
}

void fleet_refuse_more(struct fleet *fleet, size_t n)
{
	fleet->n_refused += n;
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
	size_t low = 0, high = host->n_cells;

	/* Who answers all checks has each at its number. */
	if (check < high && CELL_CHECK(host->cells[check]) == check)
		return CELL_SAID(host->cells[check]);
	while (low < high) {
		size_t middle = (low + high) / 2;

		if (CELL_CHECK(host->cells[middle]) < check)
			low = middle + 1;
		else
			high = middle;
	}
	return low < host->n_cells && CELL_CHECK(host->cells[low]) == check
		? CELL_SAID(host->cells[low])
		: CELL_ABSENT;
}

uint32_t host_value(const struct host *host, uint32_t label)
{
	return label < host->n_values ? host->values[label] : NO_WORD;
}

const struct accusation *host_accusation(const struct host *host, uint32_t check)
{
	const struct accusation wanted = {.check = check};

	return host->n_accusations ? bsearch(&wanted, host->accusations, host->n_accusations,
					     sizeof(wanted), fleet_compare_accusations)
				   : NULL;
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
