#include "ipc/trial_text.h"

#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <utility>
#include <variant>

#include "base/json_tree.h"

namespace nightshift::ipc {

namespace {

using base::JsonTree;
using base::JsonValue;

[[noreturn]] void fail(std::string_view member, std::string_view expected) {
  throw std::invalid_argument("member \"" + std::string(member) + "\": expected " +
                              std::string(expected));
}

JsonTree tree_of(std::string_view text, const char* what) {
  try {
    return JsonTree(text);
  } catch (const std::invalid_argument& e) {
    throw std::invalid_argument(std::string(what) + " is no JSON: " + e.what());
  }
}

JsonValue object_of(const JsonTree& tree, const char* what) {
  if (tree.root().is<base::JsonObject>()) return tree.root();
  throw std::invalid_argument(std::string(what) + " is no JSON object");
}

// nullopt for what is no value of a parameter.
std::optional<search::Value> value_of(JsonValue json) {
  using search::Value;
  if (const auto* is = json.as<bool>()) return Value(*is);
  if (const auto* whole = json.as<std::int64_t>()) return Value(*whole);
  if (const auto* real = json.as<double>()) return Value(*real);
  if (const auto* text = json.as<std::string_view>()) return Value(std::string(*text));
  return std::nullopt;
}

constexpr const char* kValueExpectation = "true, false, a 64-bit integer, a number or a string";

// --- Reading the members of an object ---

JsonValue member(JsonValue object, std::string_view name) {
  const auto found = object.find(name);
  if (!found) fail(name, "to be present");
  return *found;
}

template <class Kind>
const Kind& kind_in(JsonValue object, std::string_view name, const char* expected) {
  const auto* value = member(object, name).as<Kind>();
  if (value == nullptr) fail(name, expected);
  return *value;
}

std::string text_in(JsonValue object, std::string_view name) {
  return std::string(kind_in<std::string_view>(object, name, "a string"));
}

// JSON has no infinities: they are texts, and null is what is no number. Earlier versions wrote
// null for infinities too.
constexpr std::string_view kInfinite = "inf";
constexpr std::string_view kLeast = "-inf";

double number(JsonValue json, std::string_view name) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (const auto* real = json.as<double>()) return *real;
  if (const auto* whole = json.as<std::int64_t>()) return static_cast<double>(*whole);
  if (const auto* large = json.as<std::uint64_t>()) return static_cast<double>(*large);
  if (json.is<std::nullptr_t>()) return std::numeric_limits<double>::quiet_NaN();
  const auto* text = json.as<std::string_view>();
  if (text != nullptr && *text == kInfinite) return kInfinity;
  if (text != nullptr && *text == kLeast) return -kInfinity;
  fail(name, "a number, 'inf', '-inf' or null");
}

double number_in(JsonValue object, std::string_view name) {
  return number(member(object, name), name);
}

template <class Integer>
Integer integer_in(JsonValue object, std::string_view name) {
  const JsonValue json = member(object, name);
  if (const auto* whole = json.as<std::int64_t>(); whole && std::in_range<Integer>(*whole)) {
    return static_cast<Integer>(*whole);
  }
  if (const auto* large = json.as<std::uint64_t>(); large && std::in_range<Integer>(*large)) {
    return static_cast<Integer>(*large);
  }
  fail(name, std::string("a whole number of ") + std::to_string(8 * sizeof(Integer)) + " bits" +
                 (std::is_unsigned_v<Integer> ? " that is not negative" : ""));
}

bool bool_in(JsonValue object, std::string_view name) {
  return kind_in<bool>(object, name, "true or false");
}

search::Phase phase_in(JsonValue object) {
  const std::string name = text_in(object, "phase");
  for (auto i = 0; i <= static_cast<int>(search::Phase::kShutdown); ++i) {
    const auto phase = static_cast<search::Phase>(i);
    if (search::name_of(phase) == name) return phase;
  }
  fail("phase", "the name of a phase, not \"" + name + "\"");
}

// --- The members of each outcome, beside "status": writing ---

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 4> kCauseNames = {"signal", "exit_code", "corrupt_reply",
                                                         "device_error"};

Json number_json(double number) {
  if (std::isinf(number)) return number > 0 ? kInfinite : kLeast;
  return number;  // written as null where it is none
}

Json numbers_json(const std::vector<double>& numbers) {
  Json values = Json::array();
  for (const double value : numbers) values.push_back(number_json(value));
  return values;
}

void put(Json& json, const search::Measured& m) {
  Json figures = Json::array();
  for (const search::Samples& samples : m.measurement.figures) {
    figures.push_back({{"objective", samples.objective}, {"values", numbers_json(samples.values)}});
    for (const std::vector<double>& values : samples.cases) {
      figures.back()["cases"].push_back(numbers_json(values));
    }
  }
  Json conditions = Json::object();
  for (const auto& [name, value] : m.measurement.conditions) conditions[name] = value;
  json["figures"] = std::move(figures);
  json["conditions"] = std::move(conditions);
  if (m.measurement.censored) json["censored"] = true;
  if (!m.measurement.disturbance.empty()) json["disturbance"] = m.measurement.disturbance;
}
void put(Json& json, const search::BuildFailed& m) { json["message"] = m.message; }
void put(Json& json, const search::LaunchFailed& m) { json["message"] = m.message; }
void put(Json& json, const search::WrongResult& m) {
  json["output"] = m.output;
  json["element"] = m.element;
  json["got"] = number_json(m.got);
  json["expected"] = number_json(m.expected);
  json["error"] = number_json(m.error);
  json["tolerance"] = number_json(m.tolerance);
  if (!m.message.empty()) json["message"] = m.message;
}
void put(Json& json, const search::TimedOut& m) {
  json["phase"] = search::name_of(m.phase);
  json["limit_seconds"] = m.limit_seconds;
  json["progressing"] = m.progressing;
  if (!m.message.empty()) json["message"] = m.message;
  if (m.out_of_budget) json["out_of_budget"] = true;
}
void put(Json& json, const search::Crashed& m) {
  json["cause"] = kCauseNames.at(static_cast<std::size_t>(m.cause));
  json["code"] = m.code;
  json["phase"] = search::name_of(m.phase);
  json["last_words"] = m.last_words;
}
void put(Json& json, const search::DeviceLost& m) { json["reason"] = m.reason; }
void put(Json& json, const search::Skipped& m) { json["same_as"] = m.same_as.value; }

// --- and reading ---

template <class Item>
void read_list(JsonValue list, std::string_view name, const char* expected, const Item& item) {
  if (!list.is<base::JsonList>()) fail(name, expected);
  list.for_items(item);
}

std::string optional_text_in(JsonValue json, std::string_view name) {
  return json.find(name) ? text_in(json, name) : std::string();
}

std::vector<double> numbers_from(JsonValue values, std::string_view name) {
  std::vector<double> numbers;
  numbers.reserve(values.items());
  read_list(values, name, "a list of numbers",
            [&](JsonValue value) { numbers.push_back(number(value, name)); });
  return numbers;
}

search::Samples samples_from(JsonValue figure) {
  if (!figure.is<base::JsonObject>()) fail("figures", "a list of objects");
  search::Samples samples;
  samples.objective = text_in(figure, "objective");
  samples.values = numbers_from(member(figure, "values"), "values");
  if (const auto cases = figure.find("cases")) {
    read_list(*cases, "cases", "a list of lists of numbers",
              [&](JsonValue values) { samples.cases.push_back(numbers_from(values, "cases")); });
  }
  return samples;
}

search::Measured measured_from(JsonValue json) {
  search::Measurement m;
  const JsonValue figures = member(json, "figures");
  m.figures.reserve(figures.items());
  read_list(figures, "figures", "a list",
            [&](JsonValue figure) { m.figures.push_back(samples_from(figure)); });
  if (const auto conditions = json.find("conditions")) {
    if (!conditions->is<base::JsonObject>()) fail("conditions", "an object");
    m.conditions.reserve(conditions->items());
    conditions->for_members([&](std::string_view name, JsonValue value) {
      const auto* text = value.as<std::string_view>();
      if (text == nullptr) fail("conditions", "an object of strings");
      m.conditions.emplace_back(name, *text);
    });
  }
  if (json.find("censored")) m.censored = bool_in(json, "censored");
  m.disturbance = optional_text_in(json, "disturbance");
  return {std::move(m)};
}

search::WrongResult wrong_result_from(JsonValue json) {
  return {text_in(json, "output"),          integer_in<std::uint64_t>(json, "element"),
          number_in(json, "got"),           number_in(json, "expected"),
          number_in(json, "error"),         number_in(json, "tolerance"),
          optional_text_in(json, "message")};
}

search::Crashed crashed_from(JsonValue json) {
  const std::string cause = text_in(json, "cause");
  for (std::size_t i = 0; i < kCauseNames.size(); ++i) {
    if (kCauseNames[i] == cause) {
      return {static_cast<search::Crashed::Cause>(i), integer_in<std::int32_t>(json, "code"),
              phase_in(json), text_in(json, "last_words")};
    }
  }
  fail("cause", "signal, exit_code or corrupt_reply");
}

}  // namespace

search::Configuration configuration_from_json(std::string_view json) {
  constexpr const char* kWhat = "the configuration";
  const JsonTree tree = tree_of(json, kWhat);
  const JsonValue object = object_of(tree, kWhat);
  std::vector<search::Configuration::Entry> entries;
  entries.reserve(object.items());
  object.for_members([&](std::string_view name, JsonValue element) {
    auto value = value_of(element);
    if (!value) fail(name, kValueExpectation);
    entries.emplace_back(name, std::move(*value));
  });
  return search::Configuration(std::move(entries));
}

std::string to_json(const search::TrialOutcome& outcome) {
  Json json;
  json["status"] = search::status_name(outcome);
  std::visit([&](const auto& o) { put(json, o); }, outcome);
  // What a child printed need not be UTF-8; JSON must be.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

search::TrialOutcome outcome_from_json(std::string_view text) {
  constexpr const char* kWhat = "the outcome";
  const JsonTree tree = tree_of(text, kWhat);
  const JsonValue json = object_of(tree, kWhat);
  const std::string status = text_in(json, "status");
  if (status == "measured") return measured_from(json);
  if (status == "build_failed") return search::BuildFailed{text_in(json, "message")};
  if (status == "launch_failed") return search::LaunchFailed{text_in(json, "message")};
  if (status == "wrong_result") return wrong_result_from(json);
  if (status == "timed_out") {
    return search::TimedOut{phase_in(json), number_in(json, "limit_seconds"),
                            bool_in(json, "progressing"), optional_text_in(json, "message"),
                            json.find("out_of_budget") && bool_in(json, "out_of_budget")};
  }
  if (status == "crashed") return crashed_from(json);
  if (status == "device_lost") return search::DeviceLost{text_in(json, "reason")};
  if (status == "skipped") {
    return search::Skipped{search::TrialId{integer_in<std::uint64_t>(json, "same_as")}};
  }
  fail("status", "how a trial can end, not \"" + status + "\"");
}

}  // namespace nightshift::ipc
