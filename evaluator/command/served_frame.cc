#include "evaluator/command/served_frame.h"

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>

#include "evaluator/command/figures/broken_object.h"
#include "evaluator/process/launched_child.h"

namespace nightshift::evaluator::served {
namespace {

using nlohmann::json;
using search::Phase;

constexpr std::size_t kMostTexts = 32;
constexpr std::size_t kNameBytes = 64;
constexpr std::size_t kTextBytes = 256;
constexpr std::int64_t kMostSignal = 127;

// Thrown within this file.
struct Wrong {
  std::string why;
};

std::string text_in(const json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string()
             ? head_of(found->get<std::string>(), kLastWordsBytes)
             : "";
}

bool truth_in(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end()) return false;
  if (!found->is_boolean()) throw Wrong{"'" + std::string(name) + "' is neither true nor false"};
  return found->get<bool>();
}

std::int32_t number_in(const json& object, const char* name, std::int64_t least,
                       std::int64_t most) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number_integer()) {
    throw Wrong{"'" + std::string(name) + "' is no whole number"};
  }
  // Unsigned ones above the range would turn negative.
  const bool huge =
      found->is_number_unsigned() && found->get<std::uint64_t>() > static_cast<std::uint64_t>(most);
  const auto number = huge ? most : found->get<std::int64_t>();
  if (huge || number < least || number > most) {
    throw Wrong{"'" + std::string(name) + "' is not between " + std::to_string(least) + " and " +
                std::to_string(most)};
  }
  return static_cast<std::int32_t>(number);
}

// An object of strings, numbers and truths.
Texts texts_in(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end()) return {};
  const std::string quoted = "'" + std::string(name) + "'";
  if (!found->is_object()) throw Wrong{quoted + " is no object"};
  if (found->size() > kMostTexts) {
    throw Wrong{quoted + " has more than " + std::to_string(kMostTexts) + " members"};
  }
  Texts texts;
  for (const auto& [key, value] : found->items()) {
    if (!value.is_string() && !value.is_number() && !value.is_boolean()) {
      throw Wrong{quoted + " holds something that is neither text, number nor truth"};
    }
    std::string text = value.is_string()
                           ? value.get<std::string>()
                           : value.dump(-1, ' ', false, json::error_handler_t::replace);
    if (value.is_boolean()) text = value.get<bool>() ? "yes" : "no";
    texts.emplace_back(head_of(key, kNameBytes), head_of(std::move(text), kTextBytes));
  }
  return texts;
}

Hello hello_in(const json& object) {
  Hello hello;
  hello.protocol = number_in(object, "hello", 0, std::numeric_limits<std::int32_t>::max());
  const auto roles = object.find("roles");
  if (roles == object.end() || !roles->is_array()) throw Wrong{"'roles' is no list"};
  for (const json& role : *roles) {
    if (!role.is_string()) throw Wrong{"'roles' holds something that is no text"};
    const std::string name = role.get<std::string>();
    hello.builds = hello.builds || name == name_of(Role::kBuild);
    hello.measures = hello.measures || name == name_of(Role::kMeasure);
  }
  const auto says = [&](const char* name) {
    const auto found = object.find(name);
    return found != object.end() && found->is_boolean() && found->get<bool>();
  };
  hello.distrusts = says("distrusts");
  hello.audits = says("audits");
  hello.versions = texts_in(object, "versions");
  return hello;
}

Mark mark_in(const json& object, Role role) {
  struct Row {
    std::string_view name;
    Phase phase;
    Role role;
  };
  constexpr std::array<Row, 7> kPhases = {{{"build", Phase::kBuild, Role::kBuild},
                                           {"build", Phase::kBuild, Role::kMeasure},
                                           {"load", Phase::kLoad, Role::kMeasure},
                                           {"prepare", Phase::kPrepare, Role::kMeasure},
                                           {"verify", Phase::kVerify, Role::kMeasure},
                                           {"warm_up", Phase::kWarmUp, Role::kMeasure},
                                           {"measure", Phase::kMeasure, Role::kMeasure}}};
  const std::string name = text_in(object, "phase");
  for (const Row& row : kPhases) {
    if (row.name == name && row.role == role) return {row.phase};
  }
  throw Wrong{"'phase' is none of the role " + std::string(name_of(role))};
}

Failure failure_in(const json& object) {
  const std::string kind = text_in(object, "failure");
  std::string words = text_in(object, "words");
  if (words.empty()) words = kind;
  const auto is = [&](std::initializer_list<std::string_view> kinds) {
    return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
  };
  if (is({"build_failed"})) return {search::BuildFailed{std::move(words)}};
  if (is({"infeasible"})) return {search::BuildFailed{"infeasible: " + words}};
  if (is({"launch_failed"})) return {search::LaunchFailed{std::move(words)}};
  if (is({"out_of_resources"})) return {search::LaunchFailed{"out of resources: " + words}};
  if (is({"out_of_memory"})) return {search::LaunchFailed{"out of memory: " + words}};
  if (is({"wrong_result"})) return {wrong_result(object, words)};
  if (is({"nondeterministic"})) return {wrong_result(object, "not deterministic: " + words)};
  if (is({"device_error"})) {
    search::Crashed crashed{search::Crashed::Cause::kDeviceError, 0, Phase::kMeasure,
                            std::move(words)};
    crashed.code = number_in(object, "code", 1, std::numeric_limits<std::int32_t>::max());
    return {std::move(crashed), truth_in(object, "fresh")};
  }
  throw Wrong{"'failure' is of no known kind"};
}

Failure death_in(const json& object) {
  const json& died = object.at("died");
  if (!died.is_object() || died.size() != 1) throw Wrong{"'died' names neither signal nor exit"};
  search::Crashed crashed;
  crashed.last_words = text_in(object, "words");
  if (died.contains("signal")) {
    crashed.code = number_in(died, "signal", 1, kMostSignal);
  } else {
    crashed.cause = search::Crashed::Cause::kExitCode;
    crashed.code = number_in(died, "exit", 0, 255);
  }
  return {std::move(crashed), truth_in(object, "fresh")};
}

// {"time": [[9.8, 9.9], [1.2, 1.3]]}: of objectives the samples of each case, in their units.
void add_cases(const json& object, std::vector<search::Samples>& figures) {
  const auto cases = object.find("cases");
  if (cases == object.end()) return;
  if (!cases->is_object()) throw Wrong{"'cases' is no object"};
  for (search::Samples& samples : figures) {
    const auto found = cases->find(samples.objective);
    if (found == cases->end()) continue;
    if (!found->is_array()) throw Wrong{"'cases' holds something that is no list"};
    for (const json& one : *found) {
      const auto is_number = [](const json& value) { return value.is_number(); };
      if (!one.is_array() || one.empty() || !std::ranges::all_of(one, is_number)) {
        throw Wrong{"'cases' holds something that is no list of numbers for each case"};
      }
      samples.cases.push_back(one.get<std::vector<double>>());
    }
  }
}

Said answer_in(const json& object, const FigureRules& rules, std::string_view line,
               double wall_seconds) {
  const std::string missing = rules.missing_in(object);
  if (!missing.empty()) throw Wrong{"it has no '" + missing + "' and no 'failure'"};
  Answer answer;
  answer.given_up = truth_in(object, "given_up");
  answer.conditions = texts_in(object, "conditions");
  try {
    answer.figures = rules.samples(object, line, wall_seconds);
    add_cases(object, answer.figures);
  } catch (const FigureError& e) {
    return Failure{search::LaunchFailed{e.what()}};
  }
  return answer;
}

Said said_in(const json& object, std::string_view line, Role role, const FigureRules& rules,
             double wall_seconds) {
  if (object.contains("failure")) return failure_in(object);
  if (object.contains("died")) return death_in(object);
  if (object.contains("phase")) return mark_in(object, role);
  if (role == Role::kMeasure) return answer_in(object, rules, line, wall_seconds);
  if (!truth_in(object, "built")) throw Wrong{"it has neither 'built' nor 'failure'"};
  Built built;
  for (const char* name : {"registers", "spills", "shared"}) {
    if (!object.contains(name)) continue;
    built.figures.emplace_back(
        name, std::to_string(number_in(object, name, 0, std::numeric_limits<std::int32_t>::max())));
  }
  return built;
}

std::uint64_t id_in(const json& id) {
  if (!id.is_number_unsigned()) throw Wrong{"its id is no whole number"};
  return id.get<std::uint64_t>();
}

}  // namespace

std::string_view name_of(Role role) { return role == Role::kBuild ? "build" : "measure"; }

std::optional<Frame> read_frame(std::string_view line, Role role, const FigureRules& rules,
                                double wall_seconds) {
  if (!begins_object(line)) return std::nullopt;
  const json object = object_in(line);
  Frame frame;
  try {
    if (object.is_discarded()) {
      const std::string broken = broken_line(line);
      throw Wrong{"it is no JSON object" + (broken.empty() ? "" : ": " + broken)};
    }
    if (object.contains("hello")) {
      frame.said = hello_in(object);
    } else if (object.contains("dropped")) {
      frame.id = id_in(object.at("dropped"));
      frame.said = Dropped{};
    } else {
      const auto id = object.find("id");
      if (id == object.end()) throw Wrong{"it has no id"};
      frame.id = id_in(*id);
      frame.said = said_in(object, line, role, rules, wall_seconds);
    }
  } catch (const Wrong& wrong) {
    frame.said = Flaw{wrong.why};
  }
  return frame;
}

}  // namespace nightshift::evaluator::served
