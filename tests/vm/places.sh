# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034
# What virtual machines are made of, and where it is kept; to be sourced.
vm_cache=${TUESDAY_VM_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/tuesday-vm}
# The oldest kernel whose long-term support Debian has kept, and the ones of its releases since.
vm_kernels='5.10 bullseye
6.1 bookworm
6.12 trixie'
vm_programs='qemu-system-x86 busybox-static kmod dmsetup mdadm nfs-common nfs-kernel-server e2fsprogs zstd'
