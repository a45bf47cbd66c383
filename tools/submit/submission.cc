#include "tools/submit/submission.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "scheduler/errors.h"
#include "tools/output_file.h"
#include "tools/slurm/slurm_error.h"
#include "tools/slurm/slurm_programs.h"
#include "tools/text/format.h"
#include "tools/text/page.h"

namespace nightshift::tools {

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
    if (is_job_number(submission.job.number)) return submission;
  } catch (const nlohmann::json::exception&) {
    // Of another form.
  }
  return std::nullopt;
}

std::optional<Submission> submission_of(const std::string& batch_folder) {
  std::ifstream file(submission_file(batch_folder), std::ios::binary);
  if (!file) return std::nullopt;
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  auto submission = parse_submission(text);
  if (submission) return submission;
  throw scheduler::JournalError(
      submission_file(batch_folder) +
      " is damaged: remove it once `squeue --me` shows no job of the batch");
}

void keep_submission(const std::string& batch_folder, const Submission& submission) {
  const nlohmann::ordered_json object = {{"number", submission.job.number},
                                         {"cluster", submission.job.cluster},
                                         {"submitted", submission.at},
                                         {"script", submission.script}};
  write_output(submission_file(batch_folder), json_text(object));
}

std::optional<JobStanding> job_standing(const std::string& batch_folder) {
  auto submission = submission_of(batch_folder);
  if (!submission) return std::nullopt;
  JobStanding standing{std::move(*submission), {}, ""};
  try {
    standing.queued = queued(standing.submission.job);
  } catch (const SlurmError& error) {
    standing.unknown = one_line(error.what());
  }
  return standing;
}

std::string job_text(const JobStanding& standing) {
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
          {"unknown", standing.unknown}};
}

}  // namespace nightshift::tools
