#include "problems/readers/recorded/recorded_problem.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <utility>

#include "problems/readers/keys/program_keys.h"
#include "problems/readers/problem/settings.h"
#include "problems/readers/recorded/recorded_objective.h"
#include "problems/value_list.h"
#include "search/rules.h"

namespace nightshift::problems {

using search::Configuration;
using search::Parameter;

namespace {

std::vector<std::string> names_of(const std::vector<Parameter>& parameters) {
  std::vector<std::string> names;
  for (const Parameter& parameter : parameters) names.push_back(parameter.name);
  return names;
}

bool lists(const std::vector<Parameter>& parameters, const std::string& name) {
  return std::any_of(parameters.begin(), parameters.end(),
                     [&](const Parameter& p) { return p.name == name; });
}

void settle_objective(search::Problem& problem, const RecordedSpace& recording,
                      SaidOfObjective said, const SourceLocation& location,
                      Diagnostics& diagnostics) {
  const search::Objective& recorded = recording.objective();
  if (!said.is_named) {
    problem.objectives = {recorded};
  } else if (problem.objectives.size() != 1 || problem.objectives.front().name != recorded.name) {
    diagnostics.add(location, "the recording has one objective, " + in_quotes(recorded.name));
  }
  if (said.has_direction) return;
  problem.objectives.front().direction = recorded.direction;
  if (recording.has_direction()) return;
  const std::string remark = direction_remark(recorded);
  if (!remark.empty()) problem.notes.push_back(remark);
}

// Figures of which some are not positive have no ratios: they are compared by their differences, as
// shares of what they span.
void settle_sign(search::Problem& problem, const RecordedSpace& recording) {
  double least = std::numeric_limits<double>::infinity(), most = -least;
  for (const RecordedTrial& trial : recording.trials()) {
    for (const double value : trial.values) {
      least = std::min(least, value);
      most = std::max(most, value);
    }
  }
  if (least > 0 || most < least) return;
  search::Objective& objective = problem.objectives.front();
  objective.difference_scale = most > least ? most - least : 1;
  const auto rounded = [](double number) {
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", number);
    return std::string(text);
  };
  problem.notes.push_back(
      "the figure " + in_quotes(objective.name) + " goes down to " + rounded(least) +
      ", so that it is compared by differences and not by ratios; 1 % is 1 % of what was recorded "
      "from the least to the greatest, " +
      rounded(objective.difference_scale));
}

void settle_parameters(search::Problem& problem, const RecordedSpace& recording,
                       const SourceLocation& location, Diagnostics& diagnostics) {
  const std::vector<std::string> recorded = names_of(recording.parameters());
  for (const Parameter& parameter : problem.parameters) {
    if (parameter.active_when) {
      diagnostics.add(location, "the recorded parameter " + in_quotes(parameter.name) +
                                    " has a condition ('when'); write it as a constraint");
    }
    if (lists(recording.parameters(), parameter.name)) continue;
    diagnostics.add(location, "the recording has no parameter " + in_quotes(parameter.name) +
                                  suggestion(parameter.name, recorded));
  }
  for (const Parameter& parameter : recording.parameters()) {
    if (!lists(problem.parameters, parameter.name)) problem.parameters.push_back(parameter);
  }
}

void set_defaults(search::Problem& problem, const Configuration& configuration) {
  for (Parameter& parameter : problem.parameters) {
    parameter.default_value = *configuration.find(parameter.name);
  }
  problem.baseline = configuration;
}

// The defaults that the file names itself, T1's among them.
std::vector<Configuration::Entry> named_defaults(const search::Problem& problem) {
  std::vector<Configuration::Entry> defaults;
  for (const Parameter& parameter : problem.parameters) {
    if (parameter.default_value) defaults.emplace_back(parameter.name, *parameter.default_value);
  }
  return defaults;
}

bool worked(const RecordedSpace& recording, const Configuration& configuration) {
  const RecordedTrial* trial = recording.find(configuration);
  return trial != nullptr && !trial->values.empty();
}

// The first configuration of the space that worked, of those that have the named defaults where one
// of these did; `note` is then why it is another than the file would have. The end where none did.
std::vector<Configuration>::const_iterator usual_baseline(const search::Problem& problem,
                                                          const std::vector<Configuration>& space,
                                                          const RecordedSpace& recording,
                                                          std::string& note) {
  const std::vector<Configuration::Entry> defaults = named_defaults(problem);
  const auto has_defaults = [&](const Configuration& configuration) {
    return std::ranges::all_of(defaults, [&](const Configuration::Entry& entry) {
      return *configuration.find(entry.first) == entry.second;
    });
  };
  const auto works = [&](const Configuration& c) { return worked(recording, c); };
  const auto wanted = std::ranges::find_if(space, has_defaults);
  auto chosen = std::find_if(wanted, space.end(),
                             [&](const Configuration& c) { return has_defaults(c) && works(c); });
  if (chosen == space.end()) chosen = std::ranges::find_if(space, works);
  if (chosen == space.end() || chosen == wanted) return chosen;
  const std::string failed =
      wanted == space.end()
          ? "no recorded configuration has the defaults " + Configuration(defaults).to_json()
          : "the default configuration, " + wanted->to_json() +
                ", is recorded as a failure: " + search::describe(recording.find(*wanted)->failure);
  note = failed + "; the baseline is " + chosen->to_json() +
         ", which worked, and 'baseline' chooses another";
  return chosen;
}

// "convolution-A100" for "/data/convolution-A100.T4.json.gz".
std::string name_of_file(const std::string& path) {
  std::filesystem::path name = std::filesystem::path(path).filename();
  for (const char* extension : {".gz", ".json", ".xml", ".T4"}) {
    if (name.extension() == extension && name.has_stem()) name = name.stem();
  }
  return name.string();
}

}  // namespace

std::vector<Configuration> admitted(const search::Problem& problem,
                                    const RecordedSpace& recording) {
  std::vector<Configuration> configurations;
  for (const RecordedTrial& trial : recording.trials()) {
    std::vector<Configuration::Entry> entries;
    for (const Parameter& parameter : problem.parameters) {
      const search::Value* recorded = trial.configuration.find(parameter.name);
      const search::Value* value = recorded ? find_value(parameter, *recorded) : nullptr;
      if (value == nullptr) break;
      entries.emplace_back(parameter.name, *value);
    }
    if (entries.size() < problem.parameters.size()) continue;
    Configuration configuration(std::move(entries));
    if (satisfies(problem, configuration)) configurations.push_back(std::move(configuration));
  }
  return configurations;
}

void complete_from_recording(search::Problem& problem, const RecordedSpace& recording,
                             SaidOfObjective said, const std::vector<BaselineEntry>& baseline,
                             const SourceLocation& location, Diagnostics& diagnostics) {
  problem.notes.insert(problem.notes.end(), recording.remarks().begin(), recording.remarks().end());
  settle_objective(problem, recording, said, location, diagnostics);
  settle_sign(problem, recording);
  settle_parameters(problem, recording, location, diagnostics);
  if (!diagnostics.empty()) return;
  const std::vector<Configuration> space = admitted(problem, recording);
  std::string note;
  const auto first = usual_baseline(problem, space, recording, note);
  if (first == space.end()) {
    diagnostics.add(location,
                    space.empty()
                        ? "none of the " + std::to_string(recording.trials().size()) +
                              " recorded configurations has the listed values and satisfies "
                              "the constraints"
                        : std::string("no recorded configuration worked"));
    return;
  }
  set_defaults(problem, *first);
  if (baseline.empty()) {
    if (!note.empty()) problem.notes.push_back(std::move(note));
    return;
  }
  set_baseline(problem, baseline, {{names_of(problem.parameters)}}, diagnostics);
  if (!diagnostics.empty()) return;
  if (std::find(space.begin(), space.end(), problem.baseline) == space.end()) {
    diagnostics.add(baseline.front().name_location,
                    "the baseline " + problem.baseline.to_json() + " was not recorded");
  } else if (!worked(recording, problem.baseline)) {
    diagnostics.add(baseline.front().name_location,
                    "the baseline " + problem.baseline.to_json() + " is recorded as a failure: " +
                        search::describe(recording.find(problem.baseline)->failure));
  } else {
    set_defaults(problem, Configuration(problem.baseline));
  }
}

search::Problem problem_of_recording(const RecordedSpace& recording, const std::string& path,
                                     TableReader& root) {
  search::Problem problem;
  problem.file = std::filesystem::absolute(path).lexically_normal().string();
  problem.name = name_of_file(path);
  root.string("name", problem.name);
  search::RecordedBackend backend{problem.file};
  if (auto table = root.subtable("recorded")) {
    recorded_settings().read(*table, backend);
    table->finish();
  }
  problem.backend = backend;
  problem.target = search::usual_target(problem.backend);
  read_settings(root, problem);
  const std::vector<BaselineEntry> baseline = read_baseline(root);
  const NamedConfigurations named = read_named(root, problem.file);
  if (root.take("objective") != nullptr) {
    root.diagnostics().add(root.location_of("objective"),
                           "a recording is replayed by the objective that it names, " +
                               in_quotes(recording.objective().name) +
                               ": leave 'objective' away; a problem file with [recorded] gives it "
                               "another unit, a weight or limits");
  }
  root.finish();
  root.diagnostics().throw_if_any();
  complete_from_recording(problem, recording, {}, baseline, {}, root.diagnostics());
  set_named(problem, named, {{names_of(problem.parameters)}}, root.diagnostics());
  settle_budget(problem);
  return problem;
}

std::optional<RecordedSpace> read_recorded(TableReader& recorded,
                                           const std::filesystem::path& folder,
                                           search::RecordedBackend& backend) {
  recorded_settings().read(recorded, backend);
  const bool found = recorded.require("file") && recorded.file("file", folder, backend.file);
  recorded.finish();
  if (!found) return std::nullopt;
  try {
    return RecordedSpace::read(backend.file);
  } catch (const RecordedSpaceError& error) {
    recorded.diagnostics().add(recorded.location_of("file"), error.what());
    return std::nullopt;
  }
}

}  // namespace nightshift::problems
