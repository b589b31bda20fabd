/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/banned.h"

#include "base/str.h"
#include "flame/look.h"
#include "flame/svg.h"

const char *flame_look_unit(const struct flame_look *look)
{
	return look->unit ? look->unit : "samples";
}

double flame_look_sample(const struct flame_look *look)
{
	return str_same(flame_look_unit(look), "samples") ? 1 : look->sample;
}
