#include "search/parameter_space.h"

#include <algorithm>
#include <numeric>

#include "search/space/space_construction.h"
#include "search/space/space_group.h"
#include "search/space/value_digits.h"

namespace nightshift::search {

struct ParameterSpace::Index {
  struct Group {
    std::unique_ptr<SpaceGroup> ranks;
    base::Wide size = 1;
    base::Wide stride = 1;  // of the rank within the index; the first group's is the largest
  };

  std::vector<Parameter> parameters;
  std::vector<Expression> constraints;
  ValueDigits values;
  std::vector<Group> groups = {};
  std::vector<std::size_t> group_of = {};  // by parameter
  base::Wide size = 1;
  bool counted = true;

  void set_groups(std::vector<std::unique_ptr<SpaceGroup>> made) {
    group_of.resize(parameters.size());
    for (auto& ranks : made) {
      for (const std::uint32_t p : ranks->parameters()) group_of[p] = groups.size();
      counted &= ranks->counted();
      const base::Wide count = ranks->size();
      groups.push_back({std::move(ranks), count, 1});
    }
    for (std::size_t g = groups.size(); g-- > 0;) {
      groups[g].stride = size;
      if (size > ~base::Wide{0} / groups[g].size) {
        throw SpaceError("there are more than 2^128 configurations; remove values or parameters");
      }
      size *= groups[g].size;
    }
  }

  base::Wide rank_in(const Group& group, ConfigurationIndex i) const {
    return i.value / group.stride % group.size;
  }

  void read(ConfigurationIndex i, std::span<std::uint32_t> row) const {
    base::Wide left = i.value;
    for (const Group& group : groups) {
      if (left >> 64 == 0) {  // 128-bit division is slow
        const auto low = static_cast<std::uint64_t>(left);
        const bool small = group.stride >> 64 == 0;
        const auto stride = static_cast<std::uint64_t>(group.stride);
        const std::uint64_t rank = small ? low / stride : 0;
        group.ranks->read(rank, row);
        if (small) left = low - rank * stride;
      } else {
        group.ranks->read(left / group.stride, row);
        left %= group.stride;
      }
    }
  }

  std::optional<ConfigurationIndex> find(std::span<const std::uint32_t> row) const {
    base::Wide index = 0;
    for (const Group& group : groups) {
      const std::optional<base::Wide> rank = group.ranks->rank_of(row);
      if (!rank) return std::nullopt;
      index += *rank * group.stride;
    }
    return ConfigurationIndex{index};
  }

  // The digits of `c`; otherwise the name of the first parameter that lacks or has an unknown
  // value.
  std::optional<std::string> misfit(const Configuration& c, std::span<std::uint32_t> out) const {
    for (std::size_t k = 0; k < parameters.size(); ++k) {
      const Value* value = c.find(parameters[k].name);
      const auto digit = value ? values.digit_of(parameters, k, *value) : std::nullopt;
      if (!digit) return parameters[k].name;
      out[k] = *digit;
    }
    return std::nullopt;
  }

  std::unique_ptr<SpaceGroup> listed(const std::vector<Configuration>& configurations) const;

  bool is_row(std::span<const std::uint32_t> digits) const {
    if (digits.size() != parameters.size()) return false;
    for (std::size_t k = 0; k < digits.size(); ++k) {
      if (digits[k] >= parameters[k].values.size()) return false;
    }
    return true;
  }

  std::vector<ConfigurationIndex> neighbours(ConfigurationIndex i, Neighbourhood kind,
                                             const Places& places) const {
    std::vector<ConfigurationIndex> found;
    std::vector<ConfigurationIndex> above;
    std::vector<std::uint32_t> row(parameters.size());
    read(i, row);
    for (std::size_t k = 0; k < row.size(); ++k) {
      if (parameters[k].values.size() < 2) continue;
      const Group& group = groups[group_of[k]];
      const base::Wide others = i.value - rank_in(group, i) * group.stride;
      const std::size_t begin = found.size();
      above.clear();
      group.ranks->alternatives(k, row, places, [&](std::uint32_t digit, base::Wide rank) {
        (digit < row[k] ? found : above).push_back({others + rank * group.stride});
      });
      std::reverse(found.begin() + static_cast<std::ptrdiff_t>(begin), found.end());
      if (kind == Neighbourhood::kAdjacent) {  // the nearest on each side
        found.resize(std::min(found.size(), begin + 1));
        above.resize(std::min<std::size_t>(above.size(), 1));
      }
      found.insert(found.end(), above.begin(), above.end());
    }
    return found;
  }
};

ParameterSpace::ParameterSpace(std::vector<Parameter> parameters,
                               std::vector<Expression> constraints, const SpaceLimits& limits) {
  ValueDigits values(parameters);
  auto groups = construct_space(parameters, constraints, limits);
  index_ = std::make_unique<Index>(
      Index{std::move(parameters), std::move(constraints), std::move(values)});
  index_->set_groups(std::move(groups));
}

ParameterSpace::ParameterSpace(std::unique_ptr<Index> index) : index_(std::move(index)) {}
ParameterSpace::~ParameterSpace() = default;
ParameterSpace::ParameterSpace(ParameterSpace&&) noexcept = default;
ParameterSpace& ParameterSpace::operator=(ParameterSpace&&) noexcept = default;

// Of the listed configurations, in a group of their own.
std::unique_ptr<SpaceGroup> ParameterSpace::Index::listed(
    const std::vector<Configuration>& configurations) const {
  std::vector<std::size_t> counts;
  for (const Parameter& parameter : parameters) counts.push_back(parameter.values.size());
  DigitTable table(counts);
  std::vector<std::uint32_t> digits(counts.size());
  for (const Configuration& c : configurations) {
    if (c.entries().size() > digits.size()) {
      throw SpaceError("the configuration " + c.to_json() + " has a name that is no parameter");
    }
    if (const auto name = misfit(c, digits)) {
      throw SpaceError("the configuration " + c.to_json() + " has no valid value for parameter '" +
                       *name + "'");
    }
    table.append(digits);
  }
  if (const auto twin = table.sort()) {
    throw SpaceError("the configuration " + configurations[*twin].to_json() + " is listed twice");
  }
  return std::make_unique<ListedGroup>(std::move(table), std::move(counts));
}

ParameterSpace ParameterSpace::from_list(std::vector<Parameter> parameters,
                                         const std::vector<Configuration>& configurations,
                                         const std::vector<Parameter>& free) {
  if (configurations.empty()) throw SpaceError("the list of configurations is empty");
  ValueDigits values(parameters);
  auto index = std::make_unique<Index>(Index{std::move(parameters), {}, std::move(values)});
  std::vector<std::unique_ptr<SpaceGroup>> groups;
  groups.push_back(index->listed(configurations));
  for (const Parameter& parameter : free) {
    std::vector<std::uint32_t> digits(parameter.values.size());
    std::iota(digits.begin(), digits.end(), 0U);
    const auto place = static_cast<std::uint32_t>(index->parameters.size());
    groups.push_back(std::make_unique<FreeGroup>(place, std::move(digits)));
    index->parameters.push_back(parameter);
  }
  index->values = ValueDigits(index->parameters);
  index->set_groups(std::move(groups));
  return ParameterSpace(std::move(index));
}

const std::vector<Parameter>& ParameterSpace::parameters() const { return index_->parameters; }
const std::vector<Expression>& ParameterSpace::constraints() const { return index_->constraints; }
base::Wide ParameterSpace::size() const { return index_->size; }
bool ParameterSpace::counted() const { return index_->counted; }

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

std::vector<std::uint32_t> ParameterSpace::digits(ConfigurationIndex i) const {
  std::vector<std::uint32_t> row(index_->parameters.size());
  index_->read(i, row);
  return row;
}

std::optional<ConfigurationIndex> ParameterSpace::index_of(const Configuration& c) const {
  std::vector<std::uint32_t> row(index_->parameters.size());
  if (c.entries().size() != row.size() || index_->misfit(c, row)) return std::nullopt;
  return index_->find(row);
}

std::optional<ConfigurationIndex> ParameterSpace::index_of_digits(
    std::span<const std::uint32_t> digits) const {
  return index_->is_row(digits) ? index_->find(digits) : std::nullopt;
}

bool ParameterSpace::contains(std::span<const std::uint32_t> digits) const {
  return index_of_digits(digits).has_value();
}

bool ParameterSpace::contains(ConfigurationIndex i) const {
  return i.value < size() && (counted() || contains(digits(i)));
}

ConfigurationIndex ParameterSpace::sample(base::Rng& rng) const {
  if (counted()) return {rng.below_wide(size())};
  base::Wide index = 0;
  for (const Index::Group& group : index_->groups) index += group.ranks->sample(rng) * group.stride;
  return {index};
}

std::vector<ConfigurationIndex> ParameterSpace::neighbours(ConfigurationIndex i,
                                                           Neighbourhood kind) const {
  return index_->neighbours(i, kind, Places());
}

std::vector<ConfigurationIndex> ParameterSpace::some_neighbours(ConfigurationIndex i,
                                                                std::size_t looks,
                                                                base::Rng& rng) const {
  return index_->neighbours(i, Neighbourhood::kOneParameter, Places(looks, rng));
}

}  // namespace nightshift::search
