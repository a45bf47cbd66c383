#!/bin/sh
# build.sh FOLDER TRAINING FLAG...: FOLDER/tokens of tokens.c, by the counts of a run of `tokens TRAINING`
# unless that is "none". What is no output goes into $TMPDIR, which each build has for itself.
set -eu
folder=$1 training=$2
shift 2
object=$TMPDIR/tokens.o
if [ "$training" != none ]; then
  gcc "$@" -fprofile-generate -c tokens.c -o "$object"
  gcc -fprofile-generate "$object" -o "$TMPDIR/tokens"
  "$TMPDIR/tokens" "$training" >"$TMPDIR/output"   # leaves $TMPDIR/tokens.gcda, where the object stands
  test -s "$TMPDIR/tokens.gcda"                    # without it gcc would build as if nothing was asked
  set -- "$@" -fprofile-use
fi
gcc "$@" -c tokens.c -o "$object"
gcc "$object" -o "$folder/tokens"
