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
  nightshift batch run night.toml --until 07:00       several studies in one queue, all night
  nightshift submit night.toml --time 8:00:00         ... as a job of a Slurm cluster
  nightshift status                                   what runs, and what came out so far
  nightshift tune space.json.gz --budget 400t         replay a recorded space, 400 configurations
  nightshift resume studies/sgemm-20250101-180000     go on after an interruption, nothing is lost
  nightshift report studies/sgemm-20250101-180000     what came out, on one page
  nightshift report studies/sgemm-20250101-180000 --html sgemm.html   ... with charts, for a browser
  nightshift explain studies/sgemm-20250101-180000 17 what happened to trial 17, and why
  nightshift export studies/sgemm-20250101-180000 --format header --output best.h
  nightshift compare studies/sgemm-20250101-180000    its best against the baseline, measured anew
  nightshift compare -- ./old input -- ./new input    two programs: which one is faster?
  nightshift recheck studies/sgemm-20250101-180000    is it still true, with the compiler of today?
  nightshift verify sgemm.bundle                      ... of what somebody else exported, here?
  nightshift noise problem.toml                       what can be measured on this machine at all?

`nightshift COMMAND --help` lists the options of a command, `nightshift help problem` every key of a
problem file.

Exit codes:
  0   done; for tune and resume: an improvement was accepted; for compare: no difference was
      shown, or it is smaller than --min-difference
  2   wrong command line or problem file
  3   the study ended without an accepted improvement; recheck: there is no winner to look at
  4   the study failed: the baseline does not work, or no device is left; for compare: one of
      them failed, or what was measured cannot be judged; for recheck and verify: one
      is broken; a batch: a study failed, and the same command tries it again
  5   the journal cannot be written or read, or the disk of the study is full
  6   a device that was asked for is not there, or in use; Slurm is not there, or refuses
  7   interrupted by a signal, whatever was accepted until then; `nightshift resume`, or the same
      `nightshift tune --continue`, goes on
  10  compare: the second is better; of several: another one is better than the first
  11  compare: the second is worse; of several: none is better than the first, and one is worse;
      recheck: a winner is worse than it was (10: none is, and one is faster); verify: the gain is
      smaller than claimed, or lost (10: larger)
  75  some studies of a batch are cut off, paused or not begun; the same command goes on; for
      recheck and verify: undecided, or no time was left
  74  the work is done, but standard output or a file that was asked for could not be written
  70  internal error
  128 + N: ended by signal N, such as 137 for SIGKILL; `in-job` returns what its command returned)";

}  // namespace nightshift::tools
