#pragma once

#include <compare>
#include <cstdint>
#include <functional>

#include "base/wide.h"

namespace nightshift::search {

// A number that names one kind of thing and cannot be mixed up with another kind.
template <class Tag, class Number = std::uint64_t>
struct Id {
  Number value = 0;
  friend auto operator<=>(const Id&, const Id&) = default;
};

using TrialId = Id<struct TrialTag>;  // one job of a study, counted from 1
using ConfigurationIndex = Id<struct ConfigurationTag, base::Wide>;  // position in a space, from 0
using ConfirmationId = Id<struct ConfirmationTag>;  // one fork-and-join, counted from 1; 0 = none

}  // namespace nightshift::search

template <class Tag, class Number>
struct std::hash<nightshift::search::Id<Tag, Number>> {
  std::size_t operator()(const nightshift::search::Id<Tag, Number>& id) const noexcept {
    const std::hash<std::uint64_t> word;
    if constexpr (sizeof(Number) > 8) {
      const std::size_t high = word(static_cast<std::uint64_t>(id.value >> 64));
      return high * 0x9e3779b97f4a7c15U ^ word(static_cast<std::uint64_t>(id.value));
    } else {
      return word(id.value);
    }
  }
};
