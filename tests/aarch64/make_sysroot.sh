#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: make_sysroot.sh FOLDER PACKAGE...
# Unpacks Debian's arm64 PACKAGEs, with all that they depend on, into FOLDER: headers and libraries for the cross compiler and for
# qemu-user. Nothing is installed, the machine's own architectures stay as they are, and root's rights are not needed. The archives come
# from the machine's own sources of packages.
set -euo pipefail
folder=$1
shift
stamp=$folder/.complete
[[ -e $stamp && $(<"$stamp") == "$*" ]] && exit
fail() { printf 'make_sysroot.sh: %s\n' "$*" >&2; exit 1; }

work=$folder.work
rm -rf "$folder" "$work"
mkdir -p "$work"/{state/lists/partial,cache/archives/partial,root}
work=$(cd "$work" && pwd)
: >"$work/status"
apt=(apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o Dir::State="$work/state" -o Dir::State::status="$work/status"
  -o Dir::Cache="$work/cache" -o APT::Sandbox::User=root -o APT::Install-Recommends=0)
{
  "${apt[@]}" update && "${apt[@]}" install -y --download-only "$@"
} >"$work/log" 2>&1 || { cat "$work/log" >&2; fail "the arm64 packages could not be fetched: what apt-get printed is above"; }
archives=("$work"/cache/archives/*.deb)
[[ -e ${archives[0]} ]] || fail "apt-get fetched no package"
for archive in "${archives[@]}"; do dpkg-deb -x "$archive" "$work/root"; done
# Absolute links mean the root of the machine that they were made for.
while IFS= read -r link; do ln -sfnr "$work/root$(readlink "$link")" "$link"; done < <(find "$work/root" -type l -lname '/*')
printf '%s\n' "$*" >"$work/root/.complete"
mv "$work/root" "$folder"
rm -rf "$work"
