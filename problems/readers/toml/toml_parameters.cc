#include "problems/readers/toml/toml_parameters.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>

#include "problems/readers/table_text.h"
#include "problems/value_list.h"

namespace nightshift::problems {
namespace {

using search::Value;
using Values = std::optional<std::vector<Value>>;  // nullopt: wrong, and noted

constexpr std::array<const char*, 3> kForms = {"values", "range", "powers_of_two"};

// One entry of [parameters].
class EntryReader {
 public:
  EntryReader(std::string name, const toml::node& node, Diagnostics& diagnostics)
      : name_(std::move(name)), node_(node), diagnostics_(diagnostics) {}

  Values values() const {
    if (const toml::array* array = node_.as_array()) return listed(*array);
    if (node_.is_string()) return list_expression(node_);
    wrong(node_,
          "must be a list, a list expression such as '[2**i for i in range(6)]', or a table "
          "with 'values', 'range' or 'powers_of_two', not " +
              describe(node_));
    return std::nullopt;
  }

  Values values_of_form(const std::string& form) const {
    if (form == "values") return values();
    std::vector<Value> bounds;
    if (const toml::array* array = node_.as_array()) {
      if (auto numbers = listed(*array)) {
        bounds = std::move(*numbers);
      } else {
        return std::nullopt;
      }
    }
    return form == "range" ? range(bounds) : powers_of_two(bounds);
  }

 private:
  void wrong(const toml::node& node, const std::string& message) const {
    diagnostics_.add(location_of(node.source()), name_ + " " + message);
  }

  Values listed(const toml::array& array) const {
    std::vector<Value> values;
    for (const toml::node& element : array) {
      const auto value = scalar(element);
      if (!value) {
        wrong(element, "must list numbers, texts or true and false; here is " + describe(element));
        return std::nullopt;
      }
      values.push_back(*value);
    }
    return values;
  }

  Values list_expression(const toml::node& node) const {
    const LocatedString text = located_string(node);
    try {
      return search::Expression::parse_list(text.text);
    } catch (const search::ExpressionError& error) {
      diagnostics_.add(text.at(error.position()),
                       name_ + " " + in_quotes(text.text) + ": " + error.what());
      return std::nullopt;
    }
  }

  Values range(const std::vector<Value>& bounds) const {
    const auto is_whole = [](const Value& v) { return std::holds_alternative<std::int64_t>(v); };
    const auto is_number = [&](const Value& v) {
      return is_whole(v) || std::holds_alternative<double>(v);
    };
    const bool good =
        (bounds.size() == 2 || bounds.size() == 3) && std::ranges::all_of(bounds, is_number);
    if (!good) return no_range();
    return std::ranges::all_of(bounds, is_whole) ? whole_range(bounds) : real_range(bounds);
  }

  Values no_range() const {
    wrong(node_,
          "must be [first, last] or [first, last, step] with a step that leads from the "
          "first to the last");
    return std::nullopt;
  }

  Values too_many() const {
    wrong(node_, "has more than " + std::to_string(kMostValues) + " values");
    return std::nullopt;
  }

  // Exact over all 64 bits.
  Values whole_range(const std::vector<Value>& bounds) const {
    const auto bound = [&](std::size_t i) { return std::get<std::int64_t>(bounds[i]); };
    const std::int64_t first = bound(0), last = bound(1);
    const std::int64_t step = bounds.size() == 3 ? bound(2) : 1;
    if (step == 0 || (first != last && (first < last) != (step > 0))) return no_range();
    std::vector<Value> values;
    for (std::int64_t at = first; step > 0 ? at <= last : at >= last;) {
      if (values.size() == kMostValues) return too_many();
      values.emplace_back(at);
      if (__builtin_add_overflow(at, step, &at)) break;
    }
    return values;
  }

  Values real_range(const std::vector<Value>& bounds) const {
    std::array<double, 3> numbers = {0, 0, 1};
    for (std::size_t i = 0; i < bounds.size(); ++i) {
      numbers[i] = search::as_number(bounds[i]);
      if (std::abs(numbers[i]) <= 0x1p53) continue;  // where doubles still count in ones
      wrong(node_, "has the bound " + search::to_json(bounds[i]) +
                       "; those of a range with fractions go from -9007199254740992 to "
                       "9007199254740992");
      return std::nullopt;
    }
    const auto [first, last, step] = numbers;
    const double steps = (last - first) / step;
    if (!std::isfinite(steps) || steps < 0) return no_range();
    // A last value that rounding puts just out of reach is meant.
    const double count = std::floor(steps + 1e-9) + 1;
    if (count > static_cast<double>(kMostValues)) return too_many();
    std::vector<Value> values;
    const int places = std::max(decimal_places(first), decimal_places(step));
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(count); ++i) {
      // 0.3 and not 0.30000000000000004, which no condition and no program means.
      double value = first + static_cast<double>(i) * step;
      std::array<char, 700> text{};
      const auto written = std::to_chars(text.data(), text.data() + text.size(), value,
                                         std::chars_format::fixed, places);
      std::from_chars(text.data(), written.ptr, value);
      values.emplace_back(value);
    }
    return values;
  }

  // As a file would write it; as many as a double can have where it would need an exponent.
  static int decimal_places(double number) {
    constexpr int kMost = 340;
    const std::string text = search::to_json(Value(number));
    if (text.find('e') != std::string::npos) return kMost;
    return static_cast<int>(text.size() - text.find('.') - 1);
  }

  Values powers_of_two(const std::vector<Value>& bounds) const {
    const auto integer = [&](std::size_t i) { return std::get_if<std::int64_t>(&bounds[i]); };
    const bool good = bounds.size() == 2 && integer(0) && integer(1) && *integer(0) >= 1 &&
                      *integer(0) <= *integer(1);
    if (!good) {
      wrong(node_, "must be [first, last], two integers from 1 in ascending order");
      return std::nullopt;
    }
    std::vector<Value> values;
    for (int shift = 0; shift < 63; ++shift) {
      const std::int64_t power = std::int64_t{1} << shift;
      if (power >= *integer(0) && power <= *integer(1)) values.emplace_back(power);
    }
    if (values.empty()) {
      wrong(node_, "has no power of two between its bounds");
      return std::nullopt;
    }
    return values;
  }

  std::string name_;  // as messages have it
  const toml::node& node_;
  Diagnostics& diagnostics_;
};

class ParametersReader {
 public:
  ParametersReader(TableReader& table, KnownNames& names, std::vector<search::FlagParameter>* flags)
      : table_(table), names_(names), flags_(flags) {}

  std::vector<search::Parameter> read() {
    for (const auto& [key, node] : keys_in_order(table_.table(), table_.diagnostics().file())) {
      const std::string name(key->str());
      names_.parameters.push_back(name);
      read_entry(name, *table_.take(name));
    }
    for (const auto& [position, condition] : conditions_) {
      search::Parameter& parameter = parameters_[position];
      parameter.active_when = read_parameter_expression(
          condition, "condition of " + in_quotes(parameter.name), names_, table_.diagnostics());
      if (parameter.active_when && parameter.active_when->names().contains(parameter.name)) {
        table_.diagnostics().add(condition.location,
                                 "the condition of " + in_quotes(parameter.name) + " names itself");
      }
    }
    return std::move(parameters_);
  }

 private:
  bool check_name(const std::string& name) {
    const auto& sizes = names_.cases.front();
    const bool is_size = std::any_of(sizes.begin(), sizes.end(),
                                     [&](const auto& size) { return size.first == name; });
    const auto& device = names_.device;
    const bool is_of_device = std::find(device.begin(), device.end(), name) != device.end();
    if (is_size) {
      table_.error(name, "has the name of a size");
    } else if (is_of_device) {
      table_.error(name, "has the name of a figure of the device");
    } else if (name == "constraints") {
      table_.error(name, "is no parameter: constraints stand before the first table of the file");
    } else if (!is_name(name)) {
      table_.error(name, flaw_of_name(name));
    } else {
      return true;
    }
    return false;
  }

  void read_entry(const std::string& name, const toml::node& node) {
    if (!check_name(name)) return;
    if (node.is_table()) {
      TableReader entry = *table_.subtable(name);
      read_table(name, entry);
      entry.finish();
      return;
    }
    add(name, EntryReader(table_.full_name(name), node, table_.diagnostics()).values(),
        location_of(node.source()));
  }

  void read_table(const std::string& name, TableReader& entry) {
    std::vector<const char*> given;
    for (const char* form : kForms) {
      if (entry.take(form) != nullptr) given.push_back(form);
    }
    search::Parameter* parameter = nullptr;
    if (given.size() == 1) {
      const std::string form = given.front();
      const EntryReader reader(entry.full_name(form), *entry.take(form), entry.diagnostics());
      parameter = add(name, reader.values_of_form(form), entry.location_of(form));
    } else {
      entry.diagnostics().add(entry.location(), table_.full_name(name) +
                                                    " must have one of 'values', "
                                                    "'range' and 'powers_of_two'");
    }
    read_default(entry, parameter);
    read_weights(entry, given, parameter);
    read_condition(entry, parameter);
    read_flag(name, entry);
  }

  search::Parameter* add(const std::string& name, Values values, const SourceLocation& location) {
    if (!values) return nullptr;
    auto parameter = make_parameter(name, std::move(*values), location, table_.diagnostics());
    if (!parameter) return nullptr;
    parameters_.push_back(std::move(*parameter));
    return &parameters_.back();
  }

  void read_default(TableReader& entry, search::Parameter* parameter) {
    const toml::node* node = entry.take("default");
    if (node == nullptr) return;
    const auto value = scalar(*node);
    if (!value) {
      entry.error("default", "must be one of the values, not " + describe(*node));
    } else if (parameter != nullptr) {
      const Value* own = find_value(*parameter, *value);
      if (own != nullptr) {
        parameter->default_value = *own;
      } else {
        entry.error("default", "is none of the values: " + no_such_value(*parameter, *value));
      }
    }
  }

  // One for each value, in the order in which the file lists them.
  void read_weights(TableReader& entry, const std::vector<const char*>& forms,
                    search::Parameter* parameter) {
    const toml::node* node = entry.take("weights");
    if (node == nullptr || parameter == nullptr) return;
    const auto values =
        EntryReader(entry.full_name(forms.front()), *entry.take(forms.front()), entry.diagnostics())
            .values_of_form(forms.front());
    const toml::array* array = node->as_array();
    std::vector<double> weights(parameter->values.size());
    bool good = array != nullptr && values && array->size() == values->size();
    for (std::size_t i = 0; good && i < values->size(); ++i) {
      const auto weight = (*array)[i].value<double>();
      good = weight && *weight > 0 && *weight < 1e9;
      if (!good) break;
      const search::Value* own = find_value(*parameter, (*values)[i]);
      weights[static_cast<std::size_t>(own - parameter->values.data())] = *weight;
    }
    if (good) {
      parameter->weights = std::move(weights);
    } else {
      entry.error("weights", "must list a positive number for each of the " +
                                 std::to_string(parameter->values.size()) + " values");
    }
  }

  void read_condition(TableReader& entry, const search::Parameter* parameter) {
    std::string text;
    if (!entry.string("when", text) || parameter == nullptr) return;
    conditions_.emplace_back(static_cast<std::size_t>(parameter - parameters_.data()),
                             located_string(*entry.take("when")));
  }

  void read_flag(const std::string& name, TableReader& entry) {
    std::string pattern;
    if (!entry.string("flag", pattern)) return;
    if (flags_ == nullptr) {
      entry.error("flag",
                  "makes a compiler option, which only a kernel has, under [host] or [cuda], or a "
                  "build of [command]");
    } else if (pattern.find("{}") == std::string::npos) {
      entry.error("flag", "must contain {}, where the value goes");
    } else {
      flags_->push_back({name, pattern});
    }
  }

  TableReader& table_;
  KnownNames& names_;
  std::vector<search::FlagParameter>* flags_;
  std::vector<search::Parameter> parameters_;
  std::vector<std::pair<std::size_t, LocatedString>> conditions_;  // which parameter's
};

}  // namespace

std::vector<search::Parameter> read_parameters(TableReader& root, KnownNames& names,
                                               std::vector<search::FlagParameter>* flags) {
  auto table = root.subtable("parameters");
  if (!table) return {};
  return ParametersReader(*table, names, flags).read();
}

}  // namespace nightshift::problems
