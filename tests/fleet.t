#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Do the tools that people run their fleets with run Tuesday: clush, pdsh, Ansible, over ssh? Two hosts
# are two names in a network namespace, each with an ssh server of its own keys; what asks them is in
# another namespace.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
needs ip sshd ssh ssh-keygen unshare jq
[ "$(passwd -S root 2>/dev/null | cut -d' ' -f2)" != L ] || [ "$(getent shadow root | cut -d: -f2)" = '*' ] ||
	skip_all "root is locked here, so nobody can log in as root"
begin
asks=tuesday-asks-$$
hosts=tuesday-hosts-$$
new_netns "$asks" "$hosts"
join_netns "$asks" "$hosts"
sshd=$(command -v sshd)

# A server wants this directory, and takes the one that is there.
if [ ! -d /run/sshd ]; then
	mkdir -m 755 /run/sshd
	undo rmdir /run/sshd
fi
ssh-keygen -q -t ed25519 -N '' -f "$scratch/key"
ssh-keygen -q -t ed25519 -N '' -f "$scratch/hostkey"

# host NAME PORT: an ssh server that is called so.
host() {
	cat >"$scratch/$1.sshd" <<-END
		Port $2
		ListenAddress 10.231.7.2
		HostKey $scratch/hostkey
		AuthorizedKeysFile $scratch/key.pub
		PidFile none
		UsePAM no
		StrictModes no
		PermitRootLogin prohibit-password
		PasswordAuthentication no
		Subsystem sftp internal-sftp
	END
	cat >>"$scratch/ssh" <<-END
		Host $1
		HostName 10.231.7.2
		Port $2
		User root
		IdentityFile $scratch/key
		UserKnownHostsFile $scratch/known
		StrictHostKeyChecking accept-new
		HashKnownHosts no
		BatchMode yes
		ConnectTimeout 10
		LogLevel ERROR
	END
	# It says that it is ready when the name is set; a login is tried below.
	# shellcheck disable=SC2016
	start "$1" in_netns "$hosts" unshare --uts sh -c \
		'hostname "$1"; echo ready; exec "$2" -D -e -f "$3"' sh "$1" "$sshd" "$scratch/$1.sshd"
}

# from COMMAND...: in the other namespace. Nothing hangs for ever; Ansible starts some forty Pythons.
from() {
	timeout 300 ip netns exec "$asks" "$@" 8>&-
}

host web1 2201
host web2 2202
for name in web1 web2; do
	for _ in {1..50}; do
		from ssh -F "$scratch/ssh" "$name" true 2>"$scratch/login" && break
		sleep 0.1
	done
done
from ssh -F "$scratch/ssh" web1 true || skip_all "ssh does not get through here: $(head -c 200 "$scratch/login")"
is "$(from ssh -F "$scratch/ssh" web2 hostname)" web2 "two hosts can be asked by ssh"

# They run the same program, so it need not be copied; a check that says the same on a quiet machine.
tuesday="$BIN/tuesday run config files --quick --no-trace"

if command -v clush >/dev/null; then
	from clush -q -b -o "-F $scratch/ssh" -w web1,web2 "$tuesday -o line" >"$scratch/out" 2>"$scratch/err"
	is "$(grep -c '^web\[1-2\]' "$scratch/out") $(wc -l <"$scratch/out") $(wc -c <"$scratch/err")" "1 4 0" \
		"clush folds both hosts into one line, with nothing on standard error"
	from clush -q -o "-F $scratch/ssh" -w web1,web2 "$tuesday -o json" 2>/dev/null |
		sed 's/^[^:]*: //' | "$BIN/tuesday" merge - >"$scratch/out"
	is "$(head -n 1 "$scratch/out" | grep -o '^Tuesday on 2 hosts')" "Tuesday on 2 hosts" \
		"what clush brings is merged"
else
	skip "clush folds both hosts into one line" "clush is not installed"
fi
if command -v pdsh >/dev/null && command -v dshbak >/dev/null; then
	PDSH_SSH_ARGS_APPEND="-F $scratch/ssh" from pdsh -R ssh -w web1,web2 "$tuesday -o line" 2>"$scratch/err" |
		dshbak -c >"$scratch/out"
	is "$(grep -c '^web\[1-2\]' "$scratch/out") $(wc -c <"$scratch/err")" "1 0" "pdsh and dshbak do too"
else
	skip "pdsh and dshbak do too" "pdsh is not installed"
fi

# The line as it is promised: no numbers, processes or times, and the same each time.
for name in web1 web2; do
	for _ in 1 2; do
		from ssh -F "$scratch/ssh" "$name" "$tuesday -o line"
	done
done >"$scratch/out"
is "$(sort -u "$scratch/out" | wc -l)" 1 "four runs on two hosts say the same line"
from ssh -F "$scratch/ssh" web1 "$BIN/tuesday run --quick --no-trace -o line" >"$scratch/out"
is "$(wc -l <"$scratch/out") $(($(wc -c <"$scratch/out") < 2048))" "1 1" \
	"the line of the whole checklist is one, and short"

if command -v ansible-playbook >/dev/null; then
	cat >"$scratch/inventory" <<-END
		[all:vars]
		ansible_ssh_common_args=-F $scratch/ssh
		ansible_python_interpreter=/usr/bin/python3
		[web]
		web1
		web2
		web3
	END
	export ANSIBLE_HOME=$scratch/ansible ANSIBLE_LOCAL_TEMP=$scratch/ansible/tmp ANSIBLE_NOCOLOR=1
	export ANSIBLE_REMOTE_TEMP=$scratch/ansible/there ANSIBLE_SSH_CONTROL_PATH_DIR=$scratch/cp
	mkdir "$scratch/ansible" "$scratch/reports"
	# One is down by now, and was well a moment ago.
	cat >>"$scratch/ssh" <<-END
		Host web3
		HostName 10.231.7.2
		Port 2203
	END
	from ssh -F "$scratch/ssh" web1 "$tuesday -o json" 2>/dev/null | jq -c '.host = "web3"' >"$scratch/reports/web3.json"
	LC_ALL=C.UTF-8 from ansible-playbook -i "$scratch/inventory" "$root/dist/ansible/tuesday.yml" \
		-e "tuesday=$BIN/tuesday" -e "tuesday_out=$scratch/reports" \
		-e tuesday_become=false >"$scratch/out" 2>&1
	is "$?" 4 "the playbook runs, and ends as one does where a host cannot be reached"
	[ -e "$scratch/reports/fleet.html" ] || tail -n 30 "$scratch/out" | why
	is "$(jq -r .host "$scratch/reports/web1.json" "$scratch/reports/web2.json" 2>&1 | paste -sd ' ')" \
		"web1 web2" "and brings the report of each host"
	works "and makes the page of both" grep -q '<h1>2 hosts' "$scratch/reports/fleet.html"
	works "and says what it is" grep -q 'Tuesday on 2 hosts' "$scratch/out"
	works "and that the third is missing, whatever it said before" grep -q 'Missing: .*web3' "$scratch/out"
	is "$(from ssh -F "$scratch/ssh" web1 'ls /var/tmp' | grep -c '^tuesday-[0-9]*$')" 0 \
		"and leaves no program behind"
else
	skip "the playbook runs" "ansible-core is not installed"
fi
plan
