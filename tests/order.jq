# SPDX-License-Identifier: GPL-2.0-only
# What the witness saw, in a word. Of the requests that the server began, how many more overtook older
# ones with connections kept than with the same load and each connection closed? What they overtook
# with connections closed is not due to kept ones. From a study of 20 servers: 0.1 and more, or 0.00.
def overtook: if . == null or .begun == 0 then 0 else .overtaking / .begun end;

# The longest wait of one that was overtaken, or the 99th percentile, beside that of the fair order.
def harms(closed): ([.p99_seconds, .longest_seconds] | max) as $long |
	$long > 1.2 * closed.p99_seconds and $long > closed.p99_seconds + 0.02;

# starving, unfair (nobody waits longer than in the fair order), slight, fair, or few (not enough to say)
def truth_of(closed): (overtook - (closed | overtook)) as $more |
	if closed == null or .begun < 50 or closed.begun < 50 then "few"
	elif $more >= 0.05 and .overtaken >= 3 then if harms(closed) then "starving" else "unfair" end
	elif $more < 0.01 then "fair"
	else "slight" end;
