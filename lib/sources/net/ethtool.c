/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What do the drivers of network cards count of their own, how large are their rings, and how fast
 * is the link that could be faster? Asked as ethtool(8) does, as anybody may.
 *
 * Instances are the interfaces of our own network namespace that have a device behind them: what is
 * made of others (veth, bridge, bond, VLAN) is not asked. Which statistic means what is in
 * ethtool_text.c. The names of statistics, the rings and the link are asked once a run; the
 * statistics in each sample, which with a card of many queues takes its driver up to a millisecond.
 *
 * A driver asks its card, and holds the lock of all network configuration meanwhile: with a card
 * that does not answer any more that may take minutes, which nothing interrupts. So a child asks
 * first, once a run, and whose card it waits for in vain is not asked.
 */
#include "base/banned.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/ethtool.h>
#include <linux/if.h>
#include <linux/sockios.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/culprit.h"
#include "base/str.h"
#include "capture/capture.h"
#include "capture/list.h"
#include "sample/sink.h"
#include "sample/source.h"
#include "sources/common/slow_query.h"
#include "sources/net/ethtool_text.h"

#define BLOB "ethtool"
#define INTERFACES_MAX 256
#define DEADLINE_MS 1000
#define STATISTICS_MAX 65536
#define MASK_WORDS 127 /* the most that a driver can say */

/* A statistic that belongs to a field. */
struct ethtool_statistic {
	uint32_t index;
	int field;
};

struct ethtool_card {
	char name[IFNAMSIZ];
	uint32_t n_statistics; /* that the driver has */
	struct ethtool_statistic *list;
	size_t n, room;
	char *settings; /* "FIELD VALUE" of what does not change in a run */
	bool answers;
};

struct ethtool_state {
	int fd; /* negative: -errno */
	bool any_card;
	bool cut; /* there are more than INTERFACES_MAX */
	struct ethtool_card *cards;
	size_t n, room;
	struct capture *fs; /* while cards are looked for */
};

static int ethtool_ask(int fd, const char *interface, void *request)
{
	struct ifreq ifr = {.ifr_data = request};

	memccpy(ifr.ifr_name, interface, 0, sizeof(ifr.ifr_name) - 1);
	return ioctl(fd, SIOCETHTOOL, &ifr) ? -errno : 0;
}

static uint32_t ethtool_count_statistics(int fd, const char *interface)
{
	union {
		struct ethtool_sset_info info;
		uint32_t room[sizeof(struct ethtool_sset_info) / sizeof(uint32_t) + 1];
	} request = {.info = {.cmd = ETHTOOL_GSSET_INFO, .sset_mask = 1ULL << ETH_SS_STATS}};

	if (ethtool_ask(fd, interface, &request) || !request.info.sset_mask ||
		request.info.data[0] > STATISTICS_MAX)
		return 0;
	return request.info.data[0];
}

/* The kernel writes as many as there are, and not as many as it was told there is room for: so
 * there is room for a driver that gets some more queues meanwhile. */
static void *ethtool_room(uint32_t count, size_t each)
{
	return mem_zalloc(64 + 2 * (size_t)count * each);
}

static void ethtool_learn_names(int fd, struct ethtool_card *card)
{
	uint32_t count = ethtool_count_statistics(fd, card->name), i;
	struct ethtool_gstrings *names = ethtool_room(count, ETH_GSTRING_LEN);
	char name[ETH_GSTRING_LEN + 1] = "";

	names->cmd = ETHTOOL_GSTRINGS;
	names->string_set = ETH_SS_STATS;
	names->len = count;
	card->n = 0;
	card->n_statistics = count;
	if (count && !ethtool_ask(fd, card->name, names) && names->len == count)
		for (i = 0; i < count; i++) {
			int field;

			memcpy(name, names->data + (size_t)i * ETH_GSTRING_LEN, ETH_GSTRING_LEN);
			field = ethtool_field_of(name);
			if (field < 0)
				continue;
			ARRAY_GROW(card->list, card->n, card->room);
			card->list[card->n++] = (struct ethtool_statistic){i, field};
		}
	free(names);
}

static void ethtool_add_setting(struct str *text, const char *field, uint32_t value)
{
	str_addf(text, " %s %" PRIu32, field, value);
}

static void ethtool_learn_rings(int fd, const char *interface, struct str *text)
{
	struct ethtool_ringparam rings = {.cmd = ETHTOOL_GRINGPARAM};

	if (ethtool_ask(fd, interface, &rings) || !rings.rx_max_pending)
		return;
	ethtool_add_setting(text, "rx_ring", rings.rx_pending);
	ethtool_add_setting(text, "rx_ring_max", rings.rx_max_pending);
}

/* The kernel first says how long its masks are, and then fills them. */
static void ethtool_learn_link(int fd, const char *interface, struct str *text)
{
	union {
		struct ethtool_link_settings link;
		uint32_t room[sizeof(struct ethtool_link_settings) / sizeof(uint32_t) +
			3 * MASK_WORDS];
	} request = {.link = {.cmd = ETHTOOL_GLINKSETTINGS}};
	static const char *const names[] = {"supported_mbits", "advertised_mbits", "partner_mbits"};
	size_t words, i;

	if (ethtool_ask(fd, interface, &request) || request.link.link_mode_masks_nwords >= 0)
		return;
	words = (size_t)-request.link.link_mode_masks_nwords;
	request.link = (struct ethtool_link_settings){
		.cmd = ETHTOOL_GLINKSETTINGS, .link_mode_masks_nwords = (int8_t)words};
	if (words > MASK_WORDS || ethtool_ask(fd, interface, &request))
		return;
	if (request.link.speed && request.link.speed <= INT32_MAX)
		ethtool_add_setting(text, "speed_mbits", request.link.speed);
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		unsigned int fastest =
			ethtool_fastest(request.link.link_mode_masks + i * words, words);

		if (fastest)
			ethtool_add_setting(text, names[i], fastest);
	}
}

static int ethtool_add_card(void *arg, const char *interface)
{
	struct ethtool_state *state = arg;
	struct ethtool_card card = {0};
	char path[sizeof("/sys/class/net//device") + IFNAMSIZ];

	if (strlen(interface) >= sizeof(card.name))
		return 0;
	snprintf(path, sizeof(path), "/sys/class/net/%s/device", interface);
	if (!capture_exists(state->fs, path))
		return 0;
	state->any_card = true;
	if (state->fd < 0)
		return 1;
	state->cut = state->n == INTERFACES_MAX;
	if (state->cut)
		return 1;
	snprintf(card.name, sizeof(card.name), "%s", interface);
	ARRAY_GROW(state->cards, state->n, state->room);
	state->cards[state->n++] = card;
	return 0;
}

static void ethtool_learn(int fd, struct ethtool_card *card)
{
	struct str settings = STR_INIT;

	ethtool_learn_names(fd, card);
	ethtool_learn_rings(fd, card->name, &settings);
	ethtool_learn_link(fd, card->name, &settings);
	card->settings = str_take(&settings);
}

/* In the child, which has a copy of the cards. */
static void ethtool_try(void *arg, size_t number, struct str *answer)
{
	const struct ethtool_state *state = arg;

	ethtool_learn(state->fd, &state->cards[number]);
	str_addf(answer, "%zu answers\n", number);
}

static void ethtool_know(struct ethtool_state *state)
{
	bool *hung = mem_zalloc(state->n);
	struct asking asking = {.n = state->n,
		.ask = ethtool_try,
		.arg = state,
		.hung = hung,
		.deadline_ms = DEADLINE_MS};
	struct str answer = STR_INIT;
	struct bytes rest, words;
	size_t i;

	asking_run(&asking, &answer);
	rest = (struct bytes){str_text(&answer), answer.len};
	while (asking_next(&rest, state->n, &i, &words))
		state->cards[i].answers |= words.len != 0;
	for (i = 0; i < state->n; i++)
		if (state->cards[i].answers)
			ethtool_learn(state->fd, &state->cards[i]);
	str_free(&answer);
	free(hung);
}

static int ethtool_open(struct capture *fs, void **out)
{
	struct ethtool_state *state = mem_zalloc(sizeof(*state));

	*out = state;
	state->fs = fs;
	state->fd = -EOPNOTSUPP;
	if (capture_is_live(fs)) {
		state->fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
		if (state->fd < 0)
			state->fd = -errno;
	}
	capture_list(fs, "/sys/class/net", ethtool_add_card, state);
	if (state->n)
		ethtool_know(state);
	return 0;
}

static void ethtool_add_statistics(int fd, struct ethtool_card *card, struct str *text)
{
	uint32_t count = ethtool_count_statistics(fd, card->name);
	struct ethtool_stats *statistics;
	uint64_t sums[ETHTOOL_FIELDS] = {0};
	bool any[ETHTOOL_FIELDS] = {0};
	size_t i;

	if (count != card->n_statistics)
		ethtool_learn_names(fd, card);
	if (!card->n)
		return;
	statistics = ethtool_room(card->n_statistics, sizeof(*statistics->data));
	statistics->cmd = ETHTOOL_GSTATS;
	statistics->n_stats = card->n_statistics;
	if (!ethtool_ask(fd, card->name, statistics) && statistics->n_stats == card->n_statistics)
		for (i = 0; i < card->n; i++) {
			sums[card->list[i].field] += statistics->data[card->list[i].index];
			any[card->list[i].field] = true;
		}
	for (i = 0; i < ETHTOOL_FIELDS; i++)
		if (any[i])
			str_addf(text, " %s %" PRIu64, ethtool_field_name(i), sums[i]);
	free(statistics);
}

static int ethtool_read_live(struct capture *fs, struct ethtool_state *state, struct sink *sink)
{
	struct str text = STR_INIT;
	size_t i;

	for (i = 0; i < state->n; i++) {
		struct ethtool_card *card = &state->cards[i];

		str_add(&text, card->name);
		if (card->answers) {
			str_add(&text, card->settings);
			ethtool_add_statistics(state->fd, card, &text);
		} else {
			str_add(&text, " missing 1");
		}
		str_addc(&text, '\n');
	}
	if (state->cut)
		sink_missing(
			sink, "there are more network cards than are asked, %d", INTERFACES_MAX);
	capture_put_blob(fs, BLOB, str_text(&text), text.len);
	parse_ethtool((struct bytes){str_text(&text), text.len}, sink);
	str_free(&text);
	return 0;
}

static int ethtool_read(struct capture *fs, void *arg, struct sink *sink)
{
	struct ethtool_state *state = arg;
	struct bytes recorded;

	if (!state->any_card) {
		sink_none(sink);
		return 0;
	}
	if (state->fd >= 0)
		return ethtool_read_live(fs, state, sink);
	if (capture_is_replay(fs) && !capture_get_blob(fs, BLOB, &recorded)) {
		parse_ethtool(recorded, sink);
		return 0;
	}
	sink_missing(sink, "the drivers of network cards cannot be asked: %s",
		capture_is_replay(fs) ? "the recording does not say what they counted"
				      : capture_why_untold(fs, state->fd));
	return state->fd;
}

static void ethtool_close(void *arg)
{
	struct ethtool_state *state = arg;
	size_t i;

	if (!state)
		return;
	for (i = 0; i < state->n; i++) {
		free(state->cards[i].list);
		free(state->cards[i].settings);
	}
	if (state->fd >= 0)
		close(state->fd);
	free(state->cards);
	free(state);
}

SOURCE(ethtool) = {
	.name = "ethtool",
	.what = "what drivers of network cards count: no buffer, pause frames, a cloud's "
		"allowances; rings, link modes",
	.open = ethtool_open,
	.read = ethtool_read,
	.close = ethtool_close,
	.culprit = source_device_culprit,
};
