#include "evaluator/command/figures/json_unit.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "base/text.h"
#include "evaluator/command/figures/figure_error.h"
#include "evaluator/command/figures/key_unit.h"
#include "search/figures/number_text.h"
#include "search/figures/rate_words.h"
#include "search/figures/scaled_unit.h"
#include "search/figures/unit_words.h"

namespace nightshift::evaluator {
namespace {

using nlohmann::json;
using search::Tendency;
using search::UnitBeside;

// "timeunit" of "time_unit", "timeUnit" and "Time-Unit".
std::string letters_of(std::string_view name) {
  std::string letters;
  for (const char c : base::in_small_letters(name)) {
    if (c != '_' && c != '-' && c != ' ') letters += c;
  }
  return letters;
}

// "timeUnit" is "time_unit" where there is no such member.
json::const_iterator member_in_any_case(const json& object, const std::string& key) {
  const auto exact = object.find(key);
  if (exact != object.end()) return exact;
  const std::string letters = letters_of(key);
  auto member = object.begin();
  while (member != object.end() && letters_of(member.key()) != letters) ++member;
  return member;
}

// Throws FigureError where a member of the same name in another spelling is another unit: "Unit".
void expect_one_spelling(const json& object, const std::string& name, std::string_view text) {
  const search::Unit* const unit = UnitBeside::of_word(text).unit;
  const std::string letters = letters_of(name);
  for (const auto& [key, member] : object.items()) {
    if (unit == nullptr || key == name || !member.is_string() || letters_of(key) != letters)
      continue;
    const search::Unit* const other =
        UnitBeside::of_word(member.get_ref<const std::string&>()).unit;
    if (other == nullptr || other == unit) continue;
    throw FigureError(base::in_quotes(name) + " is " + base::in_quotes(unit->name) + ", and " +
                      base::in_quotes(key) + " is " + base::in_quotes(other->name) +
                      ": print one of the two");
  }
}

// The text of a member that names a unit; empty where there is none.
std::string_view text_of(const json& object, const std::string& key) {
  const auto member = member_in_any_case(object, key);
  if (member == object.end()) return {};
  const bool is_factor =  // "unit": 1e-6
      member->is_number_float() && member->get<double>() != std::floor(member->get<double>());
  const bool is_units = key.ends_with("_unit") || key.ends_with("_units") || member->is_array() ||
                        (member->is_object() && key == "unit") || is_factor;
  if (!member->is_string() && is_units && !member->is_null()) {
    throw FigureError("'" + key + "' is no text, and so names no unit");
  }
  if (!member->is_string()) return {};
  const std::string_view text = member->get_ref<const std::string&>();
  expect_one_spelling(object, member.key(), text);
  return text;
}

std::string_view text_of_either(const json& object, const std::string& key) {
  const std::string_view word = text_of(object, key);
  return word.empty() ? text_of(object, key + "s") : word;
}

// Under the figure's name in {"units": {"time": "us"}}.
std::string_view text_in_units(const json& object, const std::string& name) {
  const auto units = member_in_any_case(object, "units");
  if (units == object.end() || !units->is_object()) return {};
  const auto unit = units->find(name);
  if (unit == units->end() || !unit->is_string()) return {};
  return unit->get_ref<const std::string&>();
}

std::string_view word_of(const UnitBeside& unit) {
  return unit.unit != nullptr ? unit.unit->name : unit.unknown;
}

bool is_numbers(const json& member) { return member.is_number() || member.is_array(); }

bool is_called_time(std::string_view name) {
  return base::in_small_letters(name).find("time") != std::string::npos;
}

// What a member says of several figures: "time_unit", "unit" and "units".
struct Said {
  UnitBeside unit;
  std::string key;
  bool is_of_this = false;  // there is no other figure that it may be of
};

Said said_of_times(const json& all, std::string_view name, const FigureUnit& wanted) {
  Said said{UnitBeside::of_word(text_of_either(all, "time_unit")), "time_unit", true};
  for (const auto& [key, member] : all.items()) {
    const bool is_another = key != name && is_numbers(member) && is_called_time(key);
    if (is_another && word_of(unit_of_key(key, wanted)).empty()) said.is_of_this = false;
  }
  return said;
}

// Whether `unit` can be that of a figure among others.
bool may_be_of(const UnitBeside& unit, bool is_time, const FigureUnit& wanted) {
  if (unit.unit == nullptr) return false;
  if (wanted.is_given()) return wanted.fits(*unit.unit);
  return is_time && unit.unit->dimension == search::Dimension::kTime;
}

// "metricUnit" of {"value": 900, "metricUnit": "us"}: the only member that is so called, and the unit
// of no other member. Empty where there is none.
std::string unit_of_any_name(const json& all) {
  std::string found;
  for (const auto& [key, member] : all.items()) {
    std::string letters = letters_of(key);
    if (letters.ends_with('s')) letters.pop_back();
    if (!member.is_string() || !letters.ends_with("unit")) continue;
    letters.resize(letters.size() - 4);
    const auto is_its = [&](const auto& one) { return letters_of(one.key()) == letters; };
    if (letters == "time" || std::ranges::any_of(all.items(), is_its)) continue;
    if (!found.empty()) return {};
    found = key;
  }
  return found;
}

// `is_only`: the object has no other figure.
Said said_of_all(const json& all, bool is_only, bool is_time, const FigureUnit& wanted) {
  const auto has = [&](const char* name) { return member_in_any_case(all, name) != all.end(); };
  const std::string key = has("unit") ? "unit" : has("units") ? "units" : unit_of_any_name(all);
  if (key.empty()) return {};
  std::string_view word = base::trimmed(text_of(all, key));
  const bool is_bracketed = word.size() > 2 && (word.front() == '[' || word.front() == '(') &&
                            (word.back() == ']' || word.back() == ')');
  if (is_bracketed) word = word.substr(1, word.size() - 2);
  const UnitBeside unit = UnitBeside::of_word(word);
  const bool is_sign = is_only && !wanted.is_given() && search::is_without_dimension(word);
  const bool is_meant = unit.unit != nullptr || search::looks_like_unit(word) || is_sign ||
                        search::scaling_of(word) != search::Scaling::kNone;
  if (!is_meant) return {};  // "GPU"
  const bool is_of_another =
      !key.starts_with("unit") && unit.unit != nullptr && !wanted.fits(*unit.unit);
  const bool is_its = (is_only && !is_of_another) || may_be_of(unit, is_time, wanted);
  return is_its ? Said{unit, key, is_only} : Said{};
}

// The figure's name goes first; a member that says another unit of it is an error.
UnitBeside of_both(const UnitBeside& of_key, const Said& said, std::string_view name) {
  const bool says = !word_of(said.unit).empty();
  if (says && said.is_of_this && word_of(said.unit) != word_of(of_key)) {
    throw FigureError(base::in_quotes(name) + " is in " + base::in_quotes(word_of(of_key)) +
                      " by the end of its name, and in " + base::in_quotes(word_of(said.unit)) +
                      " by " + base::in_quotes(said.key) + ": print one of the two");
  }
  return of_key;
}

// "ops/s" of JMH's {"score": 5, "scoreUnit": "ops/s", "rawData": [[5, 6]]}: what single values are
// in, where one member alone names a unit.
std::string_view unit_of_samples(const json& object, const std::string& name) {
  const std::string letters = letters_of(name);
  const bool is_of_samples = letters == "rawdata" || letters == "raw" || letters == "samples" ||
                             letters == "values" || letters.ends_with("percentiles");
  if (!is_of_samples) return {};
  std::string_view found;
  for (const auto& [key, member] : object.items()) {
    if (!letters_of(key).ends_with("unit") || !member.is_string()) continue;
    if (!found.empty()) return {};
    found = member.get_ref<const std::string&>();
  }
  return found;
}

// Of its name, where the object has a member for it alone.
UnitBeside unit_of_own(const json& object, const std::string& name) {
  if (const auto own = text_of_either(object, name + "_unit"); !own.empty())
    return UnitBeside::of_word(own);
  if (const auto own = unit_of_samples(object, name); !own.empty()) return UnitBeside::of_word(own);
  return UnitBeside::of_word(text_in_units(object, name));
}

// What is told of the figure, and whether it is the only one so far.
struct Figure {
  std::string name;
  bool is_time, is_only;
};

// Of the figure in its own object.
UnitBeside unit_within(const json& all, const Figure& figure, const FigureUnit& wanted) {
  if (const UnitBeside own = unit_of_own(all, figure.name); !word_of(own).empty()) return own;
  Said said = figure.is_time ? said_of_times(all, figure.name, wanted) : Said{};
  if (word_of(said.unit).empty()) said = said_of_all(all, figure.is_only, figure.is_time, wanted);
  const UnitBeside of_key = unit_of_key(figure.name, wanted);
  if (word_of(of_key).empty()) return said.unit;
  const UnitBeside unit = of_both(of_key, said, figure.name);
  expect_fitting(unit, figure.name, wanted);
  return unit;
}

bool is_list_of_texts(const json& member) {
  return member.is_array() && !member.empty() && member.front().is_string();
}

// "unit" and "units" may be the name of what the figure is in, or a list of other things.
bool names_units(const Found::Above& above, const std::string& key) {
  const auto member = member_in_any_case(*above.object, key);
  if (member == above.object->end() || member.key() == above.name) return false;
  return member->is_string() || is_list_of_texts(*member);
}

// Of the figure in an object that its own one is in.
UnitBeside unit_above(const Found::Above& above, Figure& figure, const FigureUnit& wanted) {
  const json& all = *above.object;
  const std::string name(above.name);
  figure.is_time = figure.is_time || (is_called_time(name) && !wanted.is_given());
  for (const auto& [key, member] : all.items()) {
    if (key != name && (is_numbers(member) || member.is_object())) figure.is_only = false;
  }
  for (const std::string& own : {figure.name, name}) {
    if (const UnitBeside unit = unit_of_own(all, own); !word_of(unit).empty()) return unit;
  }
  const UnitBeside of_key = unit_of_key(name, wanted);
  if (of_key.unit != nullptr && wanted.fits(*of_key.unit)) return of_key;
  if (figure.is_time) {
    const auto of_times = UnitBeside::of_word(text_of_either(all, "time_unit"));
    if (!word_of(of_times).empty()) return of_times;
  }
  if (!names_units(above, "unit") && !names_units(above, "units")) return {};
  return said_of_all(all, figure.is_only, figure.is_time, wanted).unit;
}

// "3 ms", and not "3", which some programs print.
bool has_unit_in_text(const json& value) {
  if (value.is_array()) return !value.empty() && has_unit_in_text(value.front());
  return value.is_string() && value.get_ref<const std::string&>().find_first_not_of(
                                  "0123456789.+-eE \t") != std::string::npos;
}

// What texts of the object say of all its figures: {"benchmark": "throughput"}, {"mode": "thrpt"}.
// Empty where they say nothing.
std::string_view telling_text(const json& object) {
  for (const char* key : {"unit", "type", "metric", "measure", "quantity", "kind", "mode", "name",
                          "benchmark", "test", "title", "label", "description"}) {
    const auto member = member_in_any_case(object, key);
    if (member == object.end() || !member->is_string()) continue;
    const std::string_view text = member->get_ref<const std::string&>();
    const Tendency tendency = search::tendency_of(text);
    if (tendency != Tendency::kNone && tendency != Tendency::kScore) return text;
  }
  return {};
}

// The figure's name goes first, then its unit, then texts beside it, then the same of the objects
// around it, and a name that is that of a score last. Without `unit` the name alone.
void expect_no_rate(const Found& found, const UnitBeside* unit, const FigureUnit& wanted) {
  if (wanted.takes_rates()) return;
  std::string path(found.last);
  for (const Found::Above& above : found.above) path = std::string(above.name) + " " + path;
  const auto decides = [&](std::string_view words) {
    const Tendency tendency = search::tendency_of(words);
    if (tendency == Tendency::kScore) return false;
    // Of the failures above it a rate is none.
    if (search::tendency_of(path) != Tendency::kCost) wanted.expect_taken(tendency, words);
    return tendency != Tendency::kNone;
  };
  if (decides(found.last) || unit == nullptr) return;
  const bool has_own_unit = !word_of(*unit).empty() || has_unit_in_text(*found.value);
  if (has_own_unit || decides(telling_text(*found.parent))) return;
  for (const Found::Above& above : found.above) {
    if (decides(above.name) || decides(telling_text(*above.object))) return;
  }
  wanted.expect_taken(search::tendency_of(found.last), found.last);
}

}  // namespace

namespace {

// Throws FigureError where the figure is a text with another unit than a member beside it names:
// {"time": "900us", "unit": "ms"}. What the name says is passed over for the text.
void expect_text_agrees(const Found& found, const UnitBeside& unit, const FigureUnit& wanted) {
  if (unit.unit == nullptr || unit_of_key(found.last, wanted).unit != nullptr) return;
  const auto expect_same = [&](const json& value) {
    if (!value.is_string()) return;
    std::string_view text = value.get_ref<const std::string&>();
    if (!search::takes_number(text)) return;
    const search::Unit* const own = UnitBeside::of_word(text).unit;
    if (own == nullptr || own == unit.unit || own->dimension != unit.unit->dimension) return;
    throw FigureError(base::in_quotes(found.last) + " is in " + base::in_quotes(own->name) +
                      " itself, and in " + base::in_quotes(unit.unit->name) +
                      " by a member beside it: print one of the two");
  };
  expect_same(*found.value);
  if (!found.value->is_array()) return;
  for (const json& element : *found.value) expect_same(element);
}

bool is_unit_text(const json& element) {
  if (!element.is_string()) return false;
  const std::string_view word = base::trimmed(element.get_ref<const std::string&>());
  return word == "s" || (word.size() > 1 && search::looks_like_unit(word));
}

// "us" of [900, "us"] and ["us", 900]: the text behind the figure in its list, or before it in a
// pair. `depth`: how far lists within lists are looked at.
UnitBeside unit_in_list(const json& list, const json* figure, int depth = 4) {
  if (!list.is_array() || depth == 0) return {};
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (const UnitBeside inner = unit_in_list(list[i], figure, depth - 1); !word_of(inner).empty())
      return inner;
    if (&list[i] != figure) continue;
    const bool is_behind = i + 1 < list.size() && is_unit_text(list[i + 1]);
    const bool is_before = list.size() == 2 && i == 1 && is_unit_text(list[0]);
    if (!is_behind && !is_before) return {};
    return UnitBeside::of_word(list[is_behind ? i + 1 : 0].get_ref<const std::string&>());
  }
  return {};
}

}  // namespace

search::UnitBeside json_unit(const Found& found, const FigureUnit& wanted) {
  const json& all = *found.parent;
  if (!all.is_object()) return unit_in_list(all, found.value);
  expect_no_rate(found, nullptr, wanted);
  const std::string name(found.last);
  const bool is_only = std::ranges::count_if(all, is_numbers) == 1;
  const bool is_time =
      is_called_time(name) || wanted.is_given_time() || (is_only && !wanted.is_given());
  Figure figure{name, is_time, is_only};
  UnitBeside unit = unit_in_list(all[name], found.value);
  if (word_of(unit).empty()) unit = unit_within(all, figure, wanted);
  expect_text_agrees(found, unit, wanted);
  for (const Found::Above& above : found.above) {
    if (!word_of(unit).empty()) break;
    unit = unit_above(above, figure, wanted);
  }
  expect_no_rate(found, &unit, wanted);
  return unit;
}

}  // namespace nightshift::evaluator
