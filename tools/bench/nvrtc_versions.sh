#!/bin/sh
# The winners of CUDA problems under two versions of NVRTC, on a machine with a GPU:
#
#   tools/bench/nvrtc_versions.sh /opt/nvrtc/libnvrtc.so.12 2m kernels/cuda/rmsnorm kernels/cuda/softmax
#
# tunes each problem for the time given (folders that are there go on) and compares the winners under the
# NVRTC that is found and the library named, e.g. that of the wheel nvidia-cuda-nvrtc-cu12. Writes
# nvrtc_versions/table.json, .md and .html; "equal code" of the table is the share that needs no measurement.
set -eu
if [ $# -lt 3 ]; then
  sed -n '2,9s/^# \{0,1\}//p' "$0"
  exit 2
fi
library=$1
budget=$2
shift 2
nightshift=${NIGHTSHIFT:-build/release/bin/nightshift}
folder=nvrtc_versions
mkdir -p "$folder/studies"
for problem in "$@"; do
  code=0
  "$nightshift" tune "$problem/problem.toml" --budget "$budget" --continue \
    --study "$folder/studies/$(basename "$problem")" || code=$?
  # 0: an improvement was accepted, 3: none was; what has none is left out of the table.
  case $code in 0 | 3) ;; *) echo "$problem: exit code $code" >&2 ;; esac
done
"$nightshift" recheck "$folder/studies" --compilers "nvrtc,nvrtc:$library" --json \
  --html "$folder/table.html" --markdown "$folder/table.md" > "$folder/table.json"
