#include "tools/slurm/slurm_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <utility>

#include "base/quantity.h"
#include "tools/text/format.h"

namespace nightshift::tools {
namespace {

constexpr std::size_t kMostDigits = 18;

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (end > 0) lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// The value behind the last " KEY=": a job's name stands before the keys that are asked for, and
// may hold anything.
std::string_view value_of(std::string_view text, std::string_view key) {
  const std::string wanted = " " + std::string(key) + "=";
  const std::size_t at = text.rfind(wanted);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = text.substr(at + wanted.size());
  return rest.substr(0, rest.find(' '));
}

std::string known_or_empty(std::string_view text) {
  const bool unknown = text == "None" || text == "(null)" || text == "N/A";
  return unknown ? "" : one_line(text);
}

}  // namespace

bool is_job_number(std::string_view text) {
  return !text.empty() && text.size() <= kMostDigits &&
         std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0; });
}

std::optional<SlurmJob> parse_submitted(std::string_view text) {
  const std::vector<std::string_view> lines = lines_of(text);
  if (lines.empty()) return std::nullopt;
  const std::string_view line = lines.back();
  const std::size_t split = std::min(line.find(';'), line.size());
  const std::string_view number = line.substr(0, split);
  if (!is_job_number(number)) return std::nullopt;
  SlurmJob job{std::string(number), ""};
  if (split < line.size()) job.cluster = one_line(line.substr(split + 1));
  return job;
}

std::vector<QueuedJob> parse_queue(std::string_view text) {
  std::vector<QueuedJob> jobs;
  for (std::string_view line : lines_of(text)) {
    std::array<std::string_view, 4> fields;
    std::size_t count = 0;
    for (bool more = true; more && count < fields.size(); ++count) {
      const std::size_t end = line.find('|');
      more = end != std::string_view::npos;
      fields[count] = line.substr(0, end);
      if (more) line.remove_prefix(end + 1);
    }
    const bool is_job = count == fields.size() && !fields[0].empty() && !fields[1].empty() &&
                        std::isdigit(static_cast<unsigned char>(fields[0].front())) != 0;
    if (!is_job) continue;
    jobs.push_back({one_line(fields[0]), one_line(fields[1]), known_or_empty(fields[2]),
                    known_or_empty(fields[3])});
  }
  return jobs;
}

std::string job_of_script(std::string_view text, std::string_view script) {
  std::string last;
  for (const std::string_view line : lines_of(text)) {
    const std::size_t split = std::min(line.find('|'), line.size());
    const std::string_view number = line.substr(0, split);
    if (!is_job_number(number) || line.substr(std::min(split + 1, line.size())) != script) continue;
    const bool is_later =
        std::pair(number.size(), number) > std::pair(last.size(), std::string_view(last));
    if (is_later) last = number;
  }
  return last;
}

bool may_be_done(std::string_view complaint) {
  constexpr std::array<std::string_view, 7> kCutOff = {
      "timed out",        "Zero Bytes were transmitted", "send failure",    "receive failure",
      "shutdown failure", "Unexpected message received", "Connection reset"};
  return std::ranges::any_of(kCutOff, [&](std::string_view words) {
    return complaint.find(words) != std::string_view::npos;
  });
}

JobTerms parse_job_terms(std::string_view text) {
  const std::string_view before_paths = text.substr(0, text.rfind(" Command="));
  JobTerms terms;
  terms.may_requeue = value_of(before_paths, "Requeue") == "1";
  if (const auto end = base::parse_count(value_of(before_paths, "EndTime"))) {
    terms.end = static_cast<double>(*end);
  }
  terms.runs = value_of(before_paths, "JobState") == "RUNNING";
  const auto began = base::parse_count(value_of(before_paths, "StartTime"));
  const auto preempted = base::parse_count(value_of(before_paths, "PreemptTime"));
  terms.preempted = began && preempted && *preempted >= *began;
  terms.batch_host = known_or_empty(value_of(before_paths, "BatchHost"));
  return terms;
}

// "ALLOCATED", "IDLE*" or "IDLE+NOT_RESPONDING", "DOWN*+DRAIN".
bool is_lost_node(std::string_view text) {
  const std::string_view state = value_of(text, "State");
  return state.starts_with("DOWN") || state.starts_with("FAIL") ||
         state.find('*') != std::string_view::npos ||
         state.find("NOT_RESPONDING") != std::string_view::npos;
}

std::vector<std::string> parse_host_names(std::string_view text) {
  std::vector<std::string> names;
  for (const std::string_view line : lines_of(text)) {
    const bool is_name = std::ranges::all_of(line, [](unsigned char c) {
      return std::isalnum(c) != 0 || c == '-' || c == '.' || c == '_';
    });
    if (is_name && line.front() != '-') names.emplace_back(line);
  }
  return names;
}

std::string queue_state_text(const std::vector<QueuedJob>& jobs) {
  if (jobs.empty()) return "no longer in the queue";
  if (jobs.size() == 1) {
    const QueuedJob& job = jobs.front();
    if (!job.nodes.empty()) return job.state + " on " + job.nodes;
    return job.state + (job.reason.empty() ? "" : " (" + job.reason + ")");
  }
  std::map<std::string, std::size_t> states;
  for (const QueuedJob& job : jobs) ++states[job.state];
  std::string text;
  for (const auto& [state, count] : states) {
    text += (text.empty() ? "" : ", ") + count_of(count, "task") + " " + state;
  }
  return text;
}

}  // namespace nightshift::tools
