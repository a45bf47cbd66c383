#include "problems/readers/problem/baseline.h"

#include <algorithm>
#include <utility>

#include "problems/value_list.h"
#include "search/rules.h"

namespace nightshift::problems {
namespace {

const search::Parameter* find(const std::vector<search::Parameter>& parameters,
                              std::string_view name) {
  const auto found = std::find_if(parameters.begin(), parameters.end(),
                                  [&](const search::Parameter& p) { return p.name == name; });
  return found == parameters.end() ? nullptr : &*found;
}

// The names and values of a table that are no table or list themselves.
std::vector<BaselineEntry> entries_of(const TableReader& table) {
  std::vector<BaselineEntry> entries;
  for (const auto& [key, node] : table.table()) {
    if (const auto value = scalar(node)) {
      entries.push_back({std::string(key.str()), *value, location_of(key.source()),
                         location_of(node.source()), located_string(node)});
    } else {
      table.error(key.str(), "must be one value, not " + describe(node));
    }
  }
  return entries;
}

// A configuration that a file names. `who` begins the sentence of a mistake.
class NamedReader {
 public:
  NamedReader(const search::Problem& problem, std::string who, const NamedForm& form,
              Diagnostics& diagnostics)
      : problem_(problem), who_(std::move(who)), form_(form), diagnostics_(diagnostics) {}

  search::Configuration read(const std::vector<BaselineEntry>& entries) const {
    const std::vector<std::string>& known = form_.names.parameters;
    search::Configuration configuration;
    for (const BaselineEntry& entry : entries) {
      if (std::find(known.begin(), known.end(), entry.name) == known.end()) {
        diagnostics_.add(entry.name_location, who_ + " sets " + in_quotes(entry.name) +
                                                  ", which is no parameter" +
                                                  suggestion(entry.name, known));
        continue;
      }
      const search::Parameter* parameter = find(problem_.parameters, entry.name);
      if (parameter == nullptr) continue;  // its own mistake was noted
      const search::Value* value = value_of(*parameter, entry);
      if (value != nullptr) configuration.set(entry.name, *value);
    }
    return configuration;
  }

 private:
  const search::Value* value_of(const search::Parameter& parameter,
                                const BaselineEntry& entry) const {
    const search::Value* value = find_value(parameter, entry.value);
    if (value != nullptr) return value;
    const bool is_word = parameter.type == search::ParameterType::kString &&
                         is_identifier(entry.text.text);  // a slip rather than an expression
    if (form_.expressions && std::holds_alternative<std::string>(entry.value) && !is_word) {
      return computed(parameter, entry);
    }
    diagnostics_.add(entry.value_location, who_ + ": " + no_such_value(parameter, entry.value));
    return nullptr;
  }

  const search::Value* computed(const search::Parameter& parameter,
                                const BaselineEntry& entry) const {
    const std::string what = who_ + ": " + entry.name;
    const auto expression = read_parameter_expressions(entry.text, what, form_.names, diagnostics_);
    const search::Value* value = nullptr;
    for (const search::Expression& of_case : expression) {
      const search::Value* found = value_in_case(parameter, entry, of_case, what);
      if (found == nullptr) return nullptr;
      if (value != nullptr && value != found) {
        diagnostics_.add(entry.value_location, what + " " + in_quotes(entry.text.text) + " is " +
                                                   search::to_json(*value) + " for one case and " +
                                                   search::to_json(*found) + " for another");
        return nullptr;
      }
      value = found;
    }
    return value;
  }

  const search::Value* value_in_case(const search::Parameter& parameter, const BaselineEntry& entry,
                                     const search::Expression& expression,
                                     const std::string& what) const {
    const std::string opening = what + " " + in_quotes(entry.text.text) + ": ";
    if (!expression.names().empty()) {
      diagnostics_.add(entry.value_location, opening + "depends on the parameter " +
                                                 in_quotes(*expression.names().begin()) +
                                                 "; it may be over sizes alone");
      return nullptr;
    }
    try {
      const search::Value value = expression.evaluate([](std::string_view) { return nullptr; });
      const search::Value* own = find_value(parameter, value);
      if (own == nullptr)
        diagnostics_.add(entry.value_location, opening + no_such_value(parameter, value));
      return own;
    } catch (const search::ExpressionError& error) {
      diagnostics_.add(entry.value_location, opening + error.what());
      return nullptr;
    }
  }

  const search::Problem& problem_;
  std::string who_;
  const NamedForm& form_;
  Diagnostics& diagnostics_;
};

}  // namespace

std::vector<BaselineEntry> read_baseline(TableReader& root) {
  const auto table = root.subtable("baseline");
  return table ? entries_of(*table) : std::vector<BaselineEntry>();
}

NamedConfigurations read_named(TableReader& root, const std::string& problem_file) {
  NamedConfigurations named;
  if (auto table = root.subtable("search")) {
    for (const TableReader& start : table->subtables("starts")) {
      named.starts.push_back({entries_of(start), start.location()});
    }
    named.found = read_starts_files(*table, problem_file);
  }
  if (auto table = root.subtable("acceptance")) {
    if (auto canary = table->subtable("canary")) {
      named.canary = NamedEntries{entries_of(*canary), canary->location()};
      if (canary->table().empty()) {
        canary->diagnostics().add(canary->location(), "acceptance.canary must set a parameter");
      }
    }
  }
  return named;
}

void set_named(search::Problem& problem, const NamedConfigurations& named, const NamedForm& form,
               Diagnostics& diagnostics) {
  const auto completed = [&](const NamedEntries& entries, const std::string& who) {
    search::Configuration complete = search::resolved(problem, {});
    const auto given = NamedReader(problem, who, form, diagnostics).read(entries.entries);
    for (const auto& [name, value] : given.entries()) complete.set(name, value);
    for (const search::Expression& constraint : problem.constraints) {
      if (!diagnostics.empty()) break;
      const std::string why = search::violation(constraint, complete, who);
      if (!why.empty()) diagnostics.add(entries.location, why);
    }
    return complete;
  };
  for (std::size_t i = 0; i < named.starts.size(); ++i) {
    problem.scheduling.starts.push_back(
        completed(named.starts[i], "start " + std::to_string(i + 1)));
  }
  add_found_starts(problem, named.found, form.names.cases, diagnostics);
  if (!named.canary) return;
  problem.acceptance.canary = completed(*named.canary, "the canary");
  if (diagnostics.empty() && problem.acceptance.canary == search::resolved(problem, {})) {
    diagnostics.add(named.canary->location,
                    "the canary is the baseline itself; it must be a slower one");
  }
}

void set_baseline(search::Problem& problem, const std::vector<BaselineEntry>& entries,
                  const NamedForm& form, Diagnostics& diagnostics) {
  if (entries.empty()) return;
  problem.baseline = NamedReader(problem, "the baseline", form, diagnostics).read(entries);
  problem.baseline = search::resolved(problem, {});
}

void check_baseline(const search::Problem& problem, const SourceLocation& location,
                    Diagnostics& diagnostics) {
  const search::Configuration baseline = search::resolved(problem, {});
  const bool named = !problem.baseline.is_baseline();
  const std::string who = named ? "the baseline " : "the baseline, which is every default, ";
  // "which is every default," where the sentence goes on.
  const std::string whole = who.substr(0, who.size() - 1);
  for (const search::Expression& constraint : problem.constraints) {
    const std::string why = search::violation(constraint, baseline, whole);
    if (why.empty()) continue;
    const bool can_be_another = !named && why.starts_with(whole);
    diagnostics.add(location, why + (can_be_another ? "; name another one under [baseline]" : ""));
  }
  for (const search::Parameter& parameter : problem.parameters) {
    if (!parameter.active_when || holds(*parameter.active_when, baseline)) continue;
    const search::Value* value = baseline.find(parameter.name);
    if (search::same_value(*value, parameter.default_or_first())) continue;
    diagnostics.add(location, who + "sets " + in_quotes(parameter.name) +
                                  ", which is held at its default " +
                                  search::to_json(parameter.default_or_first()) + " because " +
                                  in_quotes(parameter.active_when->text()) + " is false");
  }
}

}  // namespace nightshift::problems
