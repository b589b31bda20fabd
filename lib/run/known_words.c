/* SPDX-License-Identifier: GPL-2.0-only */
/* Which words may stay in a recording without names? */
#include "base/banned.h"
#include "check/check_words.h"
#include "redact/vocabulary.h"
#include "run/known_words.h"
#include "sources/kernel/klog.h"

const struct word_source known_words = {
	.each = check_each_word,
	.each_of_log = klog_each_pattern,
};
