#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace nightshift::search {

// A number that names one kind of thing and cannot be mixed up with another kind.
template <class Tag>
struct Id {
  std::uint64_t value = 0;
  friend auto operator<=>(const Id&, const Id&) = default;
};

using TrialId = Id<struct TrialTag>;                     // one job of a study, counted from 1
using ConfigurationIndex = Id<struct ConfigurationTag>;  // position in a ParameterSpace, from 0
using ConfirmationId = Id<struct ConfirmationTag>;  // one fork-and-join, counted from 1; 0 = none

}  // namespace nightshift::search

template <class Tag>
struct std::hash<nightshift::search::Id<Tag>> {
  std::size_t operator()(const nightshift::search::Id<Tag>& id) const noexcept {
    return std::hash<std::uint64_t>{}(id.value);
  }
};
