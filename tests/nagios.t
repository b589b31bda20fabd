#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Do the real Nagios, Icinga and NRPE run Tuesday by the configurations that are shipped, see its verdict,
# and tell somebody once?
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
needs ip jq
begin
cd "$scratch" || exit 1
chmod 755 "$scratch"
export TUESDAY=$scratch/tuesday

# A checklist of which one check is bad, and the others are not asked twice; ordinary users may run it.
mkdir rec plugins
tar -xzf "$root/tests/replay/listen.tar.gz" -C rec --no-same-owner
cp "$BIN/tuesday" real
cat >tuesday <<END
#!/bin/sh
shift
exec "$scratch/real" run --replay "$scratch/rec" "\$@"
END
chmod -R a+rX .
chmod 755 tuesday real
# As for who is not root: for root it runs no program of the environment's.
sed 's/^uid=.*/uid=1/' "$root/dist/nagios/check_tuesday" >plugins/check_tuesday
chmod 755 plugins/check_tuesday
call plugins/check_tuesday
t "the recording is a bad one" grep -q "^TUESDAY CRITICAL: 1 bad (listen), " out
# Here the tests are root, and sudo asks nobody.
without_sudo() {
	sed 's#/usr/bin/sudo -n ##; s#"/usr/bin/sudo", "-n", ##' "$1"
}
# end_well NAME: it ends its own workers.
end_well() {
	kill -TERM "${started[$1]}"
	for _ in {1..100}; do
		kill -0 "${started[$1]}" 2>/dev/null || break
		sleep 0.1
	done
	stop "$1"
}

if command -v nagios4 >/dev/null; then
	mkdir -p nagios/cfg nagios/results
	without_sudo "$root/dist/nagios/tuesday.cfg" >nagios/cfg/tuesday.cfg
	# Its minutes are seconds here.
	cat >nagios/nagios.cfg <<-END
		log_file=$scratch/nagios/log
		cfg_dir=$scratch/nagios/cfg
		resource_file=$scratch/nagios/resource.cfg
		object_cache_file=$scratch/nagios/objects.cache
		precached_object_file=$scratch/nagios/objects.precache
		status_file=$scratch/nagios/status.dat
		status_update_interval=1
		nagios_user=root
		nagios_group=root
		command_file=$scratch/nagios/cmd
		check_external_commands=0
		lock_file=$scratch/nagios/lock
		temp_file=$scratch/nagios/tmp
		temp_path=$scratch/nagios
		check_result_path=$scratch/nagios/results
		state_retention_file=$scratch/nagios/retention.dat
		query_socket=$scratch/nagios/qh
		illegal_macro_output_chars=\`~\$&|'"<>
		use_syslog=0
		interval_length=1
	END
	# shellcheck disable=SC2016
	echo '$USER1$='"$scratch/plugins" >nagios/resource.cfg
	{
		echo 'define timeperiod {'
		echo '    timeperiod_name 24x7'
		echo '    alias always'
		for day in sunday monday tuesday wednesday thursday friday saturday; do
			echo "    $day 00:00-24:00"
		done
		cat <<-END
			}
			define command {
			    command_name alive
			    command_line /bin/true
			}
			define command {
			    command_name tell
			    command_line /bin/sh -c 'echo "\$SERVICEDESC\$ \$SERVICESTATE\$" >>"$scratch/told"'
			}
			define contact {
			    contact_name admin
			    host_notification_commands tell
			    service_notification_commands tell
			    host_notification_period 24x7
			    service_notification_period 24x7
			    host_notification_options d,r
			    service_notification_options w,u,c,r
			}
			define contactgroup {
			    contactgroup_name admins
			    alias admins
			    members admin
			}
			define host {
			    host_name web7
			    address 127.0.0.1
			    check_command alive
			    max_check_attempts 1
			    check_period 24x7
			    contact_groups admins
			}
			define service {
			    use tuesday-service
			    host_name web7
			}
			define service {
			    use tuesday-check
			    host_name web7
			    service_description Tuesday listen
			    check_command check_tuesday_one!listen
			}
			define service {
			    use tuesday-check
			    host_name web7
			    service_description Tuesday cpu
			    check_command check_tuesday_one!cpu
			}
		END
	} >nagios/cfg/site.cfg
	call nagios4 -v nagios/nagios.cfg
	t "nagios4 -v takes the configuration" [ "$status" = 0 ]
	t "without a warning" grep -q "Total Warnings: 0" out
	# shellcheck disable=SC2016
	start nagios sh -c 'echo ready; exec nagios4 "$1"' sh nagios/nagios.cfg
	# service NAME: what Nagios holds of it, as KEY=VALUE.
	service() {
		awk -v want="service_description=$1" '/^servicestatus {/ { text = ""; here = 0 }
			{ sub(/^\t/, ""); text = text $0 "\n" } $0 == want { here = 1 }
			/}$/ && here { printf "%s", text; exit }' nagios/status.dat 2>/dev/null
	}
	service_has() {
		service "$1" | grep -qE "^$2"
	}
	works "Nagios tells somebody" until_true 30 test -s told
	works "of the whole checklist it knows that it is bad" service_has Tuesday 'current_state=2$'
	works "  of which check" service_has Tuesday 'plugin_output=TUESDAY CRITICAL: 1 bad .listen., .*: listen: '
	works "  and its numbers" service_has Tuesday "performance_data='bad'=1;;0 .*'listen\..*=[0-9.]+"
	works "  and what it is not" service_has Tuesday 'long_plugin_output=.*it is not: .*files'
	works "the one check that is bad is so as a service" until_true 10 service_has "Tuesday listen" 'current_state=2$'
	works "and the other is not" until_true 10 service_has "Tuesday cpu" 'current_state=0$'
	sleep 1
	is "$(cat told)" "Tuesday CRITICAL" "somebody is told once, of the whole"
	end_well nagios
else
	skip "Nagios tells somebody" "nagios4 is not installed"
fi

# NRPE, over the loopback of a network namespace.
nrpe=$(command -v nrpe || ls /usr/sbin/nrpe 2>/dev/null)
check_nrpe=$(command -v check_nrpe || ls /usr/lib/nagios/plugins/check_nrpe 2>/dev/null)
if [ -n "$nrpe" ] && [ -n "$check_nrpe" ]; then
	at=tuesday-nrpe-$$
	new_netns "$at"
	{
		echo "server_port=5666"
		echo "server_address=127.0.0.1"
		echo "allowed_hosts=127.0.0.1"
		echo "nrpe_user=nobody"
		echo "nrpe_group=nogroup"
		echo "dont_blame_nrpe=0"
		echo "command_timeout=60"
		echo "pid_file=$scratch/nrpe.pid"
		# It hands its environment to nobody.
		sed "s#/usr/bin/sudo -n /usr/lib/nagios/plugins#/usr/bin/env TUESDAY=$TUESDAY $scratch/plugins#" \
			"$root/dist/nagios/nrpe.cfg"
	} >nrpe.cfg
	# shellcheck disable=SC2016
	start nrpe in_netns "$at" sh -c 'echo ready; exec "$@"' sh "$nrpe" -n -c "$scratch/nrpe.cfg" -f
	ask_nrpe() {
		call ip netns exec "$at" "$check_nrpe" -n -H 127.0.0.1 -t 20 "$@"
		[ "$status" = 2 ] && [ -s out ]
	}
	# Each run takes as long as it takes.
	timeless() {
		sed "s/'seconds'=[0-9.]*s//" "$1"
	}
	"$PWD/plugins/check_tuesday" -t 50 >wanted
	works "NRPE brings that it is bad" until_true 10 ask_nrpe -c check_tuesday
	is "$(timeless out)" "$(timeless wanted)" "and every line of it"
	ask_nrpe -2 -c check_tuesday
	is "$(timeless out | head -n 1)" "$(timeless wanted | head -n 1)" "of its old protocol the whole first line"
	call ip netns exec "$at" "$check_nrpe" -n -H 127.0.0.1 -t 20 -c check_tuesday_memory
	is "$status" 0 "a check that is good is OK there"
	end_well nrpe
else
	skip "NRPE brings that it is bad" "nrpe and check_nrpe are not installed"
fi

if command -v icinga2 >/dev/null && [ -d /usr/share/icinga2/include ]; then
	mkdir -p icinga/data icinga/cache icinga/run icinga/log icinga/spool
	without_sudo "$root/dist/icinga2/tuesday.conf" >icinga/tuesday.conf
	cat >icinga/icinga2.conf <<-END
		const PluginDir = "$scratch/plugins"
		const NodeName = "web7"
		include <itl>
		include "$scratch/icinga/tuesday.conf"
		object Host "web7" {
		    check_command = "dummy"
		    vars.tuesday = true
		    vars.tuesday_checks = [ "listen", "cpu" ]
		}
		object Host "web8" {
		    check_command = "dummy"
		}
	END
	in_icinga=(-DDataDir="$scratch/icinga/data" -DCacheDir="$scratch/icinga/cache" -DInitRunDir="$scratch/icinga/run"
		-DLogDir="$scratch/icinga/log" -DSpoolDir="$scratch/icinga/spool" -DVarsPath="$scratch/icinga/vars"
		-DObjectsPath="$scratch/icinga/objects" -DModAttrPath="$scratch/icinga/modattr"
		-DStatePath="$scratch/icinga/state" -DPidPath="$scratch/icinga/pid" -DRunAsUser=root -DRunAsGroup=root)
	# Those from 2.14 on are asked for what older ones always do.
	icinga2 daemon --help 2>/dev/null | grep -q -e --dump-objects && in_icinga+=(--dump-objects)
	timeout 60 icinga2 daemon -C -c "$scratch/icinga/icinga2.conf" "${in_icinga[@]}" >out 2>err
	status=$?
	t "icinga2 daemon -C takes the configuration" [ "$status" = 0 ]
	t "and makes a service of the whole, and one a check, where a host wants them" grep -q 'Instantiated 3 Services' out
	timeout 60 icinga2 object list --type Service "${in_icinga[@]:0:12}" >out 2>err
	is "$(sed -n "s/^Object '\(.*\)' of type 'Service':$/\1/p" out | sort | paste -sd ' ')" \
		"web7!tuesday web7!tuesday-cpu web7!tuesday-listen" "they are these"
	is "$(grep -c 'enable_notifications = false' out)" 2 "and those of single checks tell nobody"
else
	skip "icinga2 daemon -C takes the configuration" "icinga2 is not installed"
fi
plan
