#!/bin/sh
# in_debian.sh RELEASE PYTHON...: `make pythons` in a Debian of its own below .venv, as root.
set -eu
cd "$(dirname "$0")/../.."
release=$1
shift
root=$PWD/.venv/debian-$release

packages=ca-certificates,make
for python; do packages=$packages,python$python,python$python-venv; done
rm -rf "$root"
debootstrap --variant=minbase --include="$packages" "$release" "$root"
# The certificates that are trusted here, and the names that are known.
cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
cp /etc/resolv.conf "$root/etc/"
mkdir "$root/source"
git archive HEAD | tar -x -C "$root/source"

trap 'umount "$root/proc" "$root/dev/shm" "$root/dev"' EXIT
mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"
mount -t tmpfs tmpfs "$root/dev/shm"
chroot "$root" env -i HOME=/root LANG=C.UTF-8 PATH=/usr/bin:/bin:/usr/sbin \
    make -C /source pythons PYTHON="python$1" PYTHONS="$*"
