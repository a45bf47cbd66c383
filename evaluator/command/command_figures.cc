#include "evaluator/command/command_figures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/text.h"
#include "evaluator/command/printed_object.h"
#include "evaluator/process/launched_child.h"
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

// A number, or a text that is one with its unit.
double number_in(const json& element, const search::UnitBeside& beside, FigureUnit& unit,
                 const std::string& name, std::string_view output) {
  if (element.is_number()) {
    return checked(unit.converted(element.get<double>(), beside), name, output);
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
  if (member.is_number() || is_text_with_unit(member)) {
    numbers.push_back(number_in(member, beside, unit, name, output));
  } else if (member.is_array()) {
    for (const json& element : member) {
      if (!element.is_number() && !is_text_with_unit(element)) {
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

bool is_statistic(std::string_view word) {
  constexpr std::array<std::string_view, 8> kWords = {"mean", "avg", "average", "median",
                                                      "min",  "max", "best",    "worst"};
  const bool is_percentile = word.size() > 1 && word[0] == 'p' &&
                             std::all_of(word.begin() + 1, word.end(), base::is_digit);
  return is_percentile || std::ranges::find(kWords, word) != kWords.end();
}

// "time_us" of "timeUs": a capital behind a small letter begins a word.
std::string with_lines(std::string_view key) {
  std::string text;
  for (std::size_t i = 0; i < key.size(); ++i) {
    const bool begins =
        i > 0 && key[i] >= 'A' && key[i] <= 'Z' && key[i - 1] >= 'a' && key[i - 1] <= 'z';
    text += begins ? std::string("_") + base::in_small_letters(key.substr(i, 1))
                   : std::string(1, key[i]);
  }
  return text;
}

// "us" of "time_us", "timeUs", "time_us_mean" and "us" itself, "bytes/second" of
// "bytes_per_second". Single letters are parts of other names, but for that of seconds; "min" is
// the least.
search::UnitBeside unit_of_key(std::string_view name, const FigureUnit& wanted) {
  const std::string lines = with_lines(name);
  std::string_view key = lines;
  for (std::size_t line = key.rfind('_');
       line != std::string_view::npos && is_statistic(key.substr(line + 1));
       line = key.rfind('_')) {
    key = key.substr(0, line);
  }
  const std::size_t line = key.rfind('_');
  if (line == std::string_view::npos && key.size() > 1 && wanted.is_given()) {
    const search::Unit* unit = search::find_unit(key);
    const bool is_time = unit != nullptr && unit->dimension == search::Dimension::kTime;
    return is_time && key != "min" && wanted.fits(*unit) ? search::UnitBeside{.unit = unit}
                                                         : search::UnitBeside{};
  }
  if (line == std::string_view::npos) return {};
  std::string word(key.substr(line + 1));
  if (std::string_view over = key.substr(0, line); over.ends_with("_per")) {
    over.remove_suffix(4);
    word = std::string(over.substr(over.rfind('_') + 1)) + "/" + word;
  }
  const search::Unit* unit = search::find_unit(word);
  if (unit == nullptr || (word.size() == 1 && word != "s") || word == "min") return {};
  return wanted.may_be_in_key(*unit, name) ? search::UnitBeside{.unit = unit}
                                           : search::UnitBeside{};
}

// "Unit" is "unit" where there is no such member.
json::const_iterator member_in_any_case(const json& object, const std::string& key) {
  const auto exact = object.find(key);
  if (exact != object.end()) return exact;
  const std::string letters = base::in_small_letters(key);
  auto member = object.begin();
  while (member != object.end() && base::in_small_letters(member.key()) != letters) ++member;
  return member;
}

// The unit that stands beside a figure: in a member of its name with "_unit" behind it, in
// google-benchmark's "time_unit" beside a time, at the end of its name, or in "unit" or "units", as
// far as that can be meant where there are other numbers.
search::UnitBeside unit_beside(const Found& found, const FigureUnit& wanted) {
  const json& all = *found.parent;
  if (!all.is_object()) return {};
  const auto numbers = std::ranges::count_if(
      all, [](const json& member) { return member.is_number() || member.is_array(); });
  const auto named = [&](const std::string& key) -> std::string_view {
    const auto member = member_in_any_case(all, key);
    if (member == all.end()) return {};
    const bool is_units = key.ends_with("_unit") || member->is_structured();
    if (!member->is_string() && is_units && !member->is_null()) {
      throw FigureError("'" + key + "' is no text, and so names no unit");
    }
    if (!member->is_string()) return {};
    return member->get_ref<const std::string&>();
  };
  const std::string name(found.last);
  if (const auto own = named(name + "_unit"); !own.empty()) return search::UnitBeside::of_word(own);
  const bool is_time = base::in_small_letters(name).find("time") != std::string::npos ||
                       wanted.is_given_time() || (numbers == 1 && !wanted.is_given());
  if (const auto of_times = is_time ? named("time_unit") : ""; !of_times.empty()) {
    return search::UnitBeside::of_word(of_times);
  }
  if (const auto of_key = unit_of_key(name, wanted); of_key.unit != nullptr) return of_key;
  const bool has_unit = member_in_any_case(all, "unit") != all.end();
  std::string_view word = base::trimmed(named(has_unit ? "unit" : "units"));
  const bool is_bracketed = word.size() > 2 && (word.front() == '[' || word.front() == '(') &&
                            (word.back() == ']' || word.back() == ')');
  if (is_bracketed) word = word.substr(1, word.size() - 2);
  const search::UnitBeside unit = search::UnitBeside::of_word(word);
  if (unit.unit == nullptr && !search::looks_like_unit(word)) return {};  // "GPU"
  const bool fits = unit.unit != nullptr && wanted.is_given() && wanted.fits(*unit.unit);
  return numbers == 1 || fits ? unit : search::UnitBeside{};
}

// The next line of `rest`, without its end.
std::string_view next_line(std::string_view& rest) {
  const std::size_t end = rest.find('\n');
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return line;
}

// "1" of "1,503.78", or "503.78": what is matched is part of a number whose thousands are set
// apart. Not where the expression asks for the sign itself, which then stands between two numbers.
bool is_part_of_thousands(const std::cmatch& match) {
  static constexpr std::string_view kSigns = ",'_";
  const auto group = [](const char* from, const char* end) {
    return end - from >= 4 && kSigns.find(*from) != std::string_view::npos &&
           std::all_of(from + 1, from + 4, base::is_digit) &&
           (end - from == 4 || !base::is_digit(from[4]));
  };
  const char *begin = match[1].first, *end = match[1].second;
  const bool is_head = std::all_of(begin, end, base::is_digit) && end - begin <= 3;
  if (is_head && match[0].second == end && group(end, match.suffix().second)) return true;
  const char* const before = match.prefix().first;
  return match[0].first == begin && begin - before >= 2 && base::is_digit(begin[-2]) &&
         group(begin - 1, end);
}

// "2.5" of "1m2.5s".
bool is_last_part_of_time(const std::cmatch& match) {
  const char* const number = match[1].first;
  const char* const least = std::min(match.prefix().first, match[0].first);
  if (number - least < 2 || !base::is_digit(number[-2])) return false;
  return (number[-1] == 'm' || number[-1] == 'h') &&
         (*match[1].second == 's' || *match[1].second == 'm');
}

// The number that the first group matched, in the unit that stands in it, behind it, or before it
// in what the whole expression matched.
double matched_number(const std::cmatch& match, FigureUnit& unit, const std::string& name) {
  const std::string text = match.str(1);
  char* stop = nullptr;
  const double number = std::strtod(text.c_str(), &stop);
  if (text.empty() || stop != text.c_str() + text.size()) {
    return figure_of(text, unit, "'" + name + "' matched");
  }
  if (is_last_part_of_time(match)) {
    throw FigureError("'" + name + "' matched '" + text +
                      "', which is the last part of a time (1m2.5s): print it in one unit");
  }
  if (is_part_of_thousands(match)) {
    throw FigureError(
        "'" + name + "' matched '" + text +
        "', which is part of a number with its thousands set apart: print it without, "
        "or have the expression match the sign where it stands between two numbers");
  }
  const auto between = [](const char* from, const char* to) {
    return std::string_view(from, static_cast<std::size_t>(to - from));
  };
  search::UnitBeside beside = search::unit_behind(between(match[1].second, match.suffix().second),
                                                  between(match[1].second, match[0].second).size());
  if (beside.unit == nullptr && beside.unknown.empty() && beside.more.empty()) {
    beside = search::unit_before(between(match[0].first, match[1].first));
    // Else it is the name of something else.
    if (beside.unit != nullptr && !unit.fits(*beside.unit)) beside = {};
  }
  return unit.converted(number, beside);
}

std::vector<double> matches_of(const std::regex& pattern, FigureUnit& unit, const std::string& name,
                               std::string_view output) {
  std::vector<double> numbers;
  std::string_view rest = output;
  while (!rest.empty()) {
    const std::string_view line = next_line(rest).substr(0, kRegexLineBytes);
    const std::cregex_iterator end;
    for (std::cregex_iterator match(line.data(), line.data() + line.size(), pattern); match != end;
         ++match) {
      numbers.push_back(checked(matched_number(*match, unit, name), name, output));
    }
  }
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
  rule.unit = FigureUnit(objective);
  rule.source = given.source;
  rule.key = given.key.empty() ? objective.name : given.key;
  if (rule.source == Source::kRegex) {
    try {
      rule.pattern = std::regex(given.key, std::regex::ECMAScript | std::regex::optimize);
    } catch (const std::regex_error& e) {
      throw std::runtime_error("'" + given.key + "' is no regular expression: " + e.what());
    }
    if (rule.pattern.mark_count() == 0) {
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

std::vector<search::Samples> FigureRules::samples(const json& reply, std::string_view output,
                                                  double wall_seconds) const {
  std::vector<search::Samples> figures;
  for (const Rule& rule : rules_) {
    search::Samples found{rule.objective.name, {}};
    if (rule.source == Source::kWallTime) {
      found.values = {wall_seconds * rule.units_per_second};
    } else if (rule.source == Source::kRegex) {
      found.values = matches_of(rule.pattern, rule.unit, rule.objective.name, output);
    } else if (reply.is_discarded()) {
      throw FigureError("no line is a JSON object with '" + rule.key +
                        "', and there is none over several lines; " + shown(output));
    } else if (const Found member = find_path(reply, rule.key); member.value != nullptr) {
      found.values =
          numbers_in(*member.value, unit_beside(member, rule.unit), rule.unit, rule.key, output);
    } else {
      throw FigureError(missing_path(reply, rule.key) + "; " + shown(output));
    }
    figures.push_back(std::move(found));
  }
  return figures;
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

RunResult FigureRules::read_output(std::string_view output, double wall_seconds) const {
  const json reply = last_object(output);
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

}  // namespace nightshift::evaluator
