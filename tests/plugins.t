#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Do monitoring systems that run plugins get from check_tuesday what Tuesday has found: Nagios, Icinga,
# NRPE, a parser of performance data; and does text from outside do no harm in any format?
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
needs ip jq
begin
cd "$scratch" || exit 1
# Those that run plugins do so as a user of their own.
chmod 755 "$scratch"
export TUESDAY=$BIN/tuesday
# As for who is not root: for root it runs no program of the environment's.
plugin=$PWD/check_tuesday
sed 's/^uid=.*/uid=1/' "$root/dist/nagios/check_tuesday" >"$plugin" || exit 1
chmod 755 "$plugin"
says() {
	grep -qE -- "$1" out
}
# ends_as STATUS WORD: by exit status and by word, in one line that a plugin may print.
ends_as() {
	[ "$status" = "$1" ] && [ ! -s err ] && head -n 1 out | grep -qE "^[a-zA-Z0-9_-]+ $2: [^|]+( \|.*)?$"
}

# The plugin, on a Tuesday that says what it is told to.
mkdir fakes
cat >fakes/tuesday <<'END'
#!/bin/sh
echo "$*" >>"$ASKED"
[ -z "$TEXT" ] || echo "$TEXT"
echo "a word | beside" >&2
exit "$ENDS"
END
chmod 755 fakes/tuesday
# fake ENDS TEXT ARGUMENTS...
fake() {
	: >asked
	call env ASKED="$PWD/asked" ENDS="$1" TEXT="$2" TUESDAY="$PWD/fakes/tuesday" "$plugin" "${@:3}"
}
for ends in "0 OK" "1 WARNING" "2 CRITICAL" "3 UNKNOWN"; do
	fake "${ends% *}" "TUESDAY ${ends#* }: so it is | 'a'=1" disk
	t "the plugin ends with $ends" ends_as "${ends% *}" "${ends#* }"
done
is "$(cat asked)" "run --deadline 24s -o nagios disk" "what it runs is bounded"
fake 0 "TUESDAY OK: yes" -q -t 60 disk memory
is "$(cat asked)" "run --quick --no-trace --deadline 54s -o nagios disk memory" "it is short where it is asked to"
fake 64 "" disk
t "misuse is unknown, not critical" ends_as 3 UNKNOWN
t "and says what, without a bar" says 'a word / beside'
fake 139 "TUESDAY OK: half" disk
t "so is a crash, whatever was printed" ends_as 3 UNKNOWN
fake 0 "" disk
t "and an answer that is none" ends_as 3 UNKNOWN
for arguments in "--to /etc/passwd" "-o json" "-c /tmp" "-w 5" "../x" "/etc/passwd" "-t 0" "-t 1e3" "-t" "disk --root=/x" "-x|y" "; id"; do
	# shellcheck disable=SC2086
	fake 0 "TUESDAY OK: yes" $arguments
	t "it is not talked into: $arguments" eval 'ends_as 3 UNKNOWN && [ ! -s asked ]'
done
call "$plugin" -h
t "-h is help" says "^Usage: check_tuesday"
is "$status" 3 "and, as for all plugins, no OK"
call env TUESDAY="$PWD/nowhere" "$plugin"
t "no Tuesday is unknown" ends_as 3 UNKNOWN
call "$plugin" -t 10 cpu
words=(OK WARNING CRITICAL UNKNOWN)
t "the real one is run too" ends_as "$status" "${words[status]}"

# For root: not the program that the caller names, and no more than four at once.
: >asked
call env ASKED="$PWD/asked" ENDS=0 TEXT="TUESDAY OK: yes" TUESDAY="$PWD/fakes/tuesday" "$root/dist/nagios/check_tuesday" -t 1
t "root runs no program of the environment's" [ ! -s asked ]
if command -v flock >/dev/null; then
	sed "s#^PATH=#&$PWD/fakes:#; s#/run/tuesday#$PWD/places#g" "$root/dist/nagios/check_tuesday" >for-root
	chmod 755 for-root
	call env ASKED="$PWD/asked" ENDS=0 TEXT="TUESDAY OK: yes" ./for-root -t 2
	t "one run of root's is run" ends_as 0 OK
	for place in 1 2 3 4; do
		exec 6>"places/lock-plugin-$place" && flock 6 && eval "exec 1$place>&6"
	done
	exec 6>&-
	: >asked
	call env ASKED="$PWD/asked" ENDS=0 TEXT="TUESDAY OK: yes" ./for-root -t 2 11>&- 12>&- 13>&- 14>&-
	t "a fifth beside four is unknown, and says why" ends_as 3 UNKNOWN
	t "  and is not run" eval '[ ! -s asked ] && says "four such runs are under way"'
	exec 13>&-
	call env ASKED="$PWD/asked" ENDS=0 TEXT="TUESDAY OK: yes" ./for-root -t 2 11>&- 12>&- 14>&-
	t "where one of them has ended it is run" ends_as 0 OK
	exec 11>&- 12>&- 14>&-
else
	skip "root runs four at once" "flock is not installed"
fi

# Text from outside, as bad as it comes: a plugin of somebody else's with 4 KiB of it in its first line, and
# a disk with a name. Live and from a recording.
mkdir checks rec
cat >evil <<'END'
#!/bin/sh
printf 'EVIL \033[2J "q" '"'"'s'"'"' ; {x} \\ \302\233 \342\200\256 \377\376 <b>&amp;]]> # TODO # SKIP '
head -c 4096 /dev/zero | tr '\0' A
printf " | 'a;b=c'=5;;;; 'ev\033il|{\"x\"}'=7;1;2 plain=3 $(head -c 4096 /dev/zero | tr '\0' B)=4\n"
printf 'second \033[31m line\nnot ok 1 - forged\n2 "Tuesday forged" - x\n'
exit 2
END
chmod 755 evil
printf '[check]\nquestion = Is it evil?\narea = disk\nexec = %s\n' "$PWD/evil" >checks/evil.ini
cat >checks/errors.ini <<-'END'
	[check]
	question = Does it err?
	area = disk
	[metric new_count]
	value = delta(/sys/block/*/errors)
	class = error
	bad = > 0
	source = a book
	say = {instance} had {value} errors
	why = because
	however = nothing
END
disk=$'EVIL\e[31m\n"\'| ;{}=\\\xff\xc2\x9b\nnot ok 1\n2 "Tuesday forged" - x\n# TYPE a gauge'
for sample in 0 1; do
	mkdir -p "rec/$sample/sys/block/$disk" "rec/$sample/sys/block/$(head -c 250 /dev/zero | tr '\0' E)"
	for directory in "rec/$sample/sys/block"/*; do
		echo "$sample" >"$directory/errors"
	done
	echo "$((100000 + sample))000000000" >"rec/$sample/time"
done
printf 'host e\e[31m"|\nkernel 6.1.0\ncpus 4\ntime 1795200000\n' >rec/environment
# both FORMAT: what is printed of the two in this format, in the files evil.1 and evil.2.
both() {
	"$TUESDAY" run evil -c checks --quick -o "$1" --services all >evil.1 2>/dev/null
	"$TUESDAY" run errors -c checks --replay rec -o "$1" --services all >evil.2 2>/dev/null
}
harmless_bytes() {
	[ -s "$1" ] && ! grep -qP '[\x00-\x08\x0b-\x1f\x7f]' "$1" && iconv -f utf-8 -t utf-8 "$1" >/dev/null &&
		! grep -q $'\342\200\256\|\302\233' "$1"
}
reads_json() {
	jq -e '.verdict == "bad"' "$1"
}
# What a name would forge stands at the beginning of no line.
reads_lines() {
	! grep -qE '^(not ok 1$|2 "Tuesday forged"|# TYPE a gauge|EVIL|second)' "$1"
}
reads_prometheus() {
	promtool check metrics <"$1" && ! grep -q 'EVIL\|BBB' "$1" &&
		[ -z "$(grep -v '^#' "$1" | sed 's/ [^ ]*$//' | sort | uniq -d)" ]
}
reads_tap() {
	prove -e cat "$1" >proved 2>&1
	grep -q 'Failed 1/1' proved && ! grep -q 'Parse errors' proved
}
reads_junit() {
	xmllint --noout --schema "$root/tests/junit.xsd" "$1" && [ "$(xmllint --xpath 'count(//failure)' "$1")" = 1 ]
}
reads_nagios() {
	[ "$(head -n 1 "$1" | wc -c)" -le 1024 ] && [ "$(tr -cd '|' <"$1" | wc -c)" = 1 ] && perfdata <"$1"
}
reads_npd() {
	[ "$(wc -l <"$1")" = 1 ] && [ "$(wc -c <"$1")" -le 256 ] && ! grep -qP '[^\x20-\x7e]' "$1"
}
reads_checkmk() {
	[ "$(wc -l <"$1")" = 2 ] && ! grep -qvE '^[0-3] "Tuesday[^"]*" (-|[a-zA-Z0-9_]+=[0-9.;|a-zA-Z_=+-]*) (bad: |[0-9]+ bad)' "$1"
}
reads_line() {
	[ "$(wc -l <"$1")" = 1 ] && ! grep -q '[0-9"]' "$1"
}
reads_text() {
	true
}
# perfdata: the first line of standard input, as Perl's Monitoring::Plugin reads it: as many values as were
# written, each a number with a label, and limits that it understands.
perfdata() {
	perl -MMonitoring::Plugin::Performance -e '
		my ($line) = scalar(<STDIN>) =~ /\|(.*)/ or exit 1;
		my @got = Monitoring::Plugin::Performance->parse_perfstring($line);
		my $wanted = () = $line =~ /'"'"'=(?!U)/g;
		exit 2 unless @got && @got == $wanted;
		for (@got) {
			exit 3 unless length($_->label) && $_->value =~ /^-?[0-9.]+(e-[0-9]+)?$/;
			exit 4 unless $_->threshold->isa("Monitoring::Plugin::Threshold");
		}'
}
declare -A reader=([prometheus]=promtool [tap]=prove [junit]=xmllint [nagios]=perl)
for format in json line text nagios npd checkmk prometheus tap junit; do
	both "$format"
	for from in 1 2; do
		works "evil text does no harm in $format, $from" eval "harmless_bytes evil.$from && reads_lines evil.$from"
		program=${reader[$format]-}
		if [ -n "$program" ] && ! command -v "$program" >/dev/null; then
			skip "  and $program reads it" "$program is not installed"
		elif [ "$format" = nagios ] && ! perl -MMonitoring::Plugin -e 1 2>/dev/null; then
			skip "  and Monitoring::Plugin reads it" "libmonitoring-plugin-perl is not installed"
		else
			works "  and ${program:-who is to read it} reads it" "reads_$format" "evil.$from"
		fi
	done
done
if perl -MMonitoring::Plugin -e 1 2>/dev/null; then
	"$plugin" -t 20 >out
	works "Monitoring::Plugin reads the performance data of the whole checklist" perfdata <out
fi

# What Checkmk's agent runs.
call "$root/dist/checkmk/tuesday"
t "the local check for Checkmk is one service" [ "$(grep -cE '^[0-3] "Tuesday" ' out)/$(grep -c . out)" = 1/1 ]

# The configuration for Telegraf, which Debian does not have, is TOML at least.
if python3 -c 'import tomllib' 2>/dev/null; then
	works "the configuration for Telegraf is TOML" python3 -c 'import sys, tomllib
with open(sys.argv[1], "rb") as file: assert tomllib.load(file)["inputs"]["file"][0]["data_format"] == "prometheus"' \
		"$root/dist/telegraf/tuesday.conf"
	sed 's/^# \(\[\[\|  \)/\1/' "$root/dist/telegraf/tuesday.conf" >telegraf.toml
	works "  with its other half too" python3 -c 'import sys, tomllib
with open(sys.argv[1], "rb") as file: assert tomllib.load(file)["inputs"]["exec"][0]["timeout"] == "55s"' telegraf.toml
else
	skip "the configuration for Telegraf is TOML" "this python3 has no tomllib"
fi
if command -v visudo >/dev/null; then
	works "visudo takes the line for sudo" visudo -c -f "$root/dist/nagios/sudoers"
else
	skip "visudo takes the line for sudo" "visudo is not installed"
fi
plan
