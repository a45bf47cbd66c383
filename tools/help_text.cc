#include "tools/help_text.h"

namespace nightshift::tools {

const char* const kIntroduction =
    R"(Nightshift tunes kernels and programs in batch: it tries configurations in isolated processes,
measures them on your devices, and accepts an improvement only when measurements side by side
with the baseline confirm it. Everything is kept in a study folder and can be resumed.)";

const char* const kEpilogue = R"(
Examples:
  nightshift tune problem.toml                        tune for as long as the problem file says
  nightshift tune problem.toml --budget 10m           ... for ten minutes
  nightshift tune space.json.gz --budget 400t         replay a recorded space, 400 configurations
  nightshift resume studies/sgemm-20250101-180000     go on after an interruption, nothing is lost
  nightshift report studies/sgemm-20250101-180000     what came out, on one page
  nightshift report studies/sgemm-20250101-180000 --html sgemm.html   ... with charts, for a browser
  nightshift explain studies/sgemm-20250101-180000 17 what happened to trial 17, and why
  nightshift export studies/sgemm-20250101-180000 --format header --output best.h
  nightshift compare studies/sgemm-20250101-180000    its best against the baseline, measured anew
  nightshift compare -- ./old input -- ./new input    two programs: which one is faster?
  nightshift noise problem.toml                       what can be measured on this machine at all?

`nightshift COMMAND --help` lists the options of a command.

Exit codes:
  0   done; for tune and resume: an improvement was accepted; for compare: no difference was
      shown, or it is smaller than --min-difference
  2   wrong command line or problem file
  3   the study ended without an accepted improvement
  4   the study failed: the baseline does not work, or no device is left; for compare: one of the
      two failed, or what was measured cannot be judged
  5   the journal cannot be written or read
  6   a device that was asked for is not there, or in use
  7   interrupted by a signal, whatever was accepted until then; `nightshift resume` goes on
  10  compare: the second is better
  11  compare: the second is worse
  70  internal error)";

const char* const kCompareEpilogue = R"(
  nightshift compare PROBLEM A B            two configurations of a problem
  nightshift compare PROBLEM B              the baseline and a configuration
  nightshift compare STUDY                  the baseline and the best of a study
  nightshift compare STUDY STUDY            the best of two studies of the same problem
  nightshift compare -- CMD ARG... -- CMD ARG...   two commands, by wall time or a figure that they print

A configuration is `baseline`, NAME=VALUE,NAME=VALUE (what is not named is as in the baseline), a JSON
file from `nightshift export --format json`, or a study (its best).

Both are measured in pairs, one right after the other, in an order drawn by a coin for each pair; a
first visit of each does not count, and every fourth pair runs in fresh processes. That goes on until a
sequential test shows a difference at the level asked for, none of --min-difference can be left, or
--pairs is reached. Two commands may use all cores unless --devices says otherwise; their output is
not shown.

Exit codes: 0 no difference shown, or less than --min-difference; 10 the second is better; 11 the
second is worse; 4 one of them failed; 7 interrupted; others as in `nightshift --help`.

Examples:
  nightshift compare problem.toml baseline UNROLL=4,ISA=native
  nightshift compare studies/sgemm-20250101-180000 --confidence publish --json
  nightshift compare --min-difference 2% -- gzip -k -c big.txt -- pigz -k -c big.txt
  nightshift compare --regex 'GFLOPS: ([0-9.]+)' --metric-unit GFLOPS --higher-is-better -- ./a -- ./b)";

const char* const kNoiseEpilogue = R"(
Says how visits and launches are distributed, whether they drift or resemble their neighbours, what
differs from process to process, how far the same thing seems to differ from itself when it is
compared well and badly, what gain can be found at what cost, and which settings follow from that.

Examples:
  nightshift noise problem.toml
  nightshift noise problem.toml --visits 200 --html noise.html)";

const char* const kLockClocksEpilogue = R"(
Runs COMMAND while the GPUs are held at what was asked for, and restores them when it ends, when a
signal ends it, and when this program is killed: a process of its own sees to that, and where it was
killed as well, the next nightshift that uses one of the GPUs. Setting needs the rights of root: as
root, by NVML, else by `sudo -n nvidia-smi`. What cannot be had is a warning, and with --strict the end
before COMMAND starts. Where the process that holds them is killed, that is said at once, and with
--strict COMMAND is ended (SIGTERM). Locks are undone by unlocking, since the driver does not tell what was locked
before; clocks that somebody else has set are left as they are.

The exit code is that of COMMAND, or 128 and the signal that ended it; with --strict 6 where the clocks
cannot be had, or were not held until it ended.

Examples:
  nightshift lock-clocks --clock 1500 --strict -- nightshift tune problem.toml
  nightshift lock-clocks --clock 1500 --mem-clock 2619 --devices gpu:0 -- ./benchmark)";

const char* const kTuneEpilogue = R"(
PROBLEM is a problem file (TOML), a T1 JSON file, or a recorded space (cache or T4 JSON, also
gzipped), which then is its own device.

Examples:
  nightshift tune problem.toml --budget 10m
  nightshift tune problem.toml --searcher random --seed 7 --set acceptance.confidence=publish
  nightshift tune problem.toml --devices cpu:2-3 --study studies/today --json > result.json

Ctrl-C ends the study in good order (a second one at once); `nightshift resume` goes on later.)";

const char* const kResumeEpilogue = R"(
STUDY is the folder that `nightshift tune` named. What was measured is kept, what was under way when the
run ended is measured again. The study has its own copy of the problem file, not of sources that it names.

Examples:
  nightshift resume studies/sgemm-20250101-180000
  nightshift resume studies/sgemm-20250101-180000 --budget 2h     two hours, with what was used before
  nightshift resume studies/sgemm-20250101-180000 --budget 800t --json > result.json

Exit codes are those of `nightshift tune`: 0 an improvement was accepted, 3 none was; others as in
`nightshift --help`.)";

const char* const kExplainEpilogue = R"(
Retells from the journal alone how a configuration was proposed, built, checked and measured, on which
device and at which attempt, what its score means, and which confirmations it took part in.

Examples:
  nightshift explain studies/sgemm-20250101-180000 17
  nightshift explain studies/sgemm-20250101-180000 1      the first baseline)";

const char* const kReportEpilogue = R"(
The page for a browser is one file without scripts that needs no network: result, configurations,
convergence, Pareto front, effect of each parameter, noise, devices, confirmations, failures. A
study that still runs can be reported as well.

Examples:
  nightshift report studies/sgemm-20250101-180000
  nightshift report studies/sgemm-20250101-180000 --html sgemm.html
  nightshift report studies/sgemm-20250101-180000 | less)";

const char* const kExportEpilogue = R"(
Examples:
  nightshift export studies/sgemm-20250101-180000 --format header --output best.h
  nightshift export studies/sgemm-20250101-180000 --format json | jq .configuration
  nightshift export studies/sgemm-20250101-180000 --format csv --output trials.csv
  nightshift export studies/sgemm-20250101-180000 --format t4 --output space.json   `tune` replays it

Exit code 3 where json or header are asked for and no configuration could be measured; others as in
`nightshift --help`.)";

const char* const kDevicesEpilogue = R"(
Names are those that --devices takes: cores as cpu:1 or cpu:2-3, GPUs as gpu:0 or by the beginning of
their UUID.

Examples:
  nightshift devices
  nightshift devices --json | jq -r '.devices[].id')";

}  // namespace nightshift::tools
