#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# Folded stacks of a large program, the same ones for the same numbers: 22.7 frames and 570 bytes a line,
# and 8.7 frames of these new, as in the profiles of a JVM.
#   stacks.pl LINES [SEED]
use strict;
use warnings;

my ($lines, $seed) = @ARGV;
srand($seed // 1);
my @name = map { 'com/example/p' . int($_ / 40) . '/C' . int($_ / 8) . '.method' . $_ } 0 .. 1599;
for (1 .. $lines) {
	my @stack = ('java', 'start_thread', 'run');
	my $depth = 10 + int(rand(19));
	my $at = int(rand(40));
	for my $step (1 .. $depth) {
		# Frameworks first, which have few ways; then code that has many.
		my $ways = $step < 10 ? rand() < .3 ? 3 : 1 : 3;
		$at = ($at * 7 + int(rand($ways)) + $step) % 1600;
		push @stack, $name[$at];
	}
	push @stack, 'sys_read_[k]', 'vfs_read_[k]' if rand() < .3;
	print join(';', @stack), ' ', 1 + int(rand(20)), "\n";
}
