# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# A test on another kernel, to be sourced: guest KERNEL < <(JOB) boots it in QEMU, which interprets
# every instruction, so that any machine can; within it JOB, a shell script with inside.sh before it, sees
# this machine's files and has the static program, and the files of vm_carry, in BIN. Limits of microseconds
# mean nothing in there.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/tap.sh
. "$here/../tap.sh"
# shellcheck source=tests/vm/places.sh
. "$here/places.sh"
scratch=$(mktemp -d /var/tmp/tuesday-test.XXXXXX)
vm_busybox=$vm_cache/programs/usr/bin/busybox
[ -x "$vm_busybox" ] || vm_busybox=/bin/busybox
qemu_pid=
end_guest() {
	[ -z "$qemu_pid" ] || kill "$qemu_pid" 2>/dev/null
	rm -rf "$scratch"
}
trap end_guest EXIT
trap 'exit 130' INT TERM HUP

# The modules that init needs before it sees any file, with those that they depend on, in order.
make_modules() {
	local at=$vm_cache/$1 release modules wanted name path

	[ ! -s "$at/modules.cpio.gz" ] || return 0
	release=$(cat "$at/release")
	modules=$at/root/usr/lib/modules/$release
	rm -rf "$scratch/early"
	mkdir -p "$scratch"/early/{bin,modules,proc,sys,dev,cache}
	wanted='virtio_pci virtio_mmio 9pnet_virtio 9p overlay'
	awk -F '[: ]+' -v wanted="$wanted" '
		{ name = $1; sub(".*/", "", name); sub("[.]ko.*", "", name); gsub("-", "_", name)
		  path[name] = $1; for (i = 2; i <= NF; i++) if ($i != "") needs[$1] = needs[$1] " " $i }
		function add(at,    i, n, list) {
			if (at == "" || at in done) return
			done[at] = 1
			n = split(needs[at], list, " ")
			for (i = n; i >= 1; i--) add(list[i])
			print at
		}
		END { n = split(wanted, list, " "); for (i = 1; i <= n; i++) add(path[list[i]]) }
	' "$modules/modules.dep" | while read -r path; do
		name=${path##*/}
		case $name in
		*.xz) xz -dc "$modules/$path" >"$scratch/early/modules/${name%.xz}" ;;
		*) cp "$modules/$path" "$scratch/early/modules/" ;;
		esac
		echo "${name%.xz}"
	done >"$scratch/early/order"
	cp "$vm_busybox" "$scratch/early/bin/busybox" || return
	for name in sh mount mkdir cat echo sed grep insmod ip switch_root; do
		ln -s busybox "$scratch/early/bin/$name"
	done
	(cd "$scratch/early" && find . | "$vm_busybox" cpio -o -H newc) 2>/dev/null |
		gzip -1 >"$scratch/modules" && mv "$scratch/modules" "$at/modules.cpio.gz"
}

# Debian builds no kernel without types (CONFIG_DEBUG_INFO_BTF). Where the function that reads them
# returns none at once, the rest of the kernel goes on as one that was built without. Behind what
# the function begins with (endbr64, the call that ftrace takes away at boot) comes xor eax,eax; ret.
make_untyped() {
	local at=$vm_cache/$1

	[ ! -s "$at/vmlinux-untyped" ] || return 0
	(boot_guest "$1" vmlinux <<<"sed -n 's/ T btf_parse_vmlinux$//p' /proc/kallsyms >/share/address") >/dev/null
	python3 -I - "$at/vmlinux" "$scratch/vmlinux" "$(cat "$scratch/share/address")" <<-'END' ||
		import struct, sys

		image = bytearray(open(sys.argv[1], "rb").read())
		wanted = int(sys.argv[3], 16)
		at, = struct.unpack_from("<Q", image, 0x20)
		size, count = struct.unpack_from("<HH", image, 0x36)
		for i in range(count):
		    kind, _, offset, address, _, length = struct.unpack_from("<IIQQQQ", image, at + i * size)
		    if kind == 1 and address <= wanted < address + length:
		        place = offset + wanted - address
		        if image[place:place + 4] == b"\xf3\x0f\x1e\xfa":
		            place += 4
		        if image[place] == 0xE8:
		            place += 5
		        image[place:place + 3] = b"\x31\xc0\xc3"
		        open(sys.argv[2], "wb").write(image)
		        sys.exit(0)
		sys.exit("btf_parse_vmlinux is nowhere in " + sys.argv[1])
	END
		return
	mv "$scratch/vmlinux" "$at/vmlinux-untyped"
}

# boot_guest KERNEL IMAGE [WORD...]: runs the job on standard input, and prints what it prints.
# On a busy machine the guest's timer may not tick while the kernel tries it for ten ticks, which is a panic: "IO-APIC +
# timer doesn't work". no_timer_check believes in it.
boot_guest() {
	local kernel=$1 image=$2

	rm -rf "$scratch/share" "$scratch/late"
	mkdir "$scratch/share" "$scratch/late"
	install -m 755 "$here/init" "$scratch/late/init"
	(cd "$scratch/late" && echo init | "$vm_busybox" cpio -o -H newc) 2>/dev/null | gzip -1 |
		cat "$vm_cache/$kernel/modules.cpio.gz" - >"$scratch/initrd"
	# shellcheck disable=SC2086
	cp "$here/inside.sh" "$here/../experiment.sh" "$BIN/tuesday" ${vm_carry:-} "$scratch/share/"
	cat >"$scratch/share/job"
	cat >"$scratch/share/begin" <<-'END'
		export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C
		stty -F /dev/ttyS1 raw
		bash -c '. /share/inside.sh; . /share/job; echo end' >/dev/ttyS1 2>/share/errors </dev/null
		sync
		busybox poweroff -f
		sleep 9
	END
	# shellcheck disable=SC2086
	LD_LIBRARY_PATH=$vm_cache/programs/usr/lib/x86_64-linux-gnu exec timeout -k 5 "${vm_patience:-420}" \
		"$vm_cache/programs/usr/bin/qemu-system-x86_64" \
		-L "$vm_cache/programs/usr/share/qemu" -L "$vm_cache/programs/usr/share/seabios" \
		-machine pc -accel tcg,thread=multi -cpu qemu64 -smp 2 -m 1024 -nodefaults -no-reboot -display none \
		-monitor none -serial "file:$scratch/console" -serial stdio ${vm_devices:-} \
		-kernel "$vm_cache/$kernel/$image" -initrd "$scratch/initrd" \
		-append "console=ttyS0 panic=-1 mitigations=off nokaslr no_timer_check psi=1 guest=$kernel ${*:3}" \
		-fsdev local,id=host,path=/,security_model=none,readonly=on,multidevs=remap \
		-device virtio-9p-pci,fsdev=host,mount_tag=host \
		-fsdev "local,id=cache,path=$vm_cache,security_model=none,readonly=on" \
		-device virtio-9p-pci,fsdev=cache,mount_tag=cache \
		-fsdev "local,id=share,path=$scratch/share,security_model=none" \
		-device virtio-9p-pci,fsdev=share,mount_tag=share </dev/null 2>"$scratch/qemu"
}

# guest KERNEL [WORD...] < <(JOB): boots it with the job on standard input. Words are for the kernel's
# command line and for init: btf=no, cgroups=v1, psi=0. Its lines of TAP become this test's.
guest() {
	local kernel=$1 words="${*:2}" image=vmlinux name lines line ended=

	name="Linux $kernel${words:+ ($words)}"
	if [ ! -e "$vm_cache/$kernel/vmlinux" ]; then
		skip "$name" "no such kernel was fetched: $(grep -m 1 "$kernel" "$vm_cache/why-not" 2>/dev/null ||
			echo make vm-check does it)"
		return
	fi
	[[ " $words " != *" btf=no "* ]] || image=vmlinux-untyped
	if ! make_modules "$kernel" || { [ $image != vmlinux ] && ! make_untyped "$kernel"; }; then
		fail "$name can be made ready"
		return
	fi
	exec {lines}< <(boot_guest "$kernel" "$image" "${@:2}")
	qemu_pid=$!
	while IFS= read -r -u "$lines" line; do
		case $line in
		"ok - "*) pass "$name: ${line#ok - }" ;;
		"not ok - "*) fail "$name: ${line#not ok - }" ;;
		"skip - "*) skip "$name: ${line#skip - }" "it says so" ;;
		"why - "*) why <<<"${line#why - }" ;;
		end) ended=yes ;;
		*) echo "# $line" ;;
		esac
	done
	exec {lines}<&-
	wait "$qemu_pid"
	qemu_pid=
	[ -z "$ended" ] || return 0
	fail "$name comes to its end"
	mkdir -p "$BUILD/vm"
	cp "$scratch/console" "$BUILD/vm/${0##*/}.console"
	tail -n 12 "$scratch/qemu" "$scratch/share/errors" "$BUILD/vm/${0##*/}.console" 2>&1 | why
}

if [ ! -e "$vm_cache/programs/usr/bin/qemu-system-x86_64" ]; then
	echo "1..0 # SKIP no QEMU was fetched: $(cat "$vm_cache/why-not" 2>/dev/null || echo make vm-check does it)"
	exit 0
fi
