#include "problems/json_scalar.h"

#include <nlohmann/json.hpp>

namespace nightshift::problems {

std::optional<search::Value> json_scalar(const nlohmann::json& json) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_number()) return json.get<double>();
  if (json.is_string()) return json.get<std::string>();
  return std::nullopt;
}

}  // namespace nightshift::problems
