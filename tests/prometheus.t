#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Does a fault get from a run of Tuesday to somebody's pager, and is it called off again: through the real
# node_exporter, Prometheus and Alertmanager, with the rules and the dashboard that are shipped? They run
# in a network namespace of their own, with intervals of a second.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
needs ip jq curl python3
for program in promtool prometheus prometheus-node-exporter prometheus-alertmanager amtool; do
	command -v "$program" >/dev/null || skip_all "$program is not installed"
done
begin
shipped=$root/dist/prometheus
at=tuesday-prom-$$
work=$scratch
cd "$work" || exit 1
export TUESDAY_HISTORY_INI=$work/history.ini TUESDAY_RUN_DIR=$work/rundir TUESDAY_JOURNAL_SOCKET=$work/nowhere
: >history.ini

works "promtool takes the rules" promtool check rules "$shipped/tuesday.rules.yml"
call promtool test rules "$root/tests/monitoring/rules.yml"
t "and each alert fires when it should and at no other time" [ "$status" = 0 ]
works "amtool takes the routes and inhibitions" amtool check-config "$shipped/alertmanager.yml"
works "promtool takes the configuration" promtool check config --syntax-only "$shipped/prometheus.yml"

# A machine with a disk of an evil name, which counts errors, and a second check that somebody has muted.
evil=$'sd\e[31ma"} 1\ntuesday_check_state{check="cpu",state="bad"} 1\n# \\\xff|;\'{'
# Ten seconds after the one before, however soon that was.
moment=0
machine() {
	local sample

	moment=$((moment + 10))
	rm -rf rec
	for sample in 0 1; do
		mkdir -p "rec/$sample/sys/block/$evil" rec/$sample/proc/sys/kernel/random
		echo "$1" >"rec/$sample/sys/block/$evil/errors"
		echo boot-1 >rec/$sample/proc/sys/kernel/random/boot_id
		echo $(((100000 + moment + sample) * 1000000000)) >rec/$sample/time
	done
	printf 'host we\e[1mb7\nkernel 6.1.0\ncpus 4\ntime %s\n' "$(date +%s)" >rec/environment
}
# define CHECK CLASS
define() {
	cat >"checks/$1.ini" <<-END
		[check]
		question = Does it err?
		area = disk
		[metric new_count]
		value = delta(/sys/block/*/errors)
		class = $2
		bad = > 0
		maybe = > 0
		source = a book
		say = {instance} had {value} errors
		why = because
		however = nothing
	END
}
run() {
	timeout 20 "$BIN/tuesday" run errors other -c checks --replay rec --cron --state state -o prometheus \
		--to textfile/tuesday.prom >out 2>err </dev/null
	status=$?
}
mkdir checks textfile prometheus-data alertmanager-data
define errors error
define other harm
machine 0
run
t "a run from cron writes the file, in silence" [ -s textfile/tuesday.prom ] && [ ! -s out ] && [ "$status" = 0 ]
works "promtool takes what is written" promtool check metrics <textfile/tuesday.prom

# at_intervals_of_a_second FILE: one of those that are shipped. A first alert waits for those that silence
# it, also where Prometheus has to wait for a CPU.
at_intervals_of_a_second() {
	sed -E "s#/usr/local/share/tuesday/prometheus#$work#
		s/^( *group_wait:) .*/\1 5s/
		s/^( *(for|scrape_interval|evaluation_interval|group_interval):) .*/\1 1s/" "$shipped/$1" >"$1"
}
for file in tuesday.rules.yml prometheus.yml alertmanager.yml; do
	at_intervals_of_a_second "$file"
done
sed -i -E "s#^  - name: ([a-z-]*)\$#&\n    webhook_configs: [{url: 'http://127.0.0.1:9095/\1', send_resolved: true}]#" alertmanager.yml
new_netns "$at"
# serve NAME PORT COMMAND...: until it says that it is ready.
serve() {
	local port=$2

	# shellcheck disable=SC2016
	start "$1" in_netns "$at" sh -c 'echo ready; exec "$@"' sh "${@:3}"
	for _ in {1..100}; do
		asked "http://127.0.0.1:$port/-/ready" >/dev/null && return
		asked "http://127.0.0.1:$port/metrics" >/dev/null && return
		sleep 0.1
	done
	bail "$1 does not answer: $(tail -n 3 "$scratch/$1.err")"
}
asked() {
	ip netns exec "$at" curl -fsS --max-time 5 "$@" 2>/dev/null 8>&-
}
: >told
start receiver in_netns "$at" python3 "$root/tests/monitoring/receiver.py" 9095 "$work/told"
serve exporter 9100 prometheus-node-exporter --collector.disable-defaults --collector.textfile \
	--collector.textfile.directory="$work/textfile" --web.listen-address=127.0.0.1:9100

# What the collector shows is what the file has, and nobody reads half a file.
samples() {
	grep -c '^tuesday_'
}
is "$(asked http://127.0.0.1:9100/metrics | samples)" "$(samples <textfile/tuesday.prom)" \
	"node_exporter shows every sample of the file"
# The timer's command, of the whole checklist, with what the service may and no more.
command=$(sed -n "s#^ExecStart=/usr/local/bin/#$BIN/#; s#/var/lib/prometheus/node-exporter#$work/textfile#p" \
	"$shipped/tuesday.service.conf")
read -ra command <<<"$command --quick --no-trace --state $work/timer"
(
	umask 027
	exec setpriv --no-new-privs --bounding-set=-all,+dac_read_search,+sys_ptrace,+sys_admin,+bpf,+perfmon,+syslog \
		"${command[@]}" >out 2>err 8>&-
)
is "$? $(stat -c %a textfile/tuesday.prom)" "0 644" "the timer's command works with the rights of the service"
t "  on the whole checklist" [ "$(grep -c '^tuesday_check_state{.*good' textfile/tuesday.prom)" -gt 30 ]
works "promtool takes the whole checklist" promtool check metrics <textfile/tuesday.prom
is "$(asked http://127.0.0.1:9100/metrics | samples)" "$(samples <textfile/tuesday.prom)" \
	"and node_exporter shows every sample of that"
mkdir healthy
tar -xzf "$root/tests/replay/healthy.tar.gz" -C healthy --no-same-owner
run_again() {
	"$BIN/tuesday" run cpu disk memory net --replay "$work/healthy" -o prometheus --to textfile/tuesday.prom
}
run_often() {
	while [ ! -e enough ]; do
		run_again
	done
}
run_again
run_often 8>&- &
writer=$!
wanted=$(asked http://127.0.0.1:9100/metrics | samples)
broken=0
for _ in {1..40}; do
	asked http://127.0.0.1:9100/metrics >page
	grep -q '^node_textfile_scrape_error 0$' page && [ "$(samples <page)" = "$wanted" ] || broken=$((broken + 1))
done
touch enough
wait "$writer"
is "$broken $((wanted > 10))" "0 1" "who reads while it is written has the old one or the new one"
is "$(find textfile -type f ! -name tuesday.prom | wc -l)" 0 "and nothing else is left there"

# A fault, from the check to the receiver. Of the whole checklist nobody is told, since this machine may have
# something.
machine 0
run
serve alertmanager 9093 prometheus-alertmanager --config.file=alertmanager.yml \
	--storage.path="$work/alertmanager-data" --web.listen-address=127.0.0.1:9093 --cluster.listen-address=
serve prometheus 9090 prometheus --config.file=prometheus.yml --storage.tsdb.path="$work/prometheus-data" \
	--web.listen-address=127.0.0.1:9090
# answers EXPRESSION: how many series Prometheus has for it now.
answers() {
	asked -G http://127.0.0.1:9090/api/v1/query --data-urlencode "query=$1" |
		jq -e 'if .status == "success" then .data.result | length else -1 end'
}
has_series() {
	[ "$(answers "$1")" -gt 0 ] 2>/dev/null
}
# told_of STATUS RECEIVER ALERT
told_of() {
	jq -e --slurp --arg status "$1" --arg receiver "$2" --arg alert "$3" \
		'any(.[]; .status == $status and .receiver == $receiver and .labels.alertname == $alert)' told >/dev/null
}
works "Prometheus has the lights by way of node_exporter" \
	until_true 30 has_series 'tuesday_check_state{check="errors",state="good"} == 1'
is "$(wc -l <told)" 0 "while all is good nobody is told anything"
"$BIN/tuesday" mute other -c checks --for 2h --state state --reason "a new cable" >/dev/null
machine 5
run
t "cron tells of the fault" grep -q 'errors' out
works "the event fires in Prometheus" \
	until_true 30 has_series 'ALERTS{alertname="TuesdayEvent",alertstate="firing",check="errors",state="bad"}'
kind=$(sed -n 's/^tuesday_report_type_info{type="\([^"]*\)".*} 1$/\1/p' textfile/tuesday.prom)
case $kind in
major) who=everybody ;;
*) who=on-call ;;
esac
works "and somebody is told of the incident: $who, since it is $kind" until_true 40 told_of firing "$who" TuesdayIncident
is "$(jq -r --slurp '[.[] | select(.labels.alertname == "TuesdayIncident")][0].labels.incident_type' told)" "$kind" \
	"with its type as a label to route by"
works "and of what, and what to do about it" \
	jq -e --slurp 'any(.[]; .annotations.description | test("Bad: .*errors.*tuesday"))' told
sleep 2
is "$(jq -r --slurp '[.[] | select(.labels.alertname != "TuesdayIncident")] | length' told)" 0 \
	"the alerts of its checks are inhibited"
is "$(answers 'ALERTS{check="other"}')" 0 "a check that is muted raises none"

# Every question of the dashboard is put to Prometheus, in the middle of the incident.
dashboard=$root/dist/grafana/tuesday.json
# shellcheck disable=SC2016
works "the dashboard has the shape of one" jq -e '
	(.title | length > 0) and (.uid | test("^[a-z-]{1,40}$")) and .schemaVersion >= 36 and
	([.panels[].id] | length == (unique | length)) and
	([.panels[] | select(.type != "row") | .type] - ["stat", "state-timeline", "bargauge", "table", "timeseries"] == []) and
	all(.panels[]; .gridPos | .x + .w <= 24 and .w > 0 and .h > 0) and
	all(.panels[] | select(.type != "row"); (.title | length > 0) and (.description | length > 0) and
		(.targets | length > 0) and all(.targets[]; .datasource.uid == "${datasource}" and (.refId | test("^[A-Z]$")))) and
	([.templating.list[].name] as $known | [.. | .expr? // empty | scan("\\$([a-z]+)")[]] - $known == [])' "$dashboard"
filled() {
	# shellcheck disable=SC2016
	sed 's/\$instance/.+/g; s/\$check/errors/g; s/\$metric/.+/g'
}
while read -r expression; do
	works "the dashboard's query has an answer: $expression" has_series "$expression"
done < <(jq -r '(.panels[] | .targets[]?.expr), .annotations.list[].expr' "$dashboard" | filled)
has_label() {
	# shellcheck disable=SC2016
	asked -G http://127.0.0.1:9090/api/v1/series --data-urlencode "match[]=$1" |
		jq -e --arg key "$2" '[.data[][$key] // empty] | length > 0'
}
while read -r series label; do
	works "and its variable has a value: $label of $series" has_label "$series" "$label"
done < <(jq -r '.templating.list[] | select(.type == "query").query.query' "$dashboard" | filled |
	sed -n 's/^label_values(\(.*\), \([a-z]*\))$/\1 \2/p')

# And it is over.
for _ in 1 2; do
	machine 5
	run
done
works "when it is good again, it is called off" until_true 40 told_of resolved "$who" TuesdayIncident

# What must not come from outside: of the evil disk nothing is a label, and nothing forged a sample.
is "$(answers 'tuesday_check_state{check="cpu"}')" 0 "an evil name of a disk forges no series"
echo 'wrong{' >textfile/other.prom
works "a file that another program broke is seen" until_true 30 has_series 'ALERTS{alertname="TuesdayFileRefused",alertstate="firing"}'
plan
