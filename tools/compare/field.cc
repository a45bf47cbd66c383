#include "tools/compare/field.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "problems/problem_file.h"
#include "scheduler/errors.h"
#include "scheduler/journal/sqlite_journal.h"
#include "search/acceptance/ranking.h"
#include "tools/compare/built_code.h"
#include "tools/compare/contender.h"
#include "tools/problem/journaled_problem.h"
#include "tools/problem/made_of.h"
#include "tools/problem/own_journal.h"
#include "tools/problem/problem_source.h"
#include "tools/summary/measured_elsewhere.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

using scheduler::Contender;

// The parameters decide whether two studies can be compared; their values may differ.
void check_same_parameters(const search::Problem& problem, const std::string& folder,
                           const std::string& other) {
  const search::Problem second = told_problem(load_own_history(other, scheduler::Detail::kTrials));
  std::string mistakes;
  const auto missing = [&](const search::Problem& in, const search::Problem& from,
                           const std::string& who) {
    for (const search::Parameter& p : from.parameters) {
      const bool there = std::ranges::any_of(
          in.parameters, [&](const search::Parameter& q) { return q.name == p.name; });
      if (!there) mistakes += (mistakes.empty() ? "" : ", ") + who + " has no " + p.name;
    }
  };
  missing(problem, second, folder);
  missing(second, problem, other);
  if (mistakes.empty()) return;
  throw UsageError("the studies are of different problems (" + problem.name + " and " +
                   second.name + "): " + mistakes);
}

void tell_changes(const std::string& folder, const scheduler::History& history, Field& field) {
  std::string told = told_changes(folder, history, made_of(field.problem));
  if (!told.empty()) field.notices.push_back(std::move(told));
}

// What is compared, as `words` name it behind the problem or the study.
std::vector<std::string> named_by(const std::vector<std::string>& words, bool is_study) {
  const std::string& source = words.front();
  std::vector<std::string> names(words.begin() + 1, words.end());
  if (!is_study && names.empty()) {
    throw UsageError("compare " + source +
                     ": say what to compare: one configuration (against the baseline) or several");
  }
  if (is_study && names.size() < 2) {
    // One study: its best against the baseline. Two: the best of each.
    names.insert(names.empty() ? names.end() : names.begin(), source);
  }
  if (names.size() < 2) names.insert(names.begin(), "baseline");
  if (names.size() > search::kMostRanked) {
    throw UsageError(
        fmt::format("compare: {} configurations: expected {} at most, since all of their "
                    "pairs share the error level",
                    names.size(), search::kMostRanked));
  }
  return names;
}

}  // namespace

Field field_of(const std::vector<std::string>& words,
               const std::vector<problems::Override>& overrides) {
  const std::string& source = words.front();
  const bool is_study = scheduler::holds_study(source);
  Field field;
  if (is_study) {
    const auto history = load_own_history(source, scheduler::Detail::kTrials);
    field.problem = problem_of(history, overrides);
    expect_measured_here(field.problem, StudyFolder(source));
    tell_changes(source, history, field);
  } else {
    field.problem = read_problem(source, overrides);
  }
  const search::ParameterSpace space = problems::make_space(field.problem);
  for (const std::string& name : named_by(words, is_study)) {
    if (is_study && name != source && scheduler::holds_study(name)) {
      check_same_parameters(field.problem, source, name);
      tell_changes(name, load_own_history(name, scheduler::Detail::kTrials), field);
    }
    const Side side = side_of(name, field.problem.parameters);
    field.contenders.push_back({name, read_contender(side.configuration, field.problem, space)});
    field.built_as.emplace_back();
    if (side.overrides.empty()) continue;
    if (!search::needs_build(field.problem)) {
      throw UsageError(name + ": nothing is built for " + field.problem.name);
    }
    std::vector<problems::Override> all = overrides;
    all.insert(all.end(), side.overrides.begin(), side.overrides.end());
    field.built_as.back() =
        is_study ? problem_of(load_own_history(source, scheduler::Detail::kTrials), all)
                 : read_problem(source, all);
  }
  return field;
}

bool build_otherwise(Field& field, const std::string& devices, const TemporaryFolder& folder) {
  for (std::size_t i = 0; i < field.built_as.size(); ++i) {
    if (!field.built_as[i]) continue;
    Contender& contender = field.contenders[i];
    std::optional<BuiltCode> built;
    try {
      built = built_code(*field.built_as[i], {{contender.name, contender.configuration}}, devices,
                         folder, "building " + contender.name);
    } catch (const scheduler::ContenderFailed& failed) {
      throw scheduler::ContenderFailed(failed.what(), i, failed.outcome());
    }
    if (!built) return false;
    contender.artifact = built->contenders.front();
    field.artifacts = folder.artifacts();
    field.temporary = folder.path();
  }
  return true;
}

}  // namespace nightshift::tools
