#include "tools/problem/journaled_problem.h"

#include <exception>
#include <filesystem>
#include <string>
#include <system_error>

#include "problems/recorded_space.h"
#include "tools/usage_error.h"

namespace nightshift::tools {

namespace {

std::string last_of(const scheduler::History& history, const char* what, std::string first) {
  for (const scheduler::Remark& remark : history.remarks) {
    if (remark.what == what) first = remark.detail;
  }
  return first;
}

search::Problem read_as(problems::TextOrigin origin, const scheduler::History& history,
                        const std::vector<problems::Override>& more) {
  std::vector<problems::Override> overrides = overrides_of(history);
  overrides.insert(overrides.end(), more.begin(), more.end());
  const scheduler::StudyHeader& header = history.header;
  return header.problem_text.empty()
             ? problems::read_problem(header.problem_file, overrides)
             : problems::parse_problem(header.problem_text, header.problem_file, overrides, origin);
}

// But for the files that it names.
bool is_understood(const scheduler::History& history, const std::vector<problems::Override>& more) {
  try {
    read_as(problems::TextOrigin::kTelling, history, more);
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

std::string what_is_gone(const scheduler::History& history) {
  const auto folder = std::filesystem::path(history.header.problem_file).parent_path();
  std::error_code ignored;
  if (folder.empty() || std::filesystem::is_directory(folder, ignored)) {
    return "files of the study's problem are not as it had them";
  }
  return "the folder of the study's problem, " + folder.string() +
         ", is gone: move it back, or tune the problem where it is now with another --study. The "
         "study has files there";
}

}  // namespace

std::string device_selection_of(const scheduler::History& history) {
  return last_of(history, kDevicesRemark, history.header.device_selection);
}

std::string nodes_of(const scheduler::History& history) {
  return last_of(history, kNodesRemark, "");
}

std::vector<problems::Override> overrides_of(const scheduler::History& history) {
  std::vector<problems::Override> overrides = history.header.overrides;
  for (const scheduler::Remark& remark : history.remarks) {
    const std::size_t equals = remark.detail.find('=');
    if (remark.what != kOverrideRemark || equals == std::string::npos) continue;
    overrides.emplace_back(remark.detail.substr(0, equals), remark.detail.substr(equals + 1));
  }
  return overrides;
}

search::Problem problem_of(const scheduler::History& history,
                           const std::vector<problems::Override>& more) {
  try {
    return read_as(problems::TextOrigin::kJournal, history, more);
  } catch (const problems::ProblemFileError& error) {
    if (!is_understood(history, more)) throw;
    throw UsageError(what_is_gone(history) +
                     ", which building and measuring needs (report, explain and export do not):\n" +
                     error.what());
  }
}

search::Problem told_problem(const scheduler::History& history) {
  search::Problem problem = read_as(problems::TextOrigin::kTelling, history, {});
  scheduler::take_told_units(problem.objectives, history);
  return problem;
}

search::Problem outline_of(const scheduler::History& history) {
  search::Problem problem;
  problem.name = history.header.problem_name;
  problem.file = history.header.problem_file;
  problem.scheduling.searcher.clear();
  if (!history.objectives.empty()) problem.objectives = history.objectives;
  return problem;
}

search::Problem problem_for_telling(const scheduler::History& history) {
  try {
    return told_problem(history);
  } catch (const problems::ProblemFileError&) {
    return outline_of(history);
  } catch (const problems::RecordedSpaceError&) {
    return outline_of(history);
  }
}

}  // namespace nightshift::tools
