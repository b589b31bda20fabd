#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Is the answer on the first screen? Each recorded machine at 80 by 24: the worst finding's own sentence stands in it
# with its doubt, its remedy and a command; milder ones have theirs only where those above them have; nothing is wider
# or longer, no command has a hole, and a machine that is well says that nothing was found.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"
if ! command -v jq >/dev/null; then
	echo "1..0 # SKIP needs the program jq"
	exit 0
fi
work=$(mktemp -d /var/tmp/tuesday-test.XXXXXX)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C.UTF-8 BIN work
"$root/tests/replay/unpack" "$work/machines"
mkdir "$work/screens"

# look NAME: its screen, and its report.
look() {
	local machine=$work/machines/$1 at=$work/screens/$1

	COLUMNS=80 "$BIN/tuesday" run --replay "$machine" --no-history >"$at.text" 2>/dev/null
	"$BIN/tuesday" run --replay "$machine" --no-history -o json >"$at.json" 2>/dev/null
}
export -f look
# shellcheck disable=SC2016
find "$work/machines" -mindepth 1 -maxdepth 1 -type d -printf '%f\n' | sort |
	xargs -P "$(nproc)" -n 8 bash -c 'for name; do look "$name"; done' look

# Of each report a line that begins with its name: well, or a sentence of the worst findings, one of which has to be on
# the screen.
cd "$work/screens" || exit 1
jq -r 'def weight: {"error": 0, "harm": 1, "limit": 2, "cause": 3}[.class];
	def accuses: .verdict == "bad" or .verdict == "maybe";
	(input_filename | rtrimstr(".json")) as $name
	| ([.checks[] | select(accuses) | .verdict] | if any(. == "bad") then "bad" else "maybe" end) as $worst
	| if all(.checks[]; accuses | not) then [$name, "well", ""]
		else [.checks[] | select(.verdict == $worst) | .metrics + (.since // []) | [.[] | select(accuses)]
			| map(select((.idle // false) | not)) | select(length > 0)
			| sort_by([.verdict != "bad", weight]) | .[0] | {w: [.verdict != "bad", weight], say}]
			| (map(.w) | min) as $first | .[] | select(.w == $first and .say != null) | [$name, "ill", .say]
		end
	| join("\t")' ./*.json >"$work/wanted"
# Which of "but", "do" and "next" each accusing check has, by its worst number.
jq -r 'def weight: {"error": 0, "harm": 1, "limit": 2, "cause": 3}[.class];
	def accuses: .verdict == "bad" or .verdict == "maybe";
	(input_filename | ltrimstr("./") | rtrimstr(".json")) as $name
	| .checks[] | select(accuses) | . as $check
	| [.metrics + (.since // []) | .[] | select(accuses and (.idle // false | not))] | select(length == 1) | .[0]
	| [$name, $check.check, if (.howevers // []) != [] then "but" else empty end,
		if .remedy then "do" else empty end, if (.next // $check.next // []) != [] then "next" else empty end]
	| join("\t")' ./*.json >"$work/owned"
# What is wrong goes to files of that name. The terminal escapes what names hold, so the first words are compared.
# Commands are never wrapped.
perl -Mutf8 -CSD -e '
	my ($work, %says, %well, %owned) = shift;
	open my $owned, "<", "$work/owned" or die;
	while (<$owned>) {
		chomp;
		my ($name, $check, @parts) = split /\t/;
		$owned{$name}{$check} = \@parts;
	}
	sub note { open my $to, ">>", "$work/$_[0]" or die; print $to "$_[1]\n" }
	while (<>) {
		chomp;
		my ($name, $kind, $say) = split /\t/, $_, 3;
		$name =~ s{^\./}{};
		push @{$says{$name}}, $say if $kind eq "ill";
		$well{$name} = 1 if $kind eq "well";
	}
	for my $file (sort glob "*.text") {
		my $name = $file =~ s/\.text$//r;
		open my $from, "<", $file or die;
		my @lines = <$from>;
		chomp @lines;
		note("long", "$name has " . @lines . " lines") if @lines > 24;
		for (@lines) {
			note("wide", "$name: $_") if length > 80 && !/^ {7}next|^ {16}[a-z.\/]+ |^(Try|     ) /;
			note("holes", "$name: $_")
				if /^ {7}next/ && /\{[a-z]+\}|\b(CGROUP|INTERFACE|PID|DEVICE|NAME)\b/;
		}
		if ($well{$name}) {
			note("well", $name);
			note("unsaid", $name) if !grep /^Nothing (was )?found/, @lines;
		}
		my ($check, %has, @checks, $below);
		for (@lines) {
			push @checks, $check = $1 if /^(?:BAD|MAYBE) +(\S+)/;
			$below++ if !defined $check || $below || /^$/;
			$has{$check}{$1} = 1 if defined $check && !$below && /^ {7}(but|do|next) /;
		}
		note("footers", $below);
		# None that is milder has what one above it lacks.
		my $lacks;
		for my $i (0 .. $#checks) {
			my $has = $has{$checks[$i]} // {};
			my @lacking = grep !$has->{$_}, @{$owned{$name}{$checks[$i]} // []};
			note("bare", "$name: $checks[$i] lacks @lacking") if @lacking && !$i;
			note("unfair", "$name: $checks[$i] has more than $lacks") if $lacks && %$has;
			$lacks //= $checks[$i] if @lacking;
			note("unmarked", "$name: $checks[$i]") if @lacking && !grep /\bMore: tuesday run /, @lines;
		}
		my $says = $says{$name} or next;
		my $text = join(" ", @lines) =~ s/\s+/ /gr;
		my @heads = map { substr(s/\s+/ /gr, 0, 40) =~ s/ [^ ]*$//r } @$says;
		note("ill", $name);
		note("missing", "$name: $says->[0]") if !grep { index($text, $_) >= 0 } @heads;
	}' "$work" "$work/wanted"
touch "$work"/{long,wide,holes,unsaid,missing,bare,unfair,unmarked,well,ill}

t "there are machines that are ill: $(wc -l <"$work/ill")" test "$(wc -l <"$work/ill")" -gt 100
t "and some that are well: $(wc -l <"$work/well")" test "$(wc -l <"$work/well")" -gt 20
is "$(wc -l <"$work/long")" 0 "no screen has more than 24 lines"
why <"$work/long"
is "$(wc -l <"$work/wide")" 0 "no line but a command is wider than 80 columns"
why <"$work/wide"
is "$(wc -l <"$work/missing")" 0 "the worst finding's sentence is on the screen"
why <"$work/missing"
t "so are its doubt, its remedy and a command, of numbers that accuse alone: $(wc -l <"$work/owned")" \
	test "$(wc -l <"$work/owned")" -gt 100 -a ! -s "$work/bare"
why <"$work/bare"
is "$(wc -l <"$work/unfair")" 0 "no milder finding has more than a worse one"
why <"$work/unfair"
is "$(wc -l <"$work/unmarked")" 0 "where something is left out a command shows it"
why <"$work/unmarked"
# shellcheck disable=SC2016
t "what stands below the findings has less than five lines on average, the empty one among them" \
	awk '{ sum += $1 } END { exit !(NR > 100 && sum / NR < 5) }' "$work/footers"
is "$(wc -l <"$work/holes")" 0 "no command has a hole to be filled"
why <"$work/holes"
is "$(wc -l <"$work/unsaid")" 0 "where nothing was found the screen says so"
why <"$work/unsaid"
# Where nothing is accused and something waits nevertheless, the program is next to be asked.
mapfile -t waits < <(grep -l '^Something waits all the same: waitdiagnose ' "$work"/screens/*.text)
t "where nothing is found and something waits, waitdiagnose is named: ${#waits[@]}" test "${#waits[@]}" -gt 3
t "and where nothing waits it is not" test "${#waits[@]}" -lt "$(($(wc -l <"$work/well") / 2))"
is "$(grep -LE '^Not cleared: |Good, but' "${waits[@]}" | wc -l) $(grep -lE '^(BAD|MAYBE) ' "${waits[@]}" | wc -l)" "0 0" \
	"so its part is not cleared, and nothing is accused"
is "$(cat "$work"/screens/*.text | grep -c 'Not yet seen live')" 0 "nothing is said of how a check was tested"
is "$(cat "$work"/screens/*.text | grep -cE '(^| )in (host|tuesday-[0-9]+)\>')" 0 "a network namespace is called one"
is "$(cat "$work"/screens/*.text | grep -cE '[0-9]/s (times |[a-z]+ )?(a|per) second')" 0 "what is a second is said once"
# One file that was copied to a machine is not in its PATH.
mkdir "$work/copied"
cp "$BIN/tuesday" "$work/copied/"
more=$(grep -lE 'More: tuesday run ' "$work"/screens/*.text | head -n 1)
more=${more##*/}
PATH=/usr/bin:/bin "$work/copied/tuesday" run --replay "$work/machines/${more%.text}" --no-history >"$work/out" 2>/dev/null
t "the command that shows more runs this very file" grep -q "More: $work/copied/tuesday run" "$work/out"
plan
