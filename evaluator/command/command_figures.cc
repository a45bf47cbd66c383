#include "evaluator/command/command_figures.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/text.h"
#include "evaluator/command/figures/broken_object.h"
#include "evaluator/command/figures/json_unit.h"
#include "evaluator/command/figures/matched_figures.h"
#include "evaluator/command/figures/printed_object.h"
#include "evaluator/process/launched_child.h"
#include "search/figures/counted_word.h"
#include "search/figures/number_text.h"
#include "search/figures/told_unit.h"
#include "search/time_unit.h"
#include "search/value.h"

namespace nightshift::evaluator {
namespace {

using nlohmann::json;
using Source = search::FigureRule::Source;

constexpr std::size_t kShownBytes = 400;

std::string shown(std::string_view output) {
  const std::string end = tail_of(std::string(output), kShownBytes);
  return end.empty() ? "it printed nothing" : "it printed: " + end;
}

double checked(double figure, const std::string& name, std::string_view output) {
  if (std::isfinite(figure)) return figure;
  throw FigureError("'" + name + "' is no finite number; " + shown(output));
}

// Some programs print numbers as texts: "0.0009".
std::optional<double> number_of(const json& element) {
  if (element.is_number()) return element.get<double>();
  if (!element.is_string()) return std::nullopt;
  const auto& text = element.get_ref<const std::string&>();
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  const bool is_finite = error == std::errc{} && std::isfinite(number);
  return is_finite && stop == end ? std::optional(number) : std::nullopt;
}

// A number, or a text that is one with its unit.
double number_in(const json& element, const search::UnitBeside& beside, FigureUnit& unit,
                 const std::string& name, std::string_view output) {
  if (const auto number = number_of(element)) {
    return checked(unit.converted(*number, beside), name, output);
  }
  return checked(figure_of(element.get_ref<const std::string&>(), unit, "'" + name + "' is"), name,
                 output);
}

bool is_text_with_unit(const json& element) {
  if (!element.is_string()) return false;
  const auto& text = element.get_ref<const std::string&>();
  return text.find_first_of("0123456789") == text.find_first_not_of(" \t+-.") &&
         text.find_first_not_of("0123456789.+-eE \t") != std::string::npos;
}

std::vector<double> numbers_in(const json& member, const search::UnitBeside& beside,
                               FigureUnit& unit, const std::string& name, std::string_view output) {
  std::vector<double> numbers;
  if (member.is_null()) throw FigureError("'" + name + "' is no finite number; " + shown(output));
  if (number_of(member) || is_text_with_unit(member)) {
    numbers.push_back(number_in(member, beside, unit, name, output));
  } else if (member.is_array()) {
    for (const json& element : member) {
      if (!number_of(element) && !is_text_with_unit(element)) {
        throw FigureError("'" + name + "' holds something that is no number; " + shown(output));
      }
      numbers.push_back(number_in(element, beside, unit, name, output));
    }
  } else {
    throw FigureError("'" + name + "' is neither a number nor a list of numbers; " + shown(output));
  }
  if (numbers.empty()) throw FigureError("'" + name + "' is an empty list; " + shown(output));
  return numbers;
}

std::vector<double> matches_of(const base::BoundedRegex& pattern, const std::string& expression,
                               FigureUnit& unit, const std::string& name, std::string_view output) {
  const std::vector<double> numbers = matched_figures(pattern, expression, unit, name, output);
  for (const double number : numbers) checked(number, name, output);
  if (numbers.empty()) {
    throw FigureError("no line matches the expression for '" + name + "'; " + shown(output));
  }
  return numbers;
}

double number_or(const json& object, const char* name, double otherwise) {
  const auto found = object.find(name);
  return found != object.end() && found->is_number() ? found->get<double>() : otherwise;
}

std::optional<search::TrialOutcome> failure_in(const json& object) {
  if (!object.is_object()) return std::nullopt;
  const auto error = object.find("error");
  if (error == object.end() || error->is_null()) return std::nullopt;
  const std::string words = head_of(
      error->is_string() ? error->get<std::string>() : "an error without words", kLastWordsBytes);
  const auto given = object.find("kind");
  const std::string kind =
      given != object.end() && given->is_string() ? given->get<std::string>() : "launch_failed";
  if (kind == "build_failed") return search::BuildFailed{words};
  if (kind == "wrong_result") return wrong_result(object, words);
  return search::LaunchFailed{words};
}

}  // namespace

namespace {

// With all digits of integers that no double has: "; y[4] is 9007199254740993 where ...", behind
// the first line of the words, unless the words have the element themselves.
void add_digits(search::WrongResult& wrong, const json& got, const json& expected) {
  constexpr double kExact = 0x1p53;
  if (!got.is_number_integer() || !expected.is_number_integer() || wrong.output.empty()) return;
  if (std::abs(wrong.got) < kExact && std::abs(wrong.expected) < kExact) return;
  const std::string element = wrong.output + "[" + std::to_string(wrong.element) + "] is ";
  const std::size_t end = std::min(wrong.message.find('\n'), wrong.message.size());
  if (wrong.message.substr(0, end).find(element) != std::string::npos) return;
  wrong.message.insert(end,
                       "; " + element + got.dump() + " where " + expected.dump() + " was expected");
}

}  // namespace

search::WrongResult wrong_result(const json& object, const std::string& words) {
  search::WrongResult wrong;
  wrong.message = words;
  if (const auto output = object.find("output"); output != object.end() && output->is_string()) {
    wrong.output = output->get<std::string>();
  }
  if (const auto element = object.find("element");
      element != object.end() && element->is_number_unsigned()) {
    wrong.element = element->get<std::uint64_t>();
  }
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  wrong.got = number_or(object, "got", kUnknown);
  wrong.expected = number_or(object, "expected", kUnknown);
  wrong.error = std::abs(wrong.got - wrong.expected);
  if (object.contains("got") && object.contains("expected"))
    add_digits(wrong, object["got"], object["expected"]);
  return wrong;
}

FigureRules::FigureRules(const std::vector<search::Objective>& objectives,
                         const std::vector<search::FigureRule>& rules) {
  if (rules.size() > objectives.size()) {
    throw std::runtime_error("there are more figures than objectives");
  }
  for (std::size_t i = 0; i < objectives.size(); ++i) {
    rules_.push_back(rule_for(objectives[i], i < rules.size() ? rules[i] : search::FigureRule{}));
  }
}

FigureRules::Rule FigureRules::rule_for(const search::Objective& objective,
                                        const search::FigureRule& given) {
  Rule rule;
  rule.objective = objective;
  rule.unit = FigureUnit(objective, given.unit_is_told);
  rule.source = given.source;
  rule.key = given.key.empty() ? objective.name : given.key;
  if (rule.source == Source::kRegex) {
    try {
      rule.pattern.emplace(given.key);
    } catch (const std::invalid_argument& e) {
      throw std::runtime_error("'" + given.key + "' " + e.what());
    }
    if (rule.pattern->group_count() == 0) {
      throw std::runtime_error("'" + given.key + "' has no group (...) that captures the figure");
    }
  }
  if (rule.source == Source::kWallTime) {
    const auto scale = search::per_second(objective.unit);
    if (!scale) {
      throw std::runtime_error("wall time cannot be given in '" + objective.unit +
                               "': use s, ms, us or ns");
    }
    rule.units_per_second = *scale;
  }
  return rule;
}

bool FigureRules::has_regex() const {
  return std::any_of(rules_.begin(), rules_.end(),
                     [](const Rule& rule) { return rule.source == Source::kRegex; });
}

void FigureRules::hold_against(const std::string& objective, const std::string& words) {
  for (Rule& rule : rules_) {
    if (rule.objective.name == objective) rule.unit.hold_against(words);
  }
}

bool FigureRules::has_printed() const {
  return std::any_of(rules_.begin(), rules_.end(), [](const Rule& rule) {
    return rule.source == Source::kRegex || rule.source == Source::kJson;
  });
}

std::vector<search::Samples> FigureRules::samples(const json& reply, std::string_view output,
                                                  double wall_seconds) const {
  std::vector<search::Samples> figures;
  for (const Rule& rule : rules_) {
    search::Samples found{rule.objective.name, {}};
    if (rule.source == Source::kMeasured) {
      // By who started the program.
    } else if (rule.source == Source::kWallTime) {
      found.values = {wall_seconds * rule.units_per_second};
    } else if (rule.source == Source::kRegex) {
      found.values = matches_of(*rule.pattern, rule.key, rule.unit, rule.objective.name, output);
    } else if (reply.is_discarded()) {
      const std::string broken = broken_object(output);
      throw FigureError(
          "no line is a JSON object with '" + rule.key + "', and " +
          (broken.empty() ? "there is none over several lines; " + shown(output) : broken) +
          "; where another text has the figure, give a [[command.figure]] with "
          "source = \"regex\", and where the wall time is the figure, one with "
          "source = \"wall-time\"");
    } else if (const Found member = find_path(reply, rule.key); member.value != nullptr) {
      found.values =
          numbers_in(*member.value, json_unit(member, rule.unit), rule.unit, rule.key, output);
    } else {
      throw FigureError(missing_path(reply, rule.key) + "; " + shown(output));
    }
    figures.push_back(std::move(found));
  }
  return figures;
}

std::vector<std::pair<std::string, std::string>> FigureRules::conditions() const {
  std::vector<std::pair<std::string, std::string>> told;
  for (const Rule& rule : rules_) {
    const std::string_view unit = rule.unit.told();
    if (!unit.empty()) told.emplace_back(search::told_unit_condition(rule.objective.name), unit);
    const std::string& word = rule.unit.counted();
    if (!word.empty()) told.emplace_back(search::counted_word_condition(rule.objective.name), word);
  }
  return told;
}

bool FigureRules::error_is_figure(const json& reply) const {
  const bool asked_for = std::any_of(rules_.begin(), rules_.end(), [](const Rule& rule) {
    return rule.source == Source::kJson && rule.key == "error";
  });
  if (!asked_for || !reply.is_object()) return false;
  const auto error = reply.find("error");
  return error != reply.end() && (error->is_number() || error->is_array());
}

std::string FigureRules::flaw_in_reply(const json& reply) const {
  if (!error_is_figure(reply) && failure_in(reply)) return {};
  const std::string missing = missing_in(reply);
  return missing.empty() ? missing : "it has no '" + missing + "' and no 'error'";
}

std::string FigureRules::missing_in(const json& reply) const {
  for (const Rule& rule : rules_) {
    if (rule.source == Source::kJson && find_path(reply, rule.key).value == nullptr)
      return rule.key;
  }
  return {};
}

json FigureRules::last_reply(std::string_view printed) const {
  const std::string output = search::without_colours(printed);
  json reply = last_object(output);
  const bool is_of_list = std::any_of(rules_.begin(), rules_.end(), [&](const Rule& rule) {
    return rule.source == Source::kJson && base::is_digit(rule.key.front()) &&
           find_path(reply, rule.key).value == nullptr;
  });
  if (!is_of_list) return reply;
  json list = last_list(output);
  return list.is_discarded() ? std::move(reply) : std::move(list);
}

RunResult FigureRules::read_output(std::string_view output, double wall_seconds) const {
  const json reply = last_reply(output);
  if (!error_is_figure(reply)) {
    if (auto failure = failure_in(reply)) return *std::move(failure);
  }
  return samples(reply, output, wall_seconds);
}

RunResult FigureRules::read_reply(std::string_view line, double wall_seconds) const {
  const json reply = object_in(line);
  if (!error_is_figure(reply)) {
    if (auto failure = failure_in(reply)) return *std::move(failure);
  }
  return samples(reply, line, wall_seconds);
}

RunResult FigureRules::read_first_try(std::string_view line) const {
  std::vector<FigureUnit> units;
  for (const Rule& rule : rules_) units.push_back(rule.unit);
  try {
    return read_reply(line, 0);
  } catch (const FigureError&) {
    for (std::size_t i = 0; i < units.size(); ++i) rules_[i].unit = std::move(units[i]);
    throw;
  }
}

}  // namespace nightshift::evaluator
