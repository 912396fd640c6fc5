# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Messages, failures and locks of `run`.

deps=.deps  # what is fetched and built once; each finished part has a file .complete

bold="" plain=""
if [[ -t 2 && -z ${NO_COLOR:-} ]]; then bold=$'\033[1m' plain=$'\033[0m'; fi
say() { printf '%s%s%s\n' "$bold" "$*" "$plain" >&2; }
fail() { printf 'run: %s\n' "$*" >&2; exit 1; }

no_space="no space is left on the device of $PWD or of ${TMPDIR:-/tmp}. Free some (a build needs 2 GB), then run the same command again"
disk_is_full() { df -Pk . "${TMPDIR:-/tmp}" 2>/dev/null | awk 'NR > 1 && $4 < 4096 {full = 1} END {exit !full}'; }

# fail_after LOG WHAT: ends after a failed step with the end of its log and, where it is known, the cause.
fail_after() {
  tail -n 30 "$1" >&2 || true
  if grep -q 'No space left on device' "$1" || disk_is_full; then fail "$2: $no_space"; fi
  fail "$2; the whole log is $1"
}

# fail_visibly WHAT: ends after a failed step whose messages were printed.
fail_visibly() {
  if disk_is_full; then fail "$1: $no_space"; fi
  fail "$1; its messages are above"
}

require_writable() {
  local folder
  for folder in . "$deps" build; do
    mkdir -p "$folder" 2>/dev/null || true
    [[ -d $folder && -w $folder ]] ||
      fail "cannot write to $(realpath -m "$folder"): everything that is built is kept in the source folder. Copy the repository to a folder that you may write to, and run the command there"
  done
}

# Programs that `run` starts keep caches: ccache, pip, and \`kindred\` the profile of the machine.
require_cache() {
  local cache=${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}
  if ! mkdir -p "$cache" 2>/dev/null || [[ ! -w $cache ]]; then
    say "cannot write to $cache: this command keeps its caches in $PWD/$deps/cache instead (XDG_CACHE_HOME names another folder)"
    export XDG_CACHE_HOME=$PWD/$deps/cache
    mkdir -p "$XDG_CACHE_HOME"
  fi
}

# locked NAME COMMAND...: runs the command while no other `run` in this folder runs one under that name.
locked() {
  local name=$1 lock
  shift
  mkdir -p "$deps/locks"
  exec {lock}>"$deps/locks/$name"
  flock -n "$lock" || { say "waiting for another ./run in this folder ($name)"; flock "$lock"; }
  "$@"
  exec {lock}>&-
}
