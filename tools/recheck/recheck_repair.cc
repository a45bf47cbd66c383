#include "tools/recheck/recheck_repair.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "problems/budget_text.h"
#include "problems/problem_file.h"
#include "scheduler/clock.h"
#include "scheduler/errors.h"
#include "scheduler/journal/sqlite_journal.h"
#include "scheduler/summary/summary.h"
#include "search/value.h"
#include "tools/problem/made_of.h"
#include "tools/problem/problem_source.h"
#include "tools/study/study.h"
#include "tools/study/study_parts.h"
#include "tools/study/warm_start.h"
#include "tools/text/format.h"
#include "tools/text/toml_list.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

using problems::Override;

std::vector<Override> overrides_of_study(const StoredWinner& winner, double seconds) {
  std::vector<Override> overrides = winner.overrides;
  const std::string budget = fmt::format("{:.0f}ms", seconds * 1000);
  if (const auto limit = problems::read_budget(budget)) {
    overrides.insert(overrides.end(), limit->begin(), limit->end());
  }
  if (!winner.configuration.is_baseline()) {
    overrides.emplace_back(kStarts, toml_list(std::vector{winner.configuration}));
  }
  return overrides;
}

bool run(const StoredWinner& winner, double seconds, const DeviceTerms& devices,
         RecheckRepair& repair) {
  std::vector<Override> overrides = overrides_of_study(winner, seconds);
  std::string text;
  search::Problem problem = read_problem(winner.problem.file, overrides, &text);
  if (!winner.study.empty() && !that_fit({winner.study}, problem, 1).empty()) {
    overrides.emplace_back("search.warm_start", toml_list({winner.study}));
    problem = read_problem(winner.problem.file, overrides, &text);
  }
  search::Identity identity = made_of(problem);
  RunOptions options;
  options.wait = devices.wait;
  Study study(std::move(problem), devices.selection, options, nullptr);
  const auto folder =
      StudyFolder::fresh(study.problem().name, scheduler::SystemClock{}.unix_seconds());
  repair.study = folder.shown();
  const auto journal = scheduler::SqliteJournal::create(
      folder.path(),
      study_header(study.problem(), std::move(text), std::move(overrides), devices.selection,
                   std::move(identity)),
      study.problem());
  journal->end_turn();
  const scheduler::StudySummary summary = study.run_untold(folder, *journal);
  repair.accepted = summary.accepted;
  repair.ratio = summary.ratio;
  repair.interval = summary.ratio_interval;
  repair.reason = summary.reason;
  return summary.status != "interrupted";
}

bool tune_anew(const StoredWinner& winner, double seconds, const DeviceTerms& devices,
               RecheckRepair& repair) {
  if (winner.folder) {
    repair.reason =
        "it is a bundle, whose copies go with this command; tune its problem file by itself";
    return true;
  }
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(winner.problem.file, ignored)) {
    repair.reason = "its problem file is not there any more";
    return true;
  }
  try {
    return run(winner, seconds, devices, repair);
  } catch (const scheduler::StudyError& error) {
    repair.reason = error.what();
  } catch (const problems::ProblemFileError& error) {
    repair.reason = error.what();
  } catch (const UsageError& error) {
    repair.reason = error.what();
  }
  return true;
}

std::string told_shares(std::size_t studies, double seconds) {
  if (studies == 1) return "--repair: " + format_duration(seconds) + " to tune one problem anew";
  return fmt::format(
      "--repair: {} to tune {} problems anew, {} each; what one leaves is the next's",
      format_duration(seconds), studies, format_duration(seconds / static_cast<double>(studies)));
}

}  // namespace

bool tune_all_anew(const std::vector<TunedAnew>& all, double seconds, const DeviceTerms& devices,
                   std::vector<std::string>& notices) {
  if (all.empty()) return true;
  notices.push_back(told_shares(all.size(), seconds));
  const scheduler::SystemClock clock;
  double left_over = 0;
  for (const TunedAnew& one : all) {
    one.repair->reason = "it did not end";
    const double share = seconds / static_cast<double>(all.size()) + left_over;
    const auto began = clock.now();
    if (!tune_anew(one.winner, share, devices, *one.repair)) return false;
    const double took = std::chrono::duration<double>(clock.now() - began).count();
    left_over = std::max(0.0, share - took);
  }
  return true;
}

}  // namespace nightshift::tools
