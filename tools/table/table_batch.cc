#include "tools/table/table_batch.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <set>
#include <utility>

#include "base/nearest.h"
#include "base/text.h"
#include "scheduler/journal/batch_journal.h"
#include "scheduler/journal/sqlite_journal.h"
#include "scheduler/summary/study_standing.h"
#include "search/table/kept_configurations.h"
#include "tools/batch/batch_facts.h"
#include "tools/batch/looked_at.h"
#include "tools/problem/journaled_problem.h"
#include "tools/problem/own_journal.h"
#include "tools/text/format.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

using scheduler::BatchRecord;
using scheduler::BatchStudyRecord;

LookedAt batch_named(const std::string& word) {
  for (const LookedAt& found : looked_at_or_named(word)) {
    if (found.is_batch) return found;
  }
  throw UsageError(word + ": expected a batch, by its folder or its name in batches/; " +
                   "`nightshift batch run` makes one");
}

// ln of the score of each configuration: of its exploration, or that of its equal machine code.
void note_scores(const scheduler::History& history, TableStudy& study, TableBatch& batch) {
  std::set<std::string> failed;
  for (const scheduler::TrialRecord& trial : history.trials) {
    const search::Configuration& configuration = trial.proposed.configuration;
    if (configuration.is_baseline()) continue;
    const std::string key = configuration.to_json();
    if (scheduler::failed_when_confirmed(trial)) failed.insert(key);
    if (trial.proposed.job != search::JobKind::kExplore || !trial.finished) continue;
    const auto& score = trial.finished->normalised;
    if (!score || !(score->value > 0)) continue;
    study.known[key] = std::log(score->value);
    batch.configurations.emplace(key, configuration);
  }
  for (const std::string& key : failed) study.known.erase(key);
}

// False where nothing of it is to be used, which is noted.
bool add_study(const BatchStudyRecord& record, const std::vector<scheduler::BatchStudyTerms>& all,
               const std::vector<problems::Override>& overrides, TableBatch& batch) {
  const std::string& name = record.terms.name;
  TableStudy study;
  study.name = name;
  study.folder = batch.folder + "/" + name;
  study.problem_file = record.terms.problem;
  study.shape = {record.terms.shape, record.terms.calls};
  if (!scheduler::holds_study(study.folder)) {
    const std::string gone = why_gone(StudyFolder(study.folder), record);
    batch.notices.push_back(gone.empty() ? name + " has not begun: its shape is not in the table"
                                         : name + " is left out: " + gone);
    return false;
  }
  for (const auto& [size, value] : study.shape.sizes) {
    for (const auto& [key, text] : record.terms.overrides) {
      if (key.ends_with(".sizes." + size)) study.size_keys[size] = key;
    }
  }
  try {
    const auto history = scheduler::load_history(study.folder, scheduler::Detail::kTrials);
    expect_own_journal(history, StudyFolder(study.folder), record.terms, all);
    study.problem = problem_of(history, overrides);
    note_scores(history, study, batch);
    study.unknown = why_unknown(history, name);
  } catch (const std::exception& error) {
    batch.notices.push_back(name + " is left out: " + one_line(error.what()));
    return false;
  }
  batch.studies.push_back(std::move(study));
  return true;
}

std::vector<std::string> names_in(const search::Sizes& sizes) {
  std::vector<std::string> names;
  for (const auto& [name, size] : sizes) names.push_back(name);
  return names;
}

// `family` names a study, those of one entry, or their problem file; empty: all.
bool is_called(const scheduler::BatchStudyTerms& terms, const std::string& family) {
  return family.empty() || terms.name == family || terms.name.starts_with(family + "-") ||
         terms.problem == family;
}

// The studies of a table: those that are called so, else those whose names begin so.
std::vector<BatchStudyRecord> asked_for(const BatchRecord& record, const std::string& family) {
  std::vector<BatchStudyRecord> called, begun;
  for (const BatchStudyRecord& study : record.studies) {
    if (study.terms.shape.empty()) continue;
    if (is_called(study.terms, family)) called.push_back(study);
    if (study.terms.name.starts_with(family)) begun.push_back(study);
  }
  return called.empty() ? begun : called;
}

// What may be asked for: studies with shapes, those of one entry together, and problem files.
std::vector<std::string> families_of(const BatchRecord& record) {
  std::set<std::string> families;
  for (const BatchStudyRecord& study : record.studies) {
    if (study.terms.shape.empty()) continue;
    families.insert(study.terms.name);
    families.insert(study.terms.problem);
    families.insert(study.terms.name.substr(0, study.terms.name.rfind('-')));
  }
  return {families.begin(), families.end()};
}

// The problem file of those studies. Of a family there may be several, a recording for each shape.
std::string chosen_problem(const BatchRecord& record, const std::vector<BatchStudyRecord>& studies,
                           const std::string& family) {
  std::vector<std::string> files;
  for (const BatchStudyRecord& study : studies) files.push_back(study.terms.problem);
  const std::set<std::string> different(files.begin(), files.end());
  if (family.empty() && different.size() > 1) {
    throw UsageError("the batch has several problems with shapes: " +
                     base::list_of({different.begin(), different.end()}, "and") +
                     "; name the studies of one with --problem NAME");
  }
  if (!files.empty()) return files.front();
  if (record.studies.empty()) {
    throw UsageError(
        "the batch has not begun: no study of it is known; `nightshift batch run` begins it");
  }
  throw UsageError((family.empty() ? "the batch has no study with a shape"
                                   : "the batch has no study '" + family + "' with a shape" +
                                         base::did_you_mean(family, families_of(record))) +
                   "; give its [[study]] `shapes`, `each` over sizes, or `shape`");
}

void check_parameters(const TableBatch& batch) {
  const auto names_of = [](const TableStudy& study) {
    std::set<std::string> names;
    for (const search::Parameter& p : study.problem.parameters) names.insert(p.name);
    return names;
  };
  for (const TableStudy& study : batch.studies) {
    if (names_of(study) == names_of(batch.studies.front())) continue;
    throw UsageError("studies of one table have the same parameters, and " + study.name +
                     " has others than " + batch.studies.front().name);
  }
}

// All sizes stand in the order of the first study.
void check_shapes(TableBatch& batch) {
  std::set<search::Sizes> known;
  const std::vector<std::string> names = names_in(batch.studies.front().shape.sizes);
  for (TableStudy& study : batch.studies) {
    std::ranges::stable_sort(study.shape.sizes, {}, [&](const auto& size) {
      return std::ranges::find(names, size.first) - names.begin();
    });
    if (names_in(study.shape.sizes) != names) {
      throw UsageError("the shapes have different sizes: " + batch.studies.front().name + " has " +
                       base::list_of(names, "and") + ", " + study.name + " has " +
                       base::list_of(names_in(study.shape.sizes), "and"));
    }
    if (!known.insert(study.shape.sizes).second) {
      throw UsageError("two studies have one shape, the second is " + study.name +
                       "; a table has one row for it");
    }
  }
}

}  // namespace

std::string why_unknown(const scheduler::History& history, const std::string& name) {
  const auto is_its_default = [](const scheduler::TrialRecord& trial) {
    return trial.proposed.job == search::JobKind::kBaseline && trial.finished &&
           trial.finished->value;
  };
  if (std::ranges::any_of(history.trials, is_its_default)) return "";
  const scheduler::RunState state = scheduler::run_state_of(history);
  if (state.status != "failed") return name + " has not measured its baseline yet";
  return name + ": " + one_line(state.reason.substr(0, state.reason.find('\n')));
}

bool is_known(const TableStudy& study, const search::MatrixColumn& column,
              const std::string& missing) {
  const auto has_figures = [](const search::MatrixCell& cell) {
    return !cell.effects.empty() || cell.same_as_default;
  };
  const bool fails = !column.cells.empty() && column.cells.front().failed;
  if (fails || std::ranges::any_of(column.cells, has_figures)) return !fails;
  return missing.empty() && study.unknown.empty();
}

TableStudy with_sizes(const TableStudy& study, const search::Sizes& sizes,
                      const std::vector<problems::Override>& overrides) {
  std::vector<problems::Override> all = overrides;
  for (const auto& [name, size] : sizes) {
    const auto key = study.size_keys.find(name);
    if (key == study.size_keys.end()) {
      throw UsageError("sizes that no study has can be set for [host] and [cuda] alone; " +
                       study.name + " has its " + name + " by other means");
    }
    all.emplace_back(key->second, std::to_string(size));
  }
  all.emplace_back("search.starts", "[]");  // they are of the study's own sizes
  TableStudy other;
  other.name = study.name;
  other.folder = study.folder;
  other.problem_file = study.problem_file;
  other.shape = {sizes, 1};
  other.problem = problem_of(scheduler::load_history(study.folder, scheduler::Detail::kHead), all);
  return other;
}

TableBatch read_table_batch(const std::string& word, const std::string& family,
                            const std::vector<problems::Override>& overrides) {
  const LookedAt found = batch_named(word);
  const BatchRecord record = scheduler::load_batch(found.folder);
  TableBatch batch;
  batch.name = record.name;
  batch.folder = found.folder;
  for (const scheduler::BatchEventRecord& event : record.events) {
    if (event.kind == scheduler::kNodesEvent) batch.nodes = event.text;
  }
  const std::vector<BatchStudyRecord> studies = asked_for(record, family);
  batch.problem_file = chosen_problem(record, studies, family);
  const std::vector<scheduler::BatchStudyTerms> all = terms_in(record);
  for (const BatchStudyRecord& study : studies) (void)add_study(study, all, overrides, batch);
  if (batch.studies.empty()) {
    throw UsageError(word +
                     ": no study with a shape can be read: " + base::joined(batch.notices, "; "));
  }
  check_shapes(batch);
  check_parameters(batch);
  return batch;
}

std::vector<search::Configuration> table_candidates(const TableBatch& batch, std::size_t most) {
  std::vector<search::Configuration> all(1);
  search::ChoiceCosts choice;
  for (const auto& [key, configuration] : batch.configurations) all.push_back(configuration);
  for (const TableStudy& study : batch.studies) {
    std::vector<double>& costs = choice.costs.emplace_back(1, 0.0);
    for (const auto& [key, configuration] : batch.configurations) {
      const auto known = study.known.find(key);
      costs.push_back(known == study.known.end() ? 0.0 : known->second);
    }
    choice.weights.push_back(study.shape.weight);
  }
  std::vector<search::Configuration> candidates(1);
  const std::vector<search::KeptConfigurations> curve = search::curve_of_kept(choice, most, 0);
  for (const std::size_t c : curve.back().kept) candidates.push_back(all[c]);
  return candidates;
}

}  // namespace nightshift::tools
