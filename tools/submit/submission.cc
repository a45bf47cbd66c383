#include "tools/submit/submission.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "base/file_text.h"
#include "scheduler/clock.h"
#include "scheduler/errors.h"
#include "tools/output_file.h"
#include "tools/slurm/slurm_error.h"
#include "tools/slurm/slurm_programs.h"
#include "tools/text/format.h"
#include "tools/text/page.h"

namespace nightshift::tools {
namespace {

// Of several clusters a number alone names no job.
bool is_list(const std::string& clusters) {
  return clusters == "all" || clusters.find(',') != std::string::npos;
}

void find_by_script(JobStanding& standing, const std::string& script) {
  const std::string& clusters = standing.submission.job.cluster;
  if (is_list(clusters)) {
    throw SlurmError("one of several clusters may have it: `squeue --me --clusters=" + clusters +
                     "`");
  }
  if (auto job = find_job(script, clusters)) {
    standing.submission.job = std::move(*job);
    standing.found = true;
  }
}

}  // namespace

std::string submission_file(const std::string& batch_folder) {
  return batch_folder + "/slurm.json";
}
std::string script_file(const std::string& batch_folder) { return batch_folder + "/job.sh"; }

std::optional<Submission> parse_submission(std::string_view text) {
  try {
    const auto object = nlohmann::json::parse(text);
    Submission submission;
    submission.job.number = object.at("number");
    submission.job.cluster = one_line(object.at("cluster").get<std::string>());
    submission.at = object.at("submitted");
    submission.script = object.at("script");
    if (submission.job.number.empty() || is_job_number(submission.job.number)) return submission;
  } catch (const nlohmann::json::exception&) {
    // Of another form.
  }
  return std::nullopt;
}

std::optional<Submission> submission_of(const std::string& batch_folder) {
  const std::string file = submission_file(batch_folder);
  const std::string way_out = ": remove it once `squeue --me` shows no job of the batch";
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return std::nullopt;
  try {
    if (auto submission = parse_submission(base::read_whole_file(file))) return submission;
  } catch (const std::runtime_error& error) {
    throw scheduler::JournalError(error.what() + way_out);
  }
  throw scheduler::JournalError(file + " is damaged" + way_out);
}

void keep_submission(const std::string& batch_folder, const Submission& submission) {
  const nlohmann::ordered_json object = {{"number", submission.job.number},
                                         {"cluster", submission.job.cluster},
                                         {"submitted", submission.at},
                                         {"script", submission.script}};
  write_own(submission_file(batch_folder), json_text(object));
}

std::optional<JobStanding> job_standing(const std::string& batch_folder) {
  auto submission = submission_of(batch_folder);
  if (!submission) return std::nullopt;
  JobStanding standing{std::move(*submission), {}, ""};
  try {
    if (standing.is_cut_off()) {
      find_by_script(standing,
                     std::filesystem::absolute(script_file(batch_folder)).lexically_normal());
    }
    if (!standing.is_cut_off()) standing.queued = queued(standing.submission.job);
  } catch (const SlurmError& error) {
    standing.unknown = one_line(error.what());
  }
  return standing;
}

void expect_over(const JobStanding& standing, const std::string& batch_folder) {
  constexpr double kSlowest = 120;  // seconds
  const double latest = standing.submission.at + kSlowest;
  const bool was_asked = standing.unknown.empty();
  if (was_asked && scheduler::SystemClock{}.unix_seconds() >= latest) return;
  throw SlurmError(fmt::format(
      "{}. {}, or remove {} where you know that there is no such job", job_text(standing),
      was_asked ? "Slurm may take the job until " + format_date(latest) + ": try again then"
                : "Try again once that can be told",
      submission_file(batch_folder)));
}

std::string job_text(const JobStanding& standing) {
  if (standing.is_cut_off()) {
    return fmt::format(
        "the submission of {} was cut off, or goes on: sbatch has told no job's number, and {}; "
        "`squeue --me` shows your jobs, and `nightshift cancel NUMBER` cancels one",
        format_date(standing.submission.at),
        standing.unknown.empty() ? "squeue shows no job of it" : standing.unknown);
  }
  const std::string state =
      standing.unknown.empty()
          ? queue_state_text(standing.queued)
          : fmt::format("submitted {}; {}", format_date(standing.submission.at), standing.unknown);
  return fmt::format("job {}: {}", standing.submission.job.number, state);
}

nlohmann::ordered_json job_json(const JobStanding& standing) {
  nlohmann::ordered_json tasks = nlohmann::ordered_json::array();
  for (const QueuedJob& task : standing.queued) {
    tasks.push_back(
        {{"id", task.id}, {"state", task.state}, {"reason", task.reason}, {"nodes", task.nodes}});
  }
  return {{"number", standing.submission.job.number},
          {"cluster", standing.submission.job.cluster},
          {"submitted", standing.submission.at},
          {"tasks", tasks},
          {"unknown", standing.is_cut_off() ? job_text(standing) : standing.unknown}};
}

}  // namespace nightshift::tools
