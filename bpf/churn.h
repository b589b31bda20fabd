/* SPDX-License-Identifier: GPL-2.0-only */
/* What the tracer of churn tells apart: the numbers of its fields, and their names in the same
 * order. */
#ifndef TUESDAY_BPF_CHURN_H
#define TUESDAY_BPF_CHURN_H

enum churn_field {
	CHURN_LIVED = 0,      /* ns from connect() to the end, of connections opened meanwhile */
	CHURN_BRIEF = 1,      /* the same, of those that lived shorter than the trace's "slow" */
	CHURN_CONNECTING = 2, /* ns from connect() until it is established */
	CHURN_FAR = 3,	      /* ns lived, of those that the other side closed first */
	CHURN_REUSED = 4,     /* ns lived, of those that had more than one turn */
	CHURN_TURN = 5,	      /* requests answered: the how manieth of its connection */
	CHURN_IDLE = 6,	      /* idle connections there that its process kept, when it closed one */
	CHURN_PORTLESS = 7 /* ns until connect() failed without sending: no local port was left */
};

#define CHURN_FIELDS "lived brief connecting far reused #turn #idle portless"

#endif
