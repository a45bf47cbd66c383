// Forms that other programs read: Kernel Launcher's wisdom files (version 1.0: the header names the
// member of a record that is its figure, the key and the parameters; a record has its values as a list
// in that order, up to three problem sizes and the device's name), and the files of vLLM's fused_moe.
#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "tools/table/formats/table_formats.h"
#include "tools/table/formats/table_names.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

using Json = nlohmann::ordered_json;

std::string dumped(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace) + "\n";
}

// Of the row, or of the default where it has that.
const search::Configuration& values_of(const TableDocument& d, const search::TableRow& row) {
  return row.choice == 0 ? d.default_values : d.rule.configurations[row.choice];
}

Json value_json(const search::Value& value) {
  return std::visit([](const auto& v) { return Json(v); }, value);
}

std::vector<std::string> parameters_of(const TableDocument& d) {
  std::vector<std::string> names;
  std::vector<const search::Configuration*> all{&d.default_values};
  for (const search::Configuration& c : d.rule.configurations) all.push_back(&c);
  for (const search::Configuration* c : all) {
    for (const auto& [name, value] : c->entries()) {
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

// The value of a parameter in a row, else of the default, else any: it says nothing there.
Json value_of(const TableDocument& d, const search::Configuration& values,
              const std::string& name) {
  if (const search::Value* own = values.find(name)) return value_json(*own);
  if (const search::Value* own = d.default_values.find(name)) return value_json(*own);
  for (const search::Configuration& c : d.rule.configurations) {
    if (const search::Value* any = c.find(name)) return value_json(*any);
  }
  return nullptr;
}

constexpr std::array<const char*, 4> kFusedMoe{"BLOCK_SIZE_M", "BLOCK_SIZE_N", "BLOCK_SIZE_K",
                                               "GROUP_SIZE_M"};

void check_fused_moe(const TableDocument& d, const search::TableRow& row) {
  const search::Configuration& values = values_of(d, row);
  if (values.is_baseline()) {
    throw UsageError("the default is another program, and vLLM has no file for it: the row of " +
                     search::text_of(row.sizes) + " cannot be written");
  }
  for (const char* name : kFusedMoe) {
    if (values.find(name) != nullptr) continue;
    throw UsageError(
        std::string("vLLM reads BLOCK_SIZE_M, BLOCK_SIZE_N, BLOCK_SIZE_K and GROUP_SIZE_M, and the "
                    "table has no ") +
        name + "; say which parameter that is with --names PARAMETER=" + name);
  }
}

}  // namespace

std::string table_wisdom(const TableDocument& d) {
  constexpr std::size_t kMostSizes = 3;
  if (d.rule.names.size() > kMostSizes) {
    throw UsageError(
        "Kernel Launcher tells calls apart by three sizes at most, and the table has " +
        base::list_of(d.rule.names, "and"));
  }
  const std::vector<std::string> parameters = parameters_of(d);
  std::string text = dumped({{"version", "1.0"},
                             {"objective", "time"},
                             {"tunable_parameters", parameters},
                             {"key", d.problem}},
                            -1);
  for (std::size_t i = 0; i < d.rule.rows.size(); ++i) {
    const search::TableRow& row = d.rule.rows[i];
    const search::Configuration& values = values_of(d, row);
    if (values.is_baseline()) continue;
    Json config = Json::array(), sizes = Json::array();
    for (const std::string& name : parameters) config.push_back(value_of(d, values, name));
    for (const auto& [name, size] : row.sizes) sizes.push_back(size);
    for (const std::string& device : device_names(d)) {
      text += dumped({{"config", config},
                      {"problem_size", sizes},
                      {"time", row.choice == 0 ? 1.0 : d.evidence[i].ratio},
                      {"environment", {{"device_name", device}, {"date", d.made}}}},
                     -1);
    }
  }
  return text;
}

std::vector<TableFile> table_vllm(const TableDocument& d) {
  const auto batch = std::ranges::find(d.rule.names, "M");
  if (batch == d.rule.names.end()) {
    throw UsageError("vLLM's files are by the batch size M, and the table has the sizes " +
                     base::list_of(d.rule.names, "and") + "; say which it is with --names SIZE=M");
  }
  std::map<std::string, std::map<std::int64_t, const search::TableRow*>> files;
  for (const search::TableRow& row : d.rule.rows) {
    check_fused_moe(d, row);
    std::string others;
    std::int64_t of_batch = 0;
    for (const auto& [name, size] : row.sizes) {
      if (name == "M") {
        of_batch = size;
      } else {
        others += name + "=" + std::to_string(size) + ",";
      }
    }
    files[others][of_batch] = &row;
  }
  std::vector<TableFile> written;
  for (const auto& [others, rows] : files) {
    Json json = Json::object();
    for (const auto& [of_batch, row] : rows) {
      json[std::to_string(of_batch)] = Json::parse(values_of(d, *row).to_json());
    }
    for (std::string device : device_names(d)) {
      std::ranges::replace(device, ' ', '_');
      std::ranges::replace(device, '/', '_');
      written.push_back({others + "device_name=" + device + ".json", dumped(json, 4)});
    }
  }
  return written;
}

}  // namespace nightshift::tools
