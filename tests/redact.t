#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does a redacted recording give away any name or address, and does it still give the same verdicts?
# Names are planted wherever somebody could choose one, recorded with and without --redact, and looked
# for in every byte: without --redact they must be found, or the plant was none.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
needs jq unshare ip perl
if [ -z "${PLANTED:-}" ]; then
	# Host, network and mounts of our own, so that nothing planted is anybody else's.
	PLANTED=1 exec unshare -u -n -m "$0"
fi
begin
cd "$scratch" || exit 1
tuesday=$BIN/tuesday

# same ONE TWO SENTENCE: two reports have the same verdicts, metrics and values; no two that have none.
# shellcheck disable=SC2016
essence='def essence: [.checks[] | {check, verdict, tier, idle, exonerated,
	metrics: [.metrics[] | {name, value, verdict}]}];'
same() {
	jq "$essence essence" "$1" >one.essence
	jq "$essence essence" "$2" >two.essence
	if jq -e 'length > 0' one.essence >/dev/null 2>&1 && diff one.essence two.essence >difference; then
		pass "$3"
	else
		fail "$3"
		head -n 20 difference | why
	fi
}

# Planting

hostname=qhost7zulu
comm=qcomm7zulu
argument=qargument7zulu
group=qgroup7zulu
interface=qif7zulu
namespace=qnetns7zulu
point=qpoint7zulu
label=qlabel7zulu
path=qsocket7zulu
program=qprogram7zulu
plugin=qplugin7zulu
# An address with something glued to it, as mounts have it, of which nothing else is made up.
glued=(198.51.100.33@o2ib:/one 198.51.100.33:/two 198.51.100.33:2049 198.51.100.33/24 '[2001:db8:33::44]:/three'
	198.51.100.33@tcp:/work tcp@198.51.100.33 198.51.100.33-198.51.100.34 198.51.100.33..198.51.100.34
	198.51.100.33_22 ip-198-51-100-33 198-51-100-33 gre-198.51.100.33 br-198.51.100.33 v198.51.100.33
	3325256737 2001:db8:33::44_22 gre-2001:db8:33::44 fe80::5054:ff:fe33:4455%eth0)
# What would tell these addresses.
glued_addresses=(198.51.100.33 198.51.100.34 198-51-100-33 198_51_100_33 3325256737 db8:33 fe33:4455)
ipv4=203.0.113.77
ipv6=2001:db8:77:66:55::88

hostname "$hostname"
ip link set lo up
ip link add "$interface" type veth peer name "${interface}b" || bail "cannot make a veth"
ip addr add "$ipv4/24" dev "$interface"
ip -6 addr add "$ipv6/64" dev "$interface" nodad
ip link set "$interface" up
mount -t tmpfs none /run
mkdir /run/netns
ip netns add "$namespace"
mkdir "$scratch/$point"
mount -t tmpfs "$label" "$scratch/$point"
undo umount "$scratch/$point"
for i in "${!glued[@]}"; do
	mkdir "$scratch/mount$i"
	mount -t tmpfs "${glued[i]}" "$scratch/mount$i" || bail "cannot mount ${glued[i]}"
	undo umount "$scratch/mount$i"
done
root_of_groups=$(v1_root memory || v2_root memory) || bail "no cgroups with the memory controller"
mkdir "$root_of_groups/$group" || bail "cannot make a cgroup"
undo rmdir "$root_of_groups/$group"
mkdir "$root_of_groups/$group/1234567"
undo rmdir "$root_of_groups/$group/1234567"
cat >listener <<'END'
use Socket;
my ($ipv4, $ipv6, $path, $comm) = @ARGV;
socket(A, PF_INET, SOCK_STREAM, 0) && bind(A, sockaddr_in(7777, inet_aton($ipv4))) && listen(A, 5)
	or die "ipv4: $!";
socket(B, PF_INET6, SOCK_STREAM, 0) &&
	bind(B, sockaddr_in6(7778, Socket::inet_pton(AF_INET6, $ipv6))) && listen(B, 5)
	or die "ipv6: $!";
socket(C, PF_UNIX, SOCK_STREAM, 0) && bind(C, sockaddr_un($path)) && listen(C, 5)
	or die "unix: $!";
open(F, ">", "/proc/self/comm") && print(F $comm) && close(F);
$| = 1;
print "ready\n";
sleep 1000;
END
start listener in_cgroup "$root_of_groups/$group" perl listener "$ipv4" "$ipv6" "$scratch/$path" \
	"$comm" "$argument"
cat >"$plugin" <<END
#!/bin/sh
echo "WARNING - $label of $plugin is full | $point=5;3;9"
exit 1
END
chmod 755 "$plugin"
mkdir checks
printf '%s\n' '[check]' 'question = q?' 'area = a' "exec = $scratch/$plugin" >checks/planted.ini

# Recording

mapfile -t checks < <("$tuesday" list | awk '{ print $1 }')
# All at once, since most of it is waiting.
recorders=()
"$tuesday" record plain "${checks[@]}" planted -c checks --quick --deep -o json --to plain.json \
	>/dev/null 2>&1 </dev/null &
recorders+=($!)
"$tuesday" record hidden "${checks[@]}" planted -c checks --quick --deep --redact -o json \
	--to hidden.json >/dev/null 2>&1 </dev/null &
recorders+=($!)
for how in --redact ""; do
	# shellcheck disable=SC2086
	"$tuesday" record "command$how" $how --no-trace cpu --while sh -c "sleep 0.3; : $program" \
		>/dev/null 2>&1 &
	recorders+=($!)
done
wait "${recorders[@]}"
"$tuesday" redact plain copied >out 2>&1
is "$?" 0 "a recording is copied"

names=(hostname comm group interface namespace point path label)
for name in "${names[@]}"; do echo "${!name}"; done >names
printf '%s\n' "${glued_addresses[@]}" >addresses

# names_in DIR: which planted names are in files and in their names there.
names_in() {
	(grep -raoihFf names "$1"; find "$1" | grep -aoiFf names) | tr '[:upper:]' '[:lower:]' | sort -u
}
names_in plain >planted
awk '{ print $(NF - 1) }' plain/0/proc/self/mountinfo >sources
for form in "${glued[@]}"; do
	is "$(grep -cxF -- "$form" sources)" 1 "$form was planted"
done
for recording in hidden copied; do
	names_in "$recording" >found
	for name in "${names[@]}"; do
		is "$(grep -cFx "${!name}" planted) $(grep -cFx "${!name}" found)" "1 0" \
			"the $name was planted and is not in the $recording recording"
	done
	is "$(find plain -name '1234567' | wc -l | sed 's/[1-9][0-9]*/some/') $(find "$recording" -name '1234567')" \
		"some " "nor is a cgroup of digits, of which there are some"
	# Addresses as text, as /proc/net has them, and as bytes in either order.
	found=
	for pattern in '203\.0\.113\.77' 4D7100CB cb00714d '\xcb\x00\x71\x4d' '\x4d\x71\x00\xcb' \
		'2001:db8:77:66:55::88' B80D0120 '\x20\x01\x0d\xb8\x00\x77'; do
		grep -raqiP "$pattern" "$recording" && found="$found $pattern"
	done
	is "$found" "" "no address is in the $recording recording"
	is "$(grep -raohFf addresses "$recording" | sort -u)" "" "nor is one that is glued to something"
done
is "$(grep -rac '203\.0\.113\.77' plain | grep -cv ':0$')" \
	"$(find plain -name @listen | wc -l)" "the address was planted"
is "$(grep -raF "$program" command | wc -l | sed 's/[1-9][0-9]*/some/') $(grep -raF "$program" command--redact)" \
	"some " "the command that was watched is not in its recording, unless nothing is redacted"
is "$(grep -raF "$plugin" plain | wc -l | sed 's/[1-9][0-9]*/some/') $(grep -raF "$plugin" hidden)" "some " \
	"nor is what a plugin says"

# The same words are the same words.
is "$(find hidden/0 -path '*cgroup*' -name 'x*' | sed 's,.*/,,' | sort -u | wc -l)" \
	"$(find hidden -path '*cgroup*' -name 'x*' | sed 's,.*/,,' | sort -u | wc -l)" \
	"a name is replaced by the same word in every sample"
one=$(sed -n 's/^host //p' hidden/environment)
two=$(sed -n 's/^host //p' copied/environment)
t_different() {
	[ -n "$1" ] && [ -n "$2" ] && [ "$1" != "$2" ]
}
works "and by another in another recording" t_different "$one" "$two"

# Verdicts

"$tuesday" run --replay hidden "${checks[@]}" planted -c checks --deep -o json >replayed.json 2>err
same hidden.json replayed.json "a redacted recording gives the verdicts that the run gave"
"$tuesday" run --replay copied "${checks[@]}" planted -c checks --deep -o json >replayed.json 2>err
same plain.json replayed.json "and so does a redacted copy"
is "$(jq -r '.checks[] | select(.check == "planted") | .metrics[0].value' replayed.json)" 5 \
	"a plugin's numbers are there"

# The recorded machines, all at once: each has the verdicts redacted that it has as it is.
replay=$root/tests/replay
# Forty thousand small files.
mkdir machines
mount -t tmpfs -o size=1g none machines && undo umount -l "$scratch/machines"
"$replay/unpack" "$scratch/machines"

# Every file that any of them has, with addresses in it that nobody else has.
cat >plant <<'END'
use File::Find;
my (%has, @planted);
find({no_chdir => 1, wanted => sub {
	my ($path) = m,^machines/[^/]+/0/(.+), or return;
	return if -d || $has{$path}++ || -z || $path =~ m,^(time|\@task|\@inotify|\@package-.*|.*\@(error|age))$,;
	my $i = @planted;
	my @v4 = (172, 16 + $i % 16, 1 + int($i / 16) % 250, 1 + int($i / 4000));
	my $dot = join ".", @v4;
	my $dash = join "-", reverse @v4;
	my $six = sprintf "2001:db8:%x:%x::%x", $i + 4096, $i + 4096, $i + 4096;
	my $card = sprintf "52:54:%02x:%02x:%02x:%02x", $i >> 8, $i & 255, $i & 255, $i >> 8;
	push @planted, [$dot, $dash, $six, $card];
	open my $in, "<", $_ or die "$_: $!";
	my $content = do { local $/; <$in> };
	(my $to = "corpus/0/$path") =~ s,/[^/]*$,,;
	system("mkdir", "-p", $to) unless -d $to;
	open my $out, ">", "corpus/0/$path" or die "$path: $!";
	print $out $content, "gre-$dot\@tcp x${dash}_22 a$six-b [$six]:80 if-$card\n";
}}, "machines");
open my $list, ">", "planted" or die;
print $list map { "$_\n" } map { @$_ } @planted;
open my $time, ">", "corpus/0/time" or die;
print $time "1\n";
open my $environment, ">", "corpus/environment" or die;
print $environment "host x\n";
END
perl plant
"$tuesday" redact corpus corpus.redacted >out 2>&1
is "$?" 0 "every file of every machine is copied"
is "$(($(wc -l <planted) > 3000)) $(grep -raohFf planted corpus | sort -u | wc -l)" "1 $(sort -u planted | wc -l)" \
	"thousands of addresses were planted in them"
is "$(grep -raohFf planted corpus.redacted | sort -u | head -n 5)" "" "none of them is left"
is "$(find corpus.redacted -type f | wc -l)" "$(find corpus -type f | wc -l)" "and no file was left out"

find machines -mindepth 1 -maxdepth 1 -type d -print0 |
	xargs -0 -P "$(nproc)" -I{} "$tuesday" redact {} {}.redacted >/dev/null 2>&1
"$replay/judge" "$tuesday" "$scratch/machines" "$scratch/one"
"$replay/judge" "$tuesday" "$scratch/machines" "$scratch/two" .redacted
for machine in one two; do
	# shellcheck disable=SC2033
	(cd $machine && find . -type f ! -name '*.err' -size +0 -print0 |
		xargs -0 jq -c "$essence"'"\(input_filename) \(essence)"') | sort >machines.$machine
done
declare -A alike
while read -r name; do
	alike[$name]=1
done < <(awk 'NR == FNR { one[$1] = $0; next }
	one[$1] == $0 && $2 ~ /^\[\{/ { print substr($1, 4) }' machines.one machines.two)
for name in "$replay"/*.expected; do
	name=${name##*/}
	name=${name%.expected}
	if [ -n "${alike[$name]:-}" ]; then
		pass "$name, redacted, replays to the same"
	else
		fail "$name, redacted, replays to the same"
		same "one/$name" "two/$name" "$name"
	fi
done

# What is no recording

"$tuesday" redact nowhere there >out 2>err
is "$?" 3 "what is not there is not copied"
"$tuesday" redact plain hidden >out 2>err
is "$?" 3 "nothing is mixed with what is there"
"$tuesday" redact plain >out 2>err
is "$?" 64 "two directories are wanted"
mkdir -p odd/0/proc
echo 1 >odd/0/time
echo "host x" >odd/environment
ln -s /etc/passwd odd/0/proc/stat
"$tuesday" redact odd odd.redacted >out 2>err
is "$?" 3 "a recording with a link in it is refused"
printf 'a\0b' >odd/0/@unknown
rm odd/0/proc/stat
"$tuesday" redact odd odd2.redacted >out 2>err
is "$(cat out)" "1 files, 1 left out" "what has no form that is known is left out, and that is said"

stop listener
plan
