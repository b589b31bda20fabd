#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The suite on Debian's Linux 6.12, with all that it can have and with little of it.
# shellcheck source=tests/vm/vm.sh
. "$(dirname "$0")/vm.sh"
guest 6.12 < <(
	echo 'absent="" unknowable=""'
	cat "$here/suite.sh"
)
guest 6.12 btf=no cgroups=v1 psi=0 < <(
	echo 'absent="churn iowait memstall turns" unknowable="failing maps stops" no_trace=yes'
	cat "$here/suite.sh"
)
plan
