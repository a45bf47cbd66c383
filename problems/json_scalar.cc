#include "problems/json_scalar.h"

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>

namespace nightshift::problems {

std::optional<search::Value> json_scalar(const nlohmann::json& json) {
  if (json.is_boolean()) return json.get<bool>();
  if (is_beyond_integers(json)) return std::nullopt;
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_number()) return json.get<double>();
  if (json.is_string()) return json.get<std::string>();
  return std::nullopt;
}

bool is_beyond_integers(const nlohmann::json& json) {
  return json.is_number_unsigned() &&
         json.get<std::uint64_t>() > std::uint64_t{std::numeric_limits<std::int64_t>::max()};
}

}  // namespace nightshift::problems
