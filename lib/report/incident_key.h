/* SPDX-License-Identifier: GPL-2.0-only */
/* The identity of an incident: whether it is still the same one. */
#ifndef TUESDAY_REPORT_INCIDENT_KEY_H
#define TUESDAY_REPORT_INCIDENT_KEY_H

#include <stdbool.h>

struct report;
struct str;

/*
 * What makes a later report one of the same condition: the checks that are bad (or, where none is,
 * that are maybe), the instances that their numbers accuse, and the boot. 16 hexadecimal digits;
 * false where nothing is accused.
 */
#define INCIDENT_KEY_SIZE 17
bool incident_key(const struct report *report, char key[INCIDENT_KEY_SIZE]);
/* Appends the names of these checks, sorted, separated by blanks. */
void incident_key_checks(const struct report *report, struct str *out);

#endif
