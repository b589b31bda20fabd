#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
# The peer of tuesday flame: what flamegraph.pl does with folded stacks, in the language that it is
# written in and with the numbers that it has (1200 pixels, 10 at each side, 0.1 at least), written anew
# since it is in no package of Debian: lines are sorted, and a hash by name, depth and end has a hash for
# each frame. It does less a line: no options, no colours by name, no checks.
#   flame.pl [--widths] [--reverse] <STACKS.folded
# --widths: a line "DEPTH WIDTH" for each frame that is drawn, instead of the picture.
use strict;
use warnings;

my ($widths, $reverse) = (0, 0);
for (@ARGV) {
	$widths = 1 if $_ eq '--widths';
	$reverse = 1 if $_ eq '--reverse';
}

my @lines;
while (my $line = <STDIN>) {
	chomp $line;
	my ($stack, $weight) = $line =~ /^(.*)\s+?(\d+)$/ or next;
	$stack = join ';', reverse split /;/, $stack if $reverse;
	push @lines, "$stack $weight";
}

# Sorted lines that begin alike are neighbours: a frame is open for as long as the next line has it, too.
my (%begun, %closed, @open);
my $at = 0;

sub close_to {
	my ($keep) = @_;
	while (@open > $keep) {
		my $depth = $#open;
		my $name = pop @open;
		my $key = "$depth;$name";
		$closed{"$key;$at"}->{begun} = delete $begun{$key}->{begun};
		delete $begun{$key};
	}
}

for my $line (sort @lines) {
	my ($stack, $weight) = $line =~ /^(.*)\s+?(\d+)$/;
	my $second;
	($stack, $second, $weight) = ($1, $weight, $2) if $stack =~ /^(.*)\s+?(\d+)$/;
	my @frames = ('', split /;/, $stack);
	my $same = 0;
	$same++ while $same < @open && $same < @frames && $open[$same] eq $frames[$same];
	close_to($same);
	for my $depth ($same .. $#frames) {
		$begun{"$depth;$frames[$depth]"}->{begun} = $at;
		push @open, $frames[$depth];
	}
	$at += $weight;
}
close_to(0);
die "no stacks\n" unless $at;

my $pixels = 1180 / $at;
my ($deepest, %drawn) = (0);
while (my ($key, $node) = each %closed) {
	my $from = $node->{begun};
	my ($depth, $end) = (split /;/, $key)[0, -1];
	next if ($end - $from) < 0.1 / $pixels;
	$drawn{$key} = $from;
	$deepest = $depth if $depth > $deepest;
}

sub escaped {
	my ($text) = @_;
	$text =~ s/&/&amp;/g;
	$text =~ s/</&lt;/g;
	$text =~ s/>/&gt;/g;
	$text =~ s/"/&quot;/g;
	return $text;
}

my $height = ($deepest + 1) * 16 + 66;
print qq{<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="$height">\n} unless $widths;
while (my ($key, $from) = each %drawn) {
	my ($depth, $name, $end) = $key =~ /^(\d+);(.*);(\d+)$/;
	my $x = sprintf '%.1f', 10 + $from * $pixels;
	my $width = sprintf '%.1f', sprintf('%.1f', 10 + $end * $pixels) - $x;
	if ($widths) {
		print "$depth $width\n";
		next;
	}
	my $y = $height - 33 - ($depth + 1) * 16;
	my $share = sprintf '%.2f', 100 * ($end - $from) / $at;
	my $room = int($width / (12 * 0.59));
	my $shown = '';
	if ($room >= 3) {
		$shown = substr $name, 0, $room;
		substr($shown, -2, 2) = '..' if $room < length $name;
		$shown = escaped($shown);
	}
	my $hue = 0;
	$hue = ($hue * 31 + ord) % 55 for split //, $name;
	printf qq{<g><title>%s (%d samples, %s%%)</title><rect x="%s" y="%s" width="%s" height="15" fill="rgb(%d,%d,%d)"/><text x="%.2f" y="%s">%s</text></g>\n},
		escaped($name), $end - $from, $share, $x, $y, $width, 205 + $hue, 230 - $hue, $hue, $x + 3, $y + 10.5, $shown;
}
print "</svg>\n" unless $widths;
