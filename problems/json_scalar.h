#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "search/value.h"

namespace nightshift::problems {

// nullopt for objects, lists, null and whole numbers beyond 64 bits.
std::optional<search::Value> json_scalar(const nlohmann::json& json);

// Whether `json` is a whole number that std::int64_t does not hold. One beyond std::uint64_t is a
// double to the library; JsonLocations knows those.
bool is_beyond_integers(const nlohmann::json& json);

}  // namespace nightshift::problems
