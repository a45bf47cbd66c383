#include "tools/compare/contender.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>

#include "base/nearest.h"
#include "base/whole_range.h"
#include "problems/json_scalar.h"
#include "problems/problem_file.h"
#include "problems/value_list.h"
#include "scheduler/journal/sqlite_journal.h"
#include "scheduler/summary/summary.h"
#include "search/rules.h"
#include "tools/problem/journaled_problem.h"
#include "tools/problem/own_journal.h"
#include "tools/text/format.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

using search::Configuration;
using search::Parameter;
using search::Value;

const Parameter* find(const std::vector<Parameter>& parameters, const std::string& name) {
  const auto it = std::ranges::find(parameters, name, &Parameter::name);
  return it == parameters.end() ? nullptr : &*it;
}

// Of a table that says what a problem is made of.
bool is_key(const std::string& name) {
  return name.starts_with("host.") || name.starts_with("cuda.") || name.starts_with("command.");
}

// Whether `at` begins NAME= with a parameter's name, or what is near to one: then it is a slip.
bool begins_assignment(const std::string& text, std::size_t at,
                       const std::vector<std::string>& known) {
  const std::size_t equals = text.find('=', at);
  if (equals == std::string::npos) return false;
  const std::string name = text.substr(at, equals - at);
  if (is_key(name)) return true;
  return std::ranges::find(known, name) != known.end() || !base::nearest(name, known).empty();
}

std::vector<std::string> names_of(const std::vector<Parameter>& parameters) {
  std::vector<std::string> names;
  for (const Parameter& p : parameters) names.push_back(p.name);
  return names;
}

// Names and values before they are looked up in the problem.
struct Named {
  std::string name;
  Value value;
};

// As a number or truth value where it reads as one; what a text parameter has is found before.
Value typed(const std::string& text) {
  std::int64_t whole = 0;
  double number = 0;
  const char* const end = text.data() + text.size();
  if (std::from_chars(text.data(), end, whole).ptr == end && !text.empty()) return whole;
  if (std::from_chars(text.data(), end, number).ptr == end && !text.empty()) return number;
  if (text == "true" || text == "True") return true;
  if (text == "false" || text == "False") return false;
  return text;
}

Value value_of(const Parameter* parameter, const std::string& text) {
  if (parameter != nullptr) {
    for (const Value& value : parameter->values) {
      if (search::to_text(value) == text) return value;
    }
  }
  return typed(text);
}

std::vector<Named> named_of_text(const std::string& text, const std::vector<Parameter>& parameters,
                                 std::vector<std::string>& mistakes) {
  std::vector<Named> named;
  for (const Assignment& a : assignments_of(text, parameters)) {
    if (a.name.empty()) {
      mistakes.push_back("'" + a.value +
                         "' is no configuration: expected baseline, NAME=VALUE,NAME=VALUE, a JSON "
                         "file that `nightshift export` wrote, or a study folder");
    } else {
      named.push_back({a.name, value_of(find(parameters, a.name), a.value)});
    }
  }
  return named;
}

std::vector<Named> named_of_file(const std::string& path, std::vector<std::string>& mistakes) {
  std::ifstream file(path);
  const nlohmann::json json = nlohmann::json::parse(file, nullptr, false);
  const nlohmann::json* object = &json;
  if (json.is_object() && json.contains("configuration")) object = &json["configuration"];
  std::vector<Named> named;
  if (!object->is_object()) {
    mistakes.push_back("is no JSON object of parameters with values");
    return named;
  }
  for (const auto& [name, value] : object->items()) {
    if (const auto scalar = problems::json_scalar(value)) {
      named.push_back({name, *scalar});
    } else {
      mistakes.push_back("'" + name + "' must be one value" +
                         (problems::is_beyond_integers(value)
                              ? ", not " + value.dump() + "; " + std::string(base::kWholeRange)
                              : ""));
    }
  }
  return named;
}

// What keeps a configuration of known values out of the space.
void check_rules(const search::Problem& problem, const Configuration& c,
                 std::vector<std::string>& mistakes) {
  for (const search::Expression& constraint : problem.constraints) {
    const std::string why = search::violation(constraint, c, "it");
    if (!why.empty()) mistakes.push_back(why.starts_with("it ") ? why.substr(3) : why);
  }
  for (const Parameter& p : problem.parameters) {
    if (!p.active_when || holds(*p.active_when, c)) continue;
    if (search::same_value(*c.find(p.name), p.default_or_first())) continue;
    mistakes.push_back("sets " + p.name + ", which is held at " +
                       search::to_json(p.default_or_first()) + " because '" +
                       p.active_when->text() + "' is false");
  }
}

Configuration completed(const search::Problem& problem, const std::vector<Named>& named,
                        std::vector<std::string>& mistakes) {
  const std::vector<std::string> known = names_of(problem.parameters);
  Configuration c = search::resolved(problem, {});
  for (const auto& [name, value] : named) {
    const Parameter* parameter = find(problem.parameters, name);
    if (parameter == nullptr) {
      const std::string meant = base::nearest(name, known);
      mistakes.push_back("'" + name + "' is no parameter of " + problem.name +
                         (meant.empty() ? "" : "; did you mean '" + meant + "'?"));
    } else if (const Value* own = problems::find_value(*parameter, value)) {
      c.set(name, *own);
    } else {
      mistakes.push_back(problems::no_such_value(*parameter, value));
    }
  }
  // Where a parameter is off by what was named, the baseline's value of it does not count.
  for (const Parameter& p : problem.parameters) {
    const bool is_named =
        std::ranges::any_of(named, [&](const Named& n) { return n.name == p.name; });
    if (p.active_when && !is_named && !holds(*p.active_when, c))
      c.set(p.name, p.default_or_first());
  }
  return c;
}

}  // namespace

std::vector<Assignment> assignments_of(const std::string& text,
                                       const std::vector<Parameter>& parameters) {
  const std::vector<std::string> known = names_of(parameters);
  std::vector<Assignment> assignments;
  for (std::size_t at = 0; at != std::string::npos;) {
    std::size_t end = text.find(',', at);
    while (end != std::string::npos && !begins_assignment(text, end + 1, known)) {
      end = text.find(',', end + 1);
    }
    const std::string item = text.substr(at, end == std::string::npos ? end : end - at);
    const std::size_t equals = item.find('=');
    if (equals == std::string::npos) {
      assignments.push_back({"", item});
    } else {
      assignments.push_back({item.substr(0, equals), item.substr(equals + 1)});
    }
    at = end == std::string::npos ? end : end + 1;
  }
  return assignments;
}

Side side_of(const std::string& text, const std::vector<Parameter>& parameters) {
  constexpr std::array<std::string_view, 6> kOfBuilds = {"host.compiler", "host.kernel.",
                                                         "cuda.compiler", "cuda.flags",
                                                         "cuda.source",   "command.build"};
  std::error_code no_file;
  if (std::filesystem::exists(text, no_file)) return {{}, text};
  Side side;
  for (const Assignment& a : assignments_of(text, parameters)) {
    if (!is_key(a.name)) {
      side.configuration += (side.configuration.empty() ? "" : ",") +
                            (a.name.empty() ? a.value : a.name + "=" + a.value);
      continue;
    }
    const auto begins = [&](std::string_view key) { return a.name.starts_with(key); };
    if (!std::ranges::any_of(kOfBuilds, begins)) {
      throw UsageError(
          text + ": " + a.name +
          " is nothing that the two may differ in: expected host.compiler, "
          "host.kernel.flags, cuda.compiler, cuda.flags, cuda.source or command.build; "
          "--set replaces other keys for all");
    }
    side.overrides.emplace_back(a.name, a.value);
  }
  if (side.overrides.empty()) return {{}, text};
  if (side.configuration.empty()) side.configuration = "baseline";
  return side;
}

Configuration best_of_study(const std::string& folder) {
  const scheduler::History history = load_own_history(folder, scheduler::Detail::kTrials);
  const scheduler::StudySummary summary =
      scheduler::summarise(history, problem_for_telling(history));
  if (!summary.best) throw UsageError(folder + " has no configuration that could be measured");
  return summary.best->configuration;
}

Configuration read_contender(const std::string& text, const search::Problem& problem,
                             const search::ParameterSpace& space) {
  if (text == "baseline") return {};
  std::vector<std::string> mistakes;
  std::vector<Named> named;
  std::error_code no_file;  // also of a text that is too long to be a file's name
  if (scheduler::holds_study(text)) {
    const Configuration best = best_of_study(text);
    if (best.is_baseline()) return {};
    for (const auto& [name, value] : best.entries()) named.push_back({name, value});
  } else if (std::filesystem::is_regular_file(text, no_file)) {
    named = named_of_file(text, mistakes);
    if (mistakes.empty() && named.empty()) return {};
  } else {
    named = named_of_text(text, problem.parameters, mistakes);
  }
  Configuration c = completed(problem, named, mistakes);
  if (mistakes.empty()) check_rules(problem, c, mistakes);
  if (mistakes.empty() && !space.index_of(c)) mistakes.push_back("is not in the recorded space");
  if (mistakes.empty()) return c;
  std::string message;
  for (const std::string& m : mistakes) message += (message.empty() ? "" : "\n") + text + ": " + m;
  throw UsageError(message);
}

}  // namespace nightshift::tools
