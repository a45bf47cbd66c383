#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "search/value.h"

namespace nightshift::problems {

// nullopt for objects, lists and null.
std::optional<search::Value> json_scalar(const nlohmann::json& json);

}  // namespace nightshift::problems
