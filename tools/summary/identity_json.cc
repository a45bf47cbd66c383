#include "tools/summary/identity_json.h"

#include <nlohmann/json.hpp>
#include <string>

namespace nightshift::tools {

using nlohmann::json;
using nlohmann::ordered_json;

ordered_json identity_json(const search::Identity& identity) {
  ordered_json list = ordered_json::array();
  for (const search::IdentityPart& part : identity) {
    list.push_back(
        {{"kind", search::name_of(part.kind)}, {"name", part.name}, {"value", part.value}});
  }
  return list;
}

search::Identity identity_of(const json& parts) {
  search::Identity identity;
  if (!parts.is_array()) return identity;
  const auto text_at = [](const json& part, const char* key) {
    const auto found = part.find(key);
    return found != part.end() && found->is_string() ? found->get<std::string>() : "";
  };
  for (const json& part : parts) {
    if (!part.is_object()) continue;
    const std::string key = text_at(part, "kind") + " " + text_at(part, "name");
    if (auto known = search::part_of(key, text_at(part, "value"))) identity.push_back(*known);
  }
  return identity;
}

}  // namespace nightshift::tools
