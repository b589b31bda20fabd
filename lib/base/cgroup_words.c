/* SPDX-License-Identifier: GPL-2.0-only */
/* Which unit, container, pod, user or virtual machine is a control group of? */
#include "base/banned.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "base/cgroup_words.h"
#include "base/str.h"

#define CONTAINER_ID_MIN 32 /* hexadecimal digits: Docker and the CRI use 64 */
#define CONTAINER_ID_SHOWN 12
#define POD_UID_MIN 32 /* of static pods; others have 36 with their dashes */

/* A part of a path, or of one word of it. */
struct words_part {
	const char *at;
	size_t len;
};

/* What the words of a path said so far, the deepest last. */
struct words_owner {
	struct words_part pod, container, machine, unit, user;
	bool monitor;	  /* the process that watches over the container, not the container */
	const char *rest; /* of the path, behind the last word that said something */
};

static bool words_starts(struct words_part part, const char *prefix)
{
	return part.len >= strlen(prefix) && !memcmp(part.at, prefix, strlen(prefix));
}

static bool words_ends(struct words_part part, const char *suffix)
{
	size_t len = strlen(suffix);

	return part.len > len && !memcmp(part.at + part.len - len, suffix, len);
}

static bool words_cut_start(struct words_part *part, const char *prefix)
{
	if (!words_starts(*part, prefix))
		return false;
	part->at += strlen(prefix);
	part->len -= strlen(prefix);
	return true;
}

static bool words_cut_end(struct words_part *part, const char *suffix)
{
	if (!words_ends(*part, suffix))
		return false;
	part->len -= strlen(suffix);
	return true;
}

/* Hexadecimal digits, and dashes as a UID has them: systemd's names have '_' in their place. */
static bool words_is_id(struct words_part part, size_t least, bool dashes)
{
	size_t i;

	for (i = 0; i < part.len; i++)
		if (!isxdigit((unsigned char)part.at[i]) &&
			!(dashes && (part.at[i] == '-' || part.at[i] == '_')))
			return false;
	return part.len >= least;
}

/* "kubepods-burstable-podUID.slice" of systemd's driver, "podUID" of the other one. */
static bool words_take_pod(struct words_owner *owner, struct words_part word)
{
	size_t i;

	if (words_cut_end(&word, ".slice")) {
		for (i = 0; i + strlen("-pod") < word.len; i++)
			if (!memcmp(word.at + i, "-pod", strlen("-pod")) &&
				words_is_id((struct words_part){word.at + i + strlen("-pod"),
						    word.len - i - strlen("-pod")},
					POD_UID_MIN, true))
				break;
		if (i + strlen("-pod") >= word.len)
			return false;
		word.at += i + 1;
		word.len -= i + 1;
	}
	if (!words_cut_start(&word, "pod") || !words_is_id(word, POD_UID_MIN, true))
		return false;
	owner->pod = word;
	return true;
}

/* "docker-ID.scope", "cri-containerd-ID.scope", "libpod-ID", "ID". */
static bool words_take_container(struct words_owner *owner, struct words_part word)
{
	struct words_part id = word;
	size_t i;

	words_cut_end(&id, ".scope");
	for (i = id.len; i && id.at[i - 1] != '-'; i--)
		;
	owner->monitor = i > strlen("conmon-") && !memcmp(id.at + i - 7, "conmon-", 7);
	id.at += i;
	id.len -= i;
	if (!words_is_id(id, CONTAINER_ID_MIN, false))
		return false;
	owner->container = id;
	return true;
}

static bool words_take_machine(struct words_owner *owner, struct words_part word)
{
	bool lxc = words_cut_start(&word, "lxc.payload.");

	if (!lxc && (!words_cut_start(&word, "machine-") || !words_cut_end(&word, ".scope")))
		return false;
	owner->machine = word;
	return true;
}

/* "user-7.slice" and "user@7.service" say whose it is, and nothing of their own. */
static bool words_take_user(struct words_owner *owner, struct words_part word)
{
	size_t i;

	if ((!words_cut_start(&word, "user-") || !words_cut_end(&word, ".slice")) &&
		(!words_cut_start(&word, "user@") || !words_cut_end(&word, ".service")))
		return false;
	for (i = 0; i < word.len; i++)
		if (!isdigit((unsigned char)word.at[i]))
			return false;
	owner->user = word;
	owner->unit.len = 0;
	return word.len > 0;
}

static bool words_take_unit(struct words_owner *owner, struct words_part word)
{
	static const char *const endings[] = {
		".service", ".scope", ".slice", ".socket", ".mount", ".swap"};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(endings); i++) {
		if (!words_ends(word, endings[i]))
			continue;
		owner->unit = word;
		return true;
	}
	return false;
}

/* Inside of a container or a pod units are its own, so that they belong to the rest of the path. */
static bool words_take(struct words_owner *owner, struct words_part word)
{
	if (owner->container.len || owner->machine.len)
		return false;
	if (words_take_pod(owner, word) || words_take_container(owner, word))
		return true;
	if (owner->pod.len)
		return false;
	return words_take_machine(owner, word) || words_take_user(owner, word) ||
		words_take_unit(owner, word);
}

/* systemd writes what a unit's name may not hold as \x2d. */
static void words_add_unescaped(struct str *out, struct words_part part)
{
	size_t i;

	for (i = 0; i < part.len; i++) {
		if (part.len - i >= 4 && !memcmp(part.at + i, "\\x2d", 4)) {
			str_addc(out, '-');
			i += 3;
		} else {
			str_addc(out, part.at[i]);
		}
	}
}

static void words_add_pod(struct str *out, const struct words_owner *owner)
{
	size_t i;

	str_addf(out, "%spod ", owner->container.len ? " of " : "");
	for (i = 0; i < owner->pod.len; i++)
		str_addc(out, owner->pod.at[i] == '_' ? '-' : owner->pod.at[i]);
}

/* Before the pod, whose UID is what is cut first on a narrow screen. */
static void words_add_container(struct str *out, const struct words_owner *owner)
{
	str_addf(out, "%scontainer %.*s", owner->monitor ? "conmon of " : "", CONTAINER_ID_SHOWN,
		owner->container.at);
}

static void words_add_machine(struct str *out, const struct words_owner *owner)
{
	str_add(out, "machine ");
	words_add_unescaped(out, owner->machine);
}

static void words_add_unit(struct str *out, const struct words_owner *owner)
{
	if (owner->unit.len)
		words_add_unescaped(out, owner->unit);
	if (owner->user.len)
		str_addf(out, "%suser %.*s", owner->unit.len ? " of " : "", (int)owner->user.len,
			owner->user.at);
}

void cgroup_words(struct str *out, const char *path)
{
	struct words_owner owner = {.rest = path};
	const char *at = path;

	while (*at == '/') {
		struct words_part word = {at + 1, strcspn(at + 1, "/")};

		at = word.at + word.len;
		if (words_take(&owner, word))
			owner.rest = at;
	}
	if (owner.container.len)
		words_add_container(out, &owner);
	if (owner.pod.len)
		words_add_pod(out, &owner);
	if (owner.machine.len)
		words_add_machine(out, &owner);
	else if (!owner.pod.len && !owner.container.len)
		words_add_unit(out, &owner);
	str_add(out, owner.rest);
}
