#!/bin/sh
# run.sh OPT CUTOFF: compiles sort.c with that option and cutoff, and with $DEFINES, and runs it.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 143' INT TERM
# $DEFINES is several options.
if ! cc "$1" "-DCUTOFF=$2" ${DEFINES:-} -o "$folder/sort" sort.c; then
  echo '{"error": "sort.c does not compile", "kind": "build_failed"}'
  exit 0
fi
"$folder/sort"
