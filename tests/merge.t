#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does `tuesday merge` read whatever a fleet sends, say what is wrong with it, and make a page that a
# browser shows without asking anybody?
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"
export LC_ALL=C
unset NO_COLOR
for program in jq gzip; do
	if ! command -v "$program" >/dev/null; then
		echo "1..0 # SKIP needs the program $program"
		exit 0
	fi
done
work=$(mktemp -d /var/tmp/tuesday-merge.XXXXXX)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
tuesday=$BIN/tuesday

# report HOST VERDICT MODEL [MINUTE]: of two checks, disk with that verdict and a good cpu.
report() {
	local minute=${4:-30}

	printf '{"schema":"tuesday/1","version":"1","host":"%s","kernel":"6.1","boot_id":"%s","cpus":8,' \
		"$1" "$1"
	printf '"machine":{"disk_models":"%s"},"uptime_seconds":1000000.0,"time":"2026-11-20T05:%s:00Z",' \
		"$3" "$minute"
	printf '"verdict":"%s","checks":[{"check":"cpu","area":"cpu","verdict":"good","exonerated":true},' "$2"
	printf '{"check":"disk","area":"disk","verdict":"%s","exonerated":false,"summary":"sda slow",' "$2"
	printf '"culprits":[{"kind":"device","name":"sda"}]}]}\n'
}

says() {
	grep -q -- "$1" out
}

ends() {
	[ "$status" = "$1" ]
}

has() {
	jq -e "$1" out >/dev/null
}

quiet() {
	[ ! -s err ]
}

refuses() {
	[ "$status" = 64 ] && [ ! -s out ] && grep -q -- "$1" err
}

# One hundred hosts, of which three with model X are bad.
mkdir -p fleet/a/b
for i in $(seq 1 97); do
	report "web$i" good Y >"fleet/a/web$i.json"
done
report web98 bad X >fleet/a/b/web98.json
{
	report web99 bad X
	report web100 bad X
} >fleet/two.ndjson
gzip fleet/a/web1.json
echo notes >fleet/README

call "$tuesday" merge fleet
t "a folder is read, with what is below it, packed or not" says '^Tuesday on 100 hosts'
t "the exit status is that of the worst host" ends 2
t "nothing is said on standard error" quiet
t "who is accused is folded" says 'bad  *disk on 3 of 100: web\[98-100\]'
t "and what they share is said" says 'they share disk_models X: all 3, and none of the 97 that are good'
t "what is cleared everywhere is in the ledger" says '^It is not: *cpu$'
t "the type is derived anew" says '^Type:  *major (disk is bad on all 3 hosts of disk_models .X.)'
call "$tuesday" merge fleet -o json
t "as JSON too" has '.schema == "tuesday-merge/1" and .verdict == "bad" and .hosts.bad == 3 and
	(.matrix | length) == 100 and .checks[0].shared[0].value == "X" and .checks[0].shared[0].significant'
cat fleet/a/*.json fleet/a/b/*.json fleet/two.ndjson >all.ndjson
"$tuesday" merge - <all.ndjson >out 2>err
status=$?
t "standard input is read" says '^Tuesday on 99 hosts'
call "$tuesday" merge fleet/a/web2.json fleet/a/web3.json
t "good hosts end with 0" ends 0
t "and say so" says 'Nothing is accused on any host'

# Who is missing, late, or twice.
seq -f 'web%g' 1 102 >hosts
call "$tuesday" merge fleet --hosts hosts
t "the missing are named" says '^Missing: *web\[101-102\]'
call "$tuesday" merge fleet/a/web2.json --hosts hosts
t "with hosts missing nothing is good" ends 3
report web5 maybe Y 59 >new.json
call "$tuesday" merge fleet new.json
t "the newer report of a host counts" says 'maybe  *disk on\|and maybe on 1 more'
t "and the older is counted" says '^Left out: *1 older'
sed 's/2026-11-20/2026-10-20/' fleet/two.ndjson >late.ndjson
call "$tuesday" merge fleet/a late.ndjson --stale 2d
t "the stale are named" says '^Stale: *web\[99-100\]'

# What is no report.
echo '{"schema":"tuesday/9","host":"x","verdict":"good"}' >fleet/new.json
head -c 200 fleet/a/web7.json >fleet/cut.json
echo 'scp: no such file' >fleet/error.json
: >fleet/empty.json
call "$tuesday" merge fleet
t "four files are refused" says ', 4 refused$'
t "each is named with its reason" grep -q 'fleet/cut.json: it breaks off' err
t "in the report too" says '^Refused: *fleet/cut.json: it breaks off'
rm fleet/new.json fleet/cut.json fleet/error.json fleet/empty.json
mkfifo fleet/pipe.json
call "$tuesday" merge fleet
t "a pipe in a folder is not waited for" says ', 1 refused$'
rm fleet/pipe.json
call "$tuesday" merge nowhere
t "a file that is not there ends with 3" ends 3
call "$tuesday" merge
t "without a report it is misuse" refuses 'name reports'
call "$tuesday" merge fleet --label rack
t "a label without a host is misuse" refuses 'label'
call "$tuesday" merge fleet --stale never
t "so is a time that is none" refuses 'stale'

# Who may speak for a host: what another one sends hides nothing.
mkdir claims
report victim bad X 30 >claims/victim.json
report victim good X 31 | jq -c 'del(.boot_id)' >claims/attacker.json
call "$tuesday" merge claims
t "a report without a boot id hides nobody's" ends 2
t "two files that claim a host are named" \
	says '^Conflicts: *two files claim victim: claims/attacker.json and claims/victim.json$'
report victim good X 59 | jq -c '.boot_id = "other" | .uptime_seconds = 60.0' >claims/attacker.json
call "$tuesday" merge claims --html page.html
t "nor does one that tells of a new boot" ends 2
t "  of one machine, as far as is known" says '^Tuesday on 1 host,'
t "the page names the conflict" grep -q 'two files claim victim: claims/attacker.json and' page.html
call "$tuesday" merge claims -o json
t "as JSON does" has '.reports | .conflicts_count == 1 and .conflicts[0].host == "victim" and
	.conflicts[0].files == ["claims/attacker.json", "claims/victim.json"]'
for i in 1 2 3; do
	report "h$i" bad X | sed 's/2026-11-20/2026-11-10/' >"claims/h$i.json"
done
for i in $(seq 1 40); do
	report "x$i" good X
done >claims/many.ndjson
rm claims/victim.json claims/attacker.json
call "$tuesday" merge claims
t "one file with many reports makes nobody stale" ends 2

# A collector that names files or folders after hosts vouches for them.
mkdir -p named sorted/web1 sorted/web2
report web1 bad X 30 >named/web1.json
report web1 good X 59 >named/web2.json
call "$tuesday" merge named
t "who knows a host's boot can speak for it" ends 0
call "$tuesday" merge named --host-from file
t "but not where files are named after hosts" ends 2
t "  and what says otherwise is refused" grep -q 'named/web2.json: the file is not named after the host' err
report web2.example.net good X 30 | gzip >named/web2.json.gz
rm named/web2.json
call "$tuesday" merge named --host-from file
t "a name with its domain is the same name" says '^Tuesday on 2 hosts'
report web1 bad X 30 >sorted/web1/1.json
report web1 good X 40 | jq -c '.boot_id = "next"' >sorted/web1/2.json
report web1 bad X 59 >sorted/web2/web1.json
call "$tuesday" merge sorted --host-from folder
t "of a folder that is named after its host the newest counts, whatever the boot" says ' 1 refused$'
t "  and nothing is accused" says 'Nothing is accused on any host'
call "$tuesday" merge named/web1.json --host-from folder
t "a file in no folder is refused then" ends 3

# What hostile files cost: they are refused and counted, and the others are told of.
report web1 bad X >bombs.json
yes '{' | head -n 200000 >braces.json
call "$tuesday" merge bombs.json braces.json
t "400 kB of braces are 22 lines on standard error" test "$(wc -l <err)" -le 22
t "  all of them counted" says ', 100001 refused$'
jq -nr '"{\"schema\":\"tuesday/1\",\"host\":\"a\(range(2))\",\"verdict\":\"good\",\"checks\":[" +
	([range(1000)] | map("{\"check\":\"c\(.)x\",\"verdict\":\"good\"}") | join(",")) + "]}",
	"{\"schema\":\"tuesday/1\",\"host\":\"h\(range(60000))\",\"verdict\":\"good\"}"' | gzip >bomb.json.gz
# 64 MiB of address space for the program, what it reads and 60,000 hosts.
(
	ulimit -v 98304
	timeout 20 "$tuesday" merge bombs.json bomb.json.gz -o json >out 2>err
)
status=$?
t "60,000 small reports behind one of 1,000 checks fit into 96 MiB" ends 2
{
	report web2 good X
	head -c 64M /dev/zero | tr '\0' ' '
} | gzip -1 >blanks.json.gz
call "$tuesday" merge bombs.json blanks.json.gz
t "what unpacks to more than 100 times its size is refused" grep -q 'blanks.json.gz: it unpacks to more than 100 times' err
t "  and the others count" ends 2

# cost FILE: the CPU seconds that its merge takes, the least of three times.
cost() {
	local TIMEFORMAT='%U %S'

	for _ in 1 2 3; do
		{ time "$tuesday" merge "$1" -o json >/dev/null 2>&1; } 2>&1
	done | awk '{ cost = $1 + $2 } NR == 1 || cost < least { least = cost } END { print least }'
}
# boots N: as many machines of one name.
boots() {
	jq -nr --argjson n "$1" 'range($n) | "{\"schema\":\"tuesday/1\",\"host\":\"h\",\"boot_id\":\"b\(.)\"," +
		"\"time\":\"2026-11-20T05:00:00Z\",\"uptime_seconds\":1000000.0,\"verdict\":\"good\"}"'
}
boots 5000 >few.json
boots 20000 >many.json
few=$(cost few.json) many=$(cost many.json)
t "four times the namesakes cost $many s after $few s, at most six times as much" \
	awk -v a="$few" -v b="$many" 'BEGIN { exit !(b <= 6 * a || b < 0.1) }'

# Labels.
call "$tuesday" merge fleet --label 'rack=R1:web98,web99,web100' --label 'rack=R2:web?,web[1-8]?'
t "labels of the command line are compared" says 'rack'
printf 'host,row\nweb98,7\nweb99,7\nweb100,7\nweb[1-9],8\n' >labels.csv
call "$tuesday" merge fleet --labels labels.csv -o json
t "those of a CSV file too" has '[.matrix[] | select(.host == "web98")][0].labels.row == "7"'
printf '[web98]\nrow = 9\n' >labels.ini
call "$tuesday" merge fleet --labels labels.ini -o json
t "and of an INI file" has '[.matrix[] | select(.host == "web98")][0].labels.row == "9"'
printf '[web98\nrow = 9\n' >labels.ini
call "$tuesday" merge fleet --labels labels.ini
t "a file of labels that is wrong ends with 3" ends 3
t "and says in which line" grep -q 'labels.ini:1' err

# As an ordinary user, and into a closed pipe.
chmod -R a+rX "$work"
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	cp "$tuesday" copy
	call setpriv --reuid=65534 --clear-groups ./copy merge fleet
	t "an ordinary user can merge" ends 2
fi
"$tuesday" merge fleet -v | head -n 1 >out
t "head gets its line" says '^Tuesday on 100'

# The page.
call "$tuesday" merge fleet --html page.html
t "the page is written beside the text" test -s page.html
"$tuesday" merge fleet --html - >out 2>err
without_nonce() {
	sed -E "s/nonce([-=]\"?)[0-9a-f]+/nonce/g" "$1"
}
t "- is standard output, for the page alone" cmp <(without_nonce out) <(without_nonce page.html)
t "both have the signs that the history has" test "$(grep -c '^\. good  ~ maybe  # bad  ? unknown' <("$tuesday" merge fleet))$(
	grep -c '<b>#</b> bad' page.html)" = 11
# Within a host: bad before maybe before unknown.
is "$(sed -n '/id="data"/,$p' page.html | grep -oE '\],\[([0-9]+,[0-9]+,[0-9]+,[0-9]+,?)+\]\]' |
	perl -ne 's/.*,\[//; s/\].*//; my @f = split /,/; my @v = map { (9, 1, 0, 2)[$f[4 * $_ + 1]] } 0 .. @f / 4 - 1;
		print "wrong\n" if join(",", @v) ne join(",", sort @v)' | wc -l)" 0 "what a host is accused of has the worst first"
t "it names no other place" sh -c '! grep -Eo "(src|href)=\"[^#\"]*\"|https?://|@import|url\(" page.html'
if command -v chromium >/dev/null; then
	chrome() {
		timeout 60 chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
			--disable-background-networking --disable-component-update --disable-sync \
			--user-data-dir="$work/chrome" "$@" 2>err
	}
	report '<script>document.title=1</script>' bad X >fleet/evil.json
	"$tuesday" merge fleet --html page.html >/dev/null 2>&1
	chrome --dump-dom "file://$work/page.html" >out
	status=$?
	t "a browser shows it and runs its script" says '1 to 50 of 101, the worst first'
	t "fifty rows stand in it, not all hosts" test "$(grep -o '<summary>labels' out | wc -l)" = 50
	t "a hostile name stays text" says '&lt;script&gt;document.title=1&lt;/script&gt;'
	t "and does nothing" says '<title>Tuesday: bad on 101 hosts</title>'
else
	skip "a browser shows the page" "chromium is not installed"
fi
plan
