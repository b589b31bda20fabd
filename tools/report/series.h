/* SPDX-License-Identifier: GPL-2.0-only */
/* A number's course as a picture. */
#ifndef TUESDAY_TOOLS_REPORT_SERIES_H
#define TUESDAY_TOOLS_REPORT_SERIES_H

struct metric_result;
struct str;
struct trail;

/* A number's course as a picture, with lines at its limits; nothing where there is no course. */
void svg_trail(struct str *out, const struct trail *trail, const struct metric_result *metric);

#endif
