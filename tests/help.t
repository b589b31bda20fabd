#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Are the documents in the program, each as it stands in docs/?
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"
cd "$root" || exit 1
plan
