#include "ipc/trial_text.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <type_traits>
#include <variant>

namespace nightshift::ipc {

namespace {

using Json = nlohmann::ordered_json;  // configurations keep the order of their space

[[noreturn]] void fail(const std::string& member, const std::string& expected) {
  throw std::invalid_argument("member \"" + member + "\": expected " + expected);
}

Json parse_object(std::string_view text, const char* what) {
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::exception& e) {
    throw std::invalid_argument(std::string(what) + " is no JSON: " + e.what());
  }
  if (!json.is_object()) throw std::invalid_argument(std::string(what) + " is no JSON object");
  return json;
}

// nullopt for what is no value of a parameter.
template <class AnyJson>
std::optional<search::Value> value_of(const AnyJson& json) {
  using search::Value;
  if (json.is_boolean()) return Value(json.template get<bool>());
  if (json.is_number_unsigned() &&
      json.template get<std::uint64_t>() >
          static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    return std::nullopt;
  }
  if (json.is_number_integer()) return Value(json.template get<std::int64_t>());
  if (json.is_number_float()) return Value(json.template get<double>());
  if (json.is_string()) return Value(json.template get<std::string>());
  return std::nullopt;
}

constexpr const char* kValueExpectation = "true, false, a 64-bit integer, a number or a string";

// --- Reading the members of an object ---

const Json& member(const Json& object, const std::string& name) {
  const auto it = object.find(name);
  if (it == object.end()) fail(name, "to be present");
  return *it;
}

std::string text_in(const Json& object, const std::string& name) {
  const Json& json = member(object, name);
  if (!json.is_string()) fail(name, "a string");
  return json.get<std::string>();
}

// JSON has no infinities: they are texts, and null is what is no number. Earlier versions wrote
// null for infinities too.
constexpr const char* kInfinite = "inf";
constexpr const char* kLeast = "-inf";

Json number_json(double number) {
  if (std::isinf(number)) return number > 0 ? kInfinite : kLeast;
  return number;  // written as null where it is none
}

double number(const Json& json, const std::string& name) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (json.is_null()) return std::numeric_limits<double>::quiet_NaN();
  if (json == kInfinite) return kInfinity;
  if (json == kLeast) return -kInfinity;
  if (!json.is_number()) fail(name, "a number, 'inf', '-inf' or null");
  return json.get<double>();
}

double number_in(const Json& object, const std::string& name) {
  return number(member(object, name), name);
}

template <class Integer>
Integer integer_in(const Json& object, const std::string& name) {
  const Json& json = member(object, name);
  if constexpr (std::is_unsigned_v<Integer>) {
    if (!json.is_number_unsigned()) fail(name, "a whole number that is not negative");
    return json.get<Integer>();
  } else {
    const auto value = value_of(json);
    const auto* wide = value ? std::get_if<std::int64_t>(&*value) : nullptr;
    if (wide == nullptr || *wide < std::numeric_limits<Integer>::min() ||
        *wide > std::numeric_limits<Integer>::max()) {
      fail(name, "a whole number of " + std::to_string(8 * sizeof(Integer)) + " bits");
    }
    return static_cast<Integer>(*wide);
  }
}

bool bool_in(const Json& object, const std::string& name) {
  const Json& json = member(object, name);
  if (!json.is_boolean()) fail(name, "true or false");
  return json.get<bool>();
}

search::Phase phase_in(const Json& object) {
  const std::string name = text_in(object, "phase");
  for (auto i = 0; i <= static_cast<int>(search::Phase::kShutdown); ++i) {
    const auto phase = static_cast<search::Phase>(i);
    if (search::name_of(phase) == name) return phase;
  }
  fail("phase", "the name of a phase, not \"" + name + "\"");
}

// --- The members of each outcome, beside "status" ---

constexpr std::array<std::string_view, 4> kCauseNames = {"signal", "exit_code", "corrupt_reply",
                                                         "device_error"};

Json numbers_json(const std::vector<double>& numbers) {
  Json values = Json::array();
  for (const double value : numbers) values.push_back(number_json(value));
  return values;
}

std::vector<double> numbers_from(const Json& values, const std::string& name) {
  if (!values.is_array()) fail(name, "a list of numbers");
  std::vector<double> numbers;
  for (const Json& value : values) numbers.push_back(number(value, name));
  return numbers;
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

search::Measured measured_from(const Json& json) {
  search::Measurement m;
  const Json& figures = member(json, "figures");
  if (!figures.is_array()) fail("figures", "a list");
  for (const Json& figure : figures) {
    if (!figure.is_object()) fail("figures", "a list of objects");
    search::Samples samples;
    samples.objective = text_in(figure, "objective");
    samples.values = numbers_from(member(figure, "values"), "values");
    if (const auto cases = figure.find("cases"); cases != figure.end()) {
      if (!cases->is_array()) fail("cases", "a list of lists of numbers");
      for (const Json& values : *cases) samples.cases.push_back(numbers_from(values, "cases"));
    }
    m.figures.push_back(std::move(samples));
  }
  if (const auto conditions = json.find("conditions"); conditions != json.end()) {
    if (!conditions->is_object()) fail("conditions", "an object");
    for (const auto& [name, value] : conditions->items()) {
      if (!value.is_string()) fail("conditions", "an object of strings");
      m.conditions.emplace_back(name, value.get<std::string>());
    }
  }
  if (json.contains("censored")) m.censored = bool_in(json, "censored");
  if (json.contains("disturbance")) m.disturbance = text_in(json, "disturbance");
  return {std::move(m)};
}

std::string optional_text_in(const Json& json, const char* name) {
  return json.contains(name) ? text_in(json, name) : std::string();
}

search::WrongResult wrong_result_from(const Json& json) {
  return {text_in(json, "output"),          integer_in<std::uint64_t>(json, "element"),
          number_in(json, "got"),           number_in(json, "expected"),
          number_in(json, "error"),         number_in(json, "tolerance"),
          optional_text_in(json, "message")};
}

search::Crashed crashed_from(const Json& json) {
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
  std::vector<search::Configuration::Entry> entries;
  const Json object = parse_object(json, "the configuration");
  for (const auto& [name, element] : object.items()) {
    auto value = value_of(element);
    if (!value) fail(name, kValueExpectation);
    entries.emplace_back(name, std::move(*value));
  }
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
  const Json json = parse_object(text, "the outcome");
  const std::string status = text_in(json, "status");
  if (status == "measured") return measured_from(json);
  if (status == "build_failed") return search::BuildFailed{text_in(json, "message")};
  if (status == "launch_failed") return search::LaunchFailed{text_in(json, "message")};
  if (status == "wrong_result") return wrong_result_from(json);
  if (status == "timed_out") {
    return search::TimedOut{phase_in(json), number_in(json, "limit_seconds"),
                            bool_in(json, "progressing"), optional_text_in(json, "message"),
                            json.contains("out_of_budget") && bool_in(json, "out_of_budget")};
  }
  if (status == "crashed") return crashed_from(json);
  if (status == "device_lost") return search::DeviceLost{text_in(json, "reason")};
  if (status == "skipped") {
    return search::Skipped{search::TrialId{integer_in<std::uint64_t>(json, "same_as")}};
  }
  fail("status", "how a trial can end, not \"" + status + "\"");
}

}  // namespace nightshift::ipc
