#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/file_text.h"
#include "base/quantity.h"
#include "scheduler/clock.h"
#include "tools/cli/argument_parser.h"
#include "tools/cli/command.h"
#include "tools/output_file.h"
#include "tools/slurm/job_script.h"
#include "tools/slurm/slurm_error.h"
#include "tools/slurm/slurm_programs.h"
#include "tools/study_folder.h"
#include "tools/submit/batch_job.h"
#include "tools/submit/submission.h"
#include "tools/text/format.h"
#include "tools/text/status_line.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

constexpr const char* kEpilogue = R"(
FILE is what `nightshift batch run` takes: a batch file, problem files and folders, the folder of a
batch. A job script is written into the batch's folder (job.sh) and given to sbatch; the job's number
alone goes to standard output. The same command goes on with what was cut off: a batch that is done
says so and submits nothing, and of one whose job waits or runs the number is printed again. A job of
a submission that was cut off is found by its script; where squeue shows none for two minutes, the
batch is submitted anew.

The job stops in good order before its time is over, and queues itself again while work is left
(--no-requeue: it does not). What is changed in job.sh stays; remove it to have it written anew.
Behind `--` any flags of sbatch may stand; they win over those of the script, and over defaults that
the site sets.

Examples:
  nightshift submit night.toml --gpus-per-node 1 --cpus-per-task 8 --time 8:00:00 --dry-run
  nightshift submit night.toml --setup 'module load cuda' -- --mail-type=END -A project
  nightshift submit night.toml --nodes 2-4 --gpus-per-node 4 --time 8:00:00
  nightshift submit night.toml --array 8 --gpus-per-node 1 && nightshift merge night)";

struct SubmitOptions {
  BatchJobOptions job;
  std::optional<double> reserve;
  bool exclusive = false, no_requeue = false, dry_run = false;
  std::vector<std::string> more;
};

// Of sbatch, handed on as they are.
struct Flag {
  const char *spec, *help;
};
constexpr std::array kFlags{
    Flag{"--time LIMIT", "Time limit of the job, as sbatch takes it: 8:00:00, 90, 1-12"},
    Flag{"--partition NAME", "Partition of the job"},
    Flag{"--account NAME", "Account that the job is charged to"},
    Flag{"--qos NAME", "Quality of service"},
    Flag{"--gpus-per-node N", "GPUs of the job, such as 2 or a100:2"},
    Flag{"--gres LIST", "Other resources of the job, such as gpu:2"},
    Flag{"--cpus-per-task N", "Cores of the job"},
    Flag{"--mem SIZE", "Memory of the job, such as 32G"},
    Flag{"--constraint LIST", "Features that the node must have"},
    Flag{"--reservation NAME", "Reservation to run in"},
};

// As sbatch takes it, in numbers alone.
std::optional<std::string> node_count(const std::string& text) {
  const std::size_t split = text.find('-');
  const auto least = base::parse_count(text.substr(0, split));
  const auto most = split == std::string::npos ? least : base::parse_count(text.substr(split + 1));
  constexpr std::uint64_t kMost = 10'000;
  if (!least || !most || *least < 1 || *most < *least || *most > kMost) return std::nullopt;
  return text;
}

void declare(ArgumentParser& parser, SubmitOptions& o) {
  parser.positionals("FILE", o.job.files, "Batch file, or problem files and folders");
  parser.option("--batch DIR", o.job.folder, "Folder of the batch (batches/NAME)");
  parser.flag("--dry-run", o.dry_run, "Print the job script; write and submit nothing");
  parser.repeatable(
      "--setup LINE", [&o](const std::vector<std::string>& lines) { o.job.setup = lines; },
      "Line of the job script before Nightshift starts, such as 'module load cuda'");
  for (const Flag& flag : kFlags) {
    const std::string spec = flag.spec;
    const std::string name = spec.substr(0, spec.find(' '));
    parser.option_with(
        spec, any_text(),
        [&o, name](const std::string& value) { o.job.flags.push_back(name + "=" + value); },
        flag.help);
  }
  parser.flag("--exclusive", o.exclusive, "Have the whole node: neighbours disturb measurements");
  parser.flag("--no-requeue", o.no_requeue, "Never queue the job again by itself");
  parser.flag("--fit", o.job.fits,
              "All studies end within one job: its time is divided among them, as `batch run "
              "--time` does");
  constexpr double kLeastReserve = 1, kMostReserve = 3600;
  parser.option("--reserve DURATION", o.reserve,
                ValueForm<std::optional<double>>{[](const std::string& text) {
                                                   const auto seconds = base::parse_seconds(text);
                                                   const bool fits = seconds &&
                                                                     *seconds >= kLeastReserve &&
                                                                     *seconds <= kMostReserve;
                                                   return fits ? seconds : std::nullopt;
                                                 },
                                                 "a duration from 1s to 1h, such as 2m"},
                "Stop so long before the job's time is over (2m; of several nodes 3m)");
  constexpr std::size_t kMostShards = 1000;
  parser.option("--array N", o.job.shards, whole_number<std::size_t>(1, kMostShards),
                "Divide the batch into N shards, each a job of one node; `nightshift merge` joins "
                "what they find");
  parser.option(
      "--nodes N", o.job.nodes,
      ValueForm<std::string>{node_count, "a number of nodes or a range, such as 4 or 2-4"},
      "One job of so many nodes, whose devices are shared by all studies; it begins with "
      "the least and goes on when nodes fail");
  parser.command(o.more);
  parser.check([&] {
    if (o.job.files.empty()) parser.error("FILE is missing");
    if (!o.job.nodes.empty() && o.job.shards > 0)
      parser.error("--array and --nodes: give one of them");
    if (!o.more.empty() && !o.more.front().starts_with('-')) {
      parser.error("behind `--` stand flags of sbatch, such as --mail-type=END, not '" +
                   o.more.front() + "'");
    }
  });
}

BatchJobOptions job_of(const SubmitOptions& options) {
  BatchJobOptions job = options.job;
  if (job.nodes == "1") job.nodes.clear();
  constexpr double kOfOne = 120, kOfSeveral = 180;
  job.reserve = options.reserve.value_or(job.nodes.empty() ? kOfOne : kOfSeveral);
  if (options.exclusive) job.flags.emplace_back("--exclusive");
  if (options.no_requeue) job.flags.emplace_back("--no-requeue");
  for (const std::string& flag : joined_flags(options.more)) job.flags.push_back(flag);
  return job;
}

void say(const std::string& text) { std::fprintf(stderr, "nightshift: %s\n", text.c_str()); }

// Writes it unless somebody has changed it since. The text that was written last.
std::string written_script(const BatchJob& job, const std::optional<Submission>& earlier) {
  const std::string file = script_file(job.folder());
  std::error_code ignored;
  const bool is_file = base::not_a_file(file).empty() && std::filesystem::exists(file, ignored);
  if (earlier && is_file && base::text_if_there(file) != earlier->script) {
    say(file +
        " was changed by hand, and is submitted as it is; remove it to have it written anew");
    return earlier->script;
  }
  const std::string text = job.script();
  write_own(file, text);
  return text;
}

// What a folder has for Slurm, to be put back where Slurm refuses the job: what was refused was never
// submitted, and the next `submit` does not take its script for one that was changed by hand.
class FilesBefore {
 public:
  explicit FilesBefore(const std::string& folder) {
    for (const std::string& file : {script_file(folder), submission_file(folder)}) {
      std::error_code ignored;
      const bool is_there = std::filesystem::is_regular_file(file, ignored);
      files_.emplace_back(file, is_there ? std::optional(base::text_if_there(file)) : std::nullopt);
    }
  }
  void put_back() const {
    for (const auto& [file, text] : files_) {
      std::error_code ignored;
      if (!text) {
        if (base::not_a_file(file).empty()) std::filesystem::remove(file, ignored);
      } else if (base::text_if_there(file) != *text) {
        write_own(file, *text);
      }
    }
  }

 private:
  std::vector<std::pair<std::string, std::optional<std::string>>> files_;
};

// That sbatch goes by: its environment wins over the script, as it is by now.
std::string clusters_of(const BatchJob& job) {
  const char* named = std::getenv("SBATCH_CLUSTERS");
  if (named != nullptr && *named != '\0') return named;
  return clusters_of_script(base::text_if_there(script_file(job.folder())));
}

// Prints the job's number before it is kept: no disk loses it.
void submit(const BatchJob& job, const std::optional<Submission>& earlier) {
  const FilesBefore before(job.folder());
  const scheduler::SystemClock clock;
  Submission submission;
  try {
    submission.script = written_script(job, earlier);
    submission.job.cluster = clusters_of(job);
    submission.at = clock.unix_seconds();
    keep_submission(job.folder(), submission);
    submission.job = submit_job(script_file(job.folder()), job.flags());
  } catch (const SlurmSilence& error) {
    throw SlurmError(block(error.what(), 0) +
                     "Slurm may have the job all the same, or take it later: `nightshift submit` "
                     "again looks for it first, and `nightshift status` shows it");
  } catch (...) {
    before.put_back();
    throw;
  }
  std::printf("%s\n", submission.job.number.c_str());
  std::fflush(stdout);
  submission.at = clock.unix_seconds();
  keep_submission(job.folder(), submission);
}

// Throws SlurmError where the batch may have a job of which nobody knows.
void expect_known(const JobStanding& standing, const std::string& folder) {
  if (standing.is_cut_off()) {
    expect_over(standing, folder);
    return say(job_text(standing) + ". The batch is submitted anew");
  }
  if (standing.unknown.empty()) return;
  throw SlurmError("whether job " + standing.submission.job.number +
                   " of the batch still waits or runs cannot be told: " + standing.unknown);
}

// True where the batch has a job, whose number is printed.
bool has_job(const BatchJob& job, const std::optional<JobStanding>& standing) {
  if (!standing) return false;
  expect_known(*standing, job.folder());
  if (standing->found) keep_submission(job.folder(), standing->submission);
  if (standing->queued.empty()) return false;
  say("the batch " + job.name() + " has a job already" +
      (standing->found ? ", of an earlier submission that was cut off: " : ": ") +
      job_text(*standing));
  std::printf("%s\n", standing->submission.job.number.c_str());
  return true;
}

ExitCode run(const SubmitOptions& options) {
  const BatchJob job(job_of(options));
  warn(job.errors());
  if (options.dry_run) {
    std::fputs(job.script().c_str(), stdout);
    return ExitCode::kSuccess;
  }
  const auto standing = job_standing(job.folder());
  if (has_job(job, standing)) return ExitCode::kSuccess;
  const std::string shown = StudyFolder(job.folder()).shown();
  if (job.is_done()) {
    if (!job.errors().empty()) throw UsageError("no study of the batch can begin");
    say("the batch " + job.name() + " is done, and nothing is submitted: `nightshift " +
        (job.is_array() ? "merge " : "report ") + shell_word(shown) + "`");
    return ExitCode::kSuccess;
  }
  job.prepare();
  submit(job, standing ? std::optional(standing->submission) : std::nullopt);
  say("the batch is in " + shown + ": `nightshift status " + shell_word(shown) + "`");
  return ExitCode::kSuccess;
}

}  // namespace

Command submit_command() {
  return make_command<SubmitOptions>("submit", "Give a batch to Slurm, or go on with it", kEpilogue,
                                     declare, run);
}

}  // namespace nightshift::tools
