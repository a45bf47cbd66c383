#include "tools/text/toml_list.h"

#include "search/value.h"

namespace nightshift::tools {

std::string toml_list(const std::vector<std::string>& texts) {
  std::string list = "[";
  for (const std::string& text : texts) {
    list += (list.size() > 1 ? ", " : "") + search::json_quoted(text);
  }
  return list + "]";
}

std::string toml_list(const std::vector<search::Configuration>& configurations) {
  std::string list = "[";
  for (const search::Configuration& configuration : configurations) {
    std::string table;
    for (const auto& [name, value] : configuration.entries()) {
      table +=
          (table.empty() ? "" : ", ") + search::json_quoted(name) + " = " + search::to_json(value);
    }
    list += (list.size() > 1 ? ", {" : "{") + table + "}";
  }
  return list + "]";
}

}  // namespace nightshift::tools
