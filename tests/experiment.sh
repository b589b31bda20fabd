# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# A check file with experiments that do no harm. To be sourced, by bash.

# trial_check: the beginning of a check file that judges nothing, for experiments.
trial_check() {
	cat <<-'END'
		[check]
		question = Is the name right?
		area = test
		next = hostname
		[metric threads_count]
		value = loadavg:threads
		class = limit
		acquit = > 0
		maybe = < 0
		say = {value} threads
		why = There is always one.
		source = judgement
		however = None.
	END
}

# trial_experiment NAME [LINE...]: an experiment on a name, with these lines.
trial_experiment() {
	printf '[experiment %s]\nquestion = Does the name matter?\nlabel = name\n' "$1"
	printf 'better = higher\nwarning = The name is another one.\nproves = It is the name.\n'
	printf 'source = judgement\nhowever = It is a test.\nmeasure = 100ms\n'
	shift
	printf '%s\n' "$@"
}
