#include "search/parameter_space.h"

#include <cmath>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "search/digit_table.h"
#include "search/space_construction.h"

namespace nightshift::search {

namespace {

// Equal for the values that same_value() calls equal, and for no others.
std::string key_of(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return "s" + *text;
  if (const bool* flag = std::get_if<bool>(&value)) return *flag ? "1" : "0";
  if (const double* number = std::get_if<double>(&value)) {
    const bool whole = *number == std::floor(*number) && std::abs(*number) < 0x1p63;
    return whole ? std::to_string(static_cast<std::int64_t>(*number)) : to_text(*number);
  }
  return to_text(value);
}

using DigitByKey = std::unordered_map<std::string, std::uint32_t>;

DigitByKey digits_of(const Parameter& parameter) {
  if (parameter.values.empty()) {
    throw SpaceError("parameter '" + parameter.name + "' has no values");
  }
  DigitByKey digits;
  for (const Value& value : parameter.values) {
    const double* number = std::get_if<double>(&value);
    if (number && !std::isfinite(*number)) {
      throw SpaceError("parameter '" + parameter.name + "' has a value that is not finite");
    }
    if (!digits.emplace(key_of(value), static_cast<std::uint32_t>(digits.size())).second) {
      throw SpaceError("parameter '" + parameter.name + "' lists the value " + to_json(value) +
                       " twice");
    }
  }
  if (!digits.contains(key_of(parameter.default_or_first()))) {
    throw SpaceError("the default " + to_json(*parameter.default_value) + " of parameter '" +
                     parameter.name + "' is none of its values");
  }
  return digits;
}

std::vector<DigitByKey> checked(const std::vector<Parameter>& parameters) {
  if (parameters.empty()) throw SpaceError("there are no parameters");
  std::unordered_set<std::string_view> names;
  std::vector<DigitByKey> digits;
  digits.reserve(parameters.size());
  for (const Parameter& parameter : parameters) {
    if (!names.insert(parameter.name).second) {
      throw SpaceError("the parameter '" + parameter.name + "' is declared twice");
    }
    digits.push_back(digits_of(parameter));
  }
  return digits;
}

std::vector<std::size_t> value_counts(const std::vector<Parameter>& parameters) {
  std::vector<std::size_t> counts;
  for (const Parameter& parameter : parameters) counts.push_back(parameter.values.size());
  return counts;
}

}  // namespace

struct ParameterSpace::Index {
  std::vector<Parameter> parameters;
  std::vector<Expression> constraints;
  std::vector<DigitByKey> digit_by_key;  // of each parameter
  DigitTable table;

  // The digits of `c`; otherwise the name of the first parameter that lacks or has an unknown
  // value.
  std::optional<std::string> misfit(const Configuration& c, std::span<std::uint32_t> out) const {
    for (std::size_t k = 0; k < parameters.size(); ++k) {
      const Value* value = c.find(parameters[k].name);
      const auto digit = value ? digit_by_key[k].find(key_of(*value)) : digit_by_key[k].end();
      if (digit == digit_by_key[k].end()) return parameters[k].name;
      out[k] = digit->second;
    }
    return std::nullopt;
  }
};

ParameterSpace::ParameterSpace(std::vector<Parameter> parameters,
                               std::vector<Expression> constraints) {
  std::vector<DigitByKey> digits = checked(parameters);
  DigitTable table = construct_space(parameters, constraints);
  index_ = std::make_unique<Index>(
      Index{std::move(parameters), std::move(constraints), std::move(digits), std::move(table)});
}

ParameterSpace::ParameterSpace(std::unique_ptr<Index> index) : index_(std::move(index)) {}
ParameterSpace::~ParameterSpace() = default;
ParameterSpace::ParameterSpace(ParameterSpace&&) noexcept = default;
ParameterSpace& ParameterSpace::operator=(ParameterSpace&&) noexcept = default;

ParameterSpace ParameterSpace::from_list(std::vector<Parameter> parameters,
                                         const std::vector<Configuration>& configurations) {
  if (configurations.empty()) throw SpaceError("the list of configurations is empty");
  std::vector<DigitByKey> keys = checked(parameters);
  DigitTable table(value_counts(parameters));
  auto index =
      std::make_unique<Index>(Index{std::move(parameters), {}, std::move(keys), std::move(table)});
  std::vector<std::uint32_t> digits(index->parameters.size());
  for (const Configuration& c : configurations) {
    if (c.entries().size() > digits.size()) {
      throw SpaceError("the configuration " + c.to_json() + " has a name that is no parameter");
    }
    if (const auto name = index->misfit(c, digits)) {
      throw SpaceError("the configuration " + c.to_json() + " has no valid value for parameter '" +
                       *name + "'");
    }
    index->table.append(digits);
  }
  if (const auto twin = index->table.sort()) {
    throw SpaceError("the configuration " + configurations[*twin].to_json() + " is listed twice");
  }
  return ParameterSpace(std::move(index));
}

const std::vector<Parameter>& ParameterSpace::parameters() const { return index_->parameters; }
const std::vector<Expression>& ParameterSpace::constraints() const { return index_->constraints; }
Wide ParameterSpace::size() const { return index_->table.size(); }

double ParameterSpace::cartesian_size() const {
  double product = 1;
  for (const Parameter& parameter : index_->parameters) {
    product *= static_cast<double>(parameter.values.size());
  }
  return product;
}

Configuration ParameterSpace::configuration(ConfigurationIndex i) const {
  const std::vector<std::uint32_t> row = digits(i);
  std::vector<Configuration::Entry> entries;
  entries.reserve(row.size());
  for (std::size_t k = 0; k < row.size(); ++k) {
    entries.emplace_back(index_->parameters[k].name, index_->parameters[k].values[row[k]]);
  }
  return Configuration(std::move(entries));
}

std::optional<ConfigurationIndex> ParameterSpace::index_of(const Configuration& c) const {
  std::vector<std::uint32_t> row(index_->parameters.size());
  if (c.entries().size() != row.size() || index_->misfit(c, row)) return std::nullopt;
  return index_of_digits(row);
}

std::vector<std::uint32_t> ParameterSpace::digits(ConfigurationIndex i) const {
  std::vector<std::uint32_t> row(index_->parameters.size());
  index_->table.read(static_cast<std::uint64_t>(i.value), row);
  return row;
}

std::optional<ConfigurationIndex> ParameterSpace::index_of_digits(
    std::span<const std::uint32_t> digits) const {
  if (digits.size() != index_->parameters.size()) return std::nullopt;
  for (std::size_t k = 0; k < digits.size(); ++k) {
    if (digits[k] >= index_->parameters[k].values.size()) return std::nullopt;
  }
  const auto row = index_->table.find(digits);
  return row ? std::optional(ConfigurationIndex{*row}) : std::nullopt;
}

ConfigurationIndex ParameterSpace::sample(Rng& rng) const { return {rng.below_wide(size())}; }

std::vector<ConfigurationIndex> ParameterSpace::neighbours(ConfigurationIndex i,
                                                           Neighbourhood kind) const {
  std::vector<ConfigurationIndex> found;
  std::vector<std::uint32_t> row = digits(i);
  for (std::size_t k = 0; k < row.size(); ++k) {
    const std::uint32_t here = row[k];
    const auto count = static_cast<std::uint32_t>(index_->parameters[k].values.size());
    const auto try_digit = [&](std::uint32_t digit) {
      row[k] = digit;
      const auto row_index = index_->table.find(row);
      if (row_index) found.push_back({*row_index});
      return row_index && kind == Neighbourhood::kAdjacent;  // enough in this direction
    };
    for (std::uint32_t digit = here; digit-- > 0 && !try_digit(digit);) {
    }
    for (std::uint32_t digit = here + 1; digit < count && !try_digit(digit); ++digit) {
    }
    row[k] = here;
  }
  return found;
}

}  // namespace nightshift::search
