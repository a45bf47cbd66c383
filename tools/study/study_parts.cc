#include "tools/study/study_parts.h"

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <utility>

#include "scheduler/clock.h"
#include "scheduler/devices/environment.h"
#include "search/searcher_catalogue.h"
#include "tools/document/document_writers.h"
#include "tools/history/past_runs.h"
#include "tools/output_file.h"
#include "tools/report/study_report.h"
#include "tools/study/warm_start.h"
#include "tools/text/format.h"
#include "tools/text/toml_list.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

search::SearcherSettings search_settings(const search::Problem& problem,
                                         const search::ParameterSpace& space) {
  search::SearcherSettings settings;
  settings.seed = problem.scheduling.seed;
  settings.options = problem.scheduling.options;
  settings.starts_only = problem.scheduling.effort == search::Effort::kNone;
  if (const auto baseline = search::baseline_configuration(problem)) {
    settings.baseline = space.index_of(*baseline);
  }
  // What everybody would try first. A recording's parameters have no defaults that anybody chose.
  const auto defaults = space.index_of(search::default_configuration(problem));
  if (defaults && defaults != settings.baseline && !search::is_recorded(problem)) {
    settings.starts.push_back(*defaults);
  }
  for (const search::Configuration& start : problem.scheduling.starts) {
    const auto index = space.index_of(start);
    if (!index) throw UsageError("the start " + start.to_json() + " is not in the space");
    settings.starts.push_back(*index);
  }
  settings.earlier = warm_start(problem.scheduling.warm_start, space);
  settings.expected = search::expected_cost(problem);
  return settings;
}

}  // namespace

std::unique_ptr<search::Searcher> searcher_for(const search::Problem& problem,
                                               const search::ParameterSpace& space) {
  try {
    return search::make_searcher(problem.scheduling.searcher, space,
                                 search_settings(problem, space));
  } catch (const std::invalid_argument& e) {
    throw UsageError(e.what());
  }
}

void settle_multiprocessors(search::Problem& problem,
                            const std::vector<scheduler::Device>& devices) {
  search::SchedulingSettings& scheduling = problem.scheduling;
  if (scheduling.multiprocessors > 0 || !needs_multiprocessors(problem)) return;
  for (const scheduler::Device& device : devices) {
    if (scheduling.multiprocessors == 0) scheduling.multiprocessors = device.gpu.multiprocessors;
  }
}

std::vector<problems::Override> with_what_it_keeps(const search::Problem& problem,
                                                   std::vector<problems::Override> overrides) {
  const search::SchedulingSettings& scheduling = problem.scheduling;
  if (!scheduling.starts_files.empty()) {
    overrides.emplace_back(kStarts, toml_list(scheduling.starts));
    overrides.emplace_back(kStartsFile, kNoStartsFile);
  }
  const bool is_kept =
      std::ranges::any_of(overrides, [](const auto& one) { return one.first == kMultiprocessors; });
  if (!is_kept && scheduling.multiprocessors > 0 && needs_multiprocessors(problem)) {
    overrides.emplace_back(kMultiprocessors, std::to_string(scheduling.multiprocessors));
  }
  return overrides;
}

scheduler::StudyHeader study_header(const search::Problem& problem, std::string problem_text,
                                    std::vector<problems::Override> overrides,
                                    std::string device_selection, search::Identity identity) {
  scheduler::StudyHeader header;
  header.problem_name = problem.name;
  header.problem_file = problem.file;
  header.problem_text = std::move(problem_text);
  header.overrides = with_what_it_keeps(problem, std::move(overrides));
  header.device_selection = std::move(device_selection);
  header.environment =
      scheduler::capture_environment(problem.file, search::compiler_programs(problem));
  header.identity = std::move(identity);
  header.created = scheduler::SystemClock{}.unix_seconds();
  return header;
}

void keep_outcome(const StudyFolder& folder, const scheduler::History& history,
                  const search::Problem& problem) {
  keep_output(folder.report(), folded(to_text(document_of(history, problem, folder)), PageWidth{}));
  remember(folder, history, problem);
}

}  // namespace nightshift::tools
