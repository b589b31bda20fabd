/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What kind of machine is it? Facts by which machines of a fleet can be told into groups: what all
 * that are accused share and the others do not is the first suspect of `tuesday merge`.
 *
 * cpu_model, microcode, memory, disk_models, nic_drivers, product, firmware, distribution,
 * virtualisation, container. No serial number, address or name: nothing that is one machine's own.
 */
#ifndef TUESDAY_HISTORY_HOST_FACTS_H
#define TUESDAY_HISTORY_HOST_FACTS_H

struct capture;
struct report;

/* Looks them up and notes them in the environment of fs, as "machine-NAME", so that a recording has
 * them; a replay keeps what it has. Reads nothing that is not readable for all. */
void host_facts_note(struct capture *fs);

/* Fills the report's facts from there, and its labels from "[labels]" of
 * /etc/tuesday/tuesday.ini and /etc/tuesday/labels.ini (which counts where both name one), where
 * there are such files and they are this machine's. What is not known is left out. */
void host_facts_read(struct capture *fs, struct report *report);

#endif
