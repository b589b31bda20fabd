#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The suite on Debian's Linux 5.10, with all that it can have and with little of it.
# shellcheck source=tests/vm/vm.sh
. "$(dirname "$0")/vm.sh"
guest 5.10 < <(
	echo 'absent="contention drops sojourn turns" unknowable="stops"'
	cat "$here/suite.sh"
)
guest 5.10 btf=no cgroups=v1 psi=0 < <(
	echo 'absent="churn contention drops iowait memstall sojourn turns" unknowable="failing maps stops" no_trace=yes'
	cat "$here/suite.sh"
)
plan
