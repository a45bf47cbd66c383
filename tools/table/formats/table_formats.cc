#include "tools/table/formats/table_formats.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "base/text.h"
#include "search/table/expression_pieces.h"
#include "tools/text/page.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

template <std::string (*form)(const TableDocument&)>
std::vector<TableFile> one_file(const TableDocument& d) {
  return {{"", form(d)}};
}

std::string table_text(const TableDocument& d) { return json_text(table_json(d)); }

template <std::string (*form)(const KindsDocument&)>
std::vector<TableFile> one_file(const KindsDocument& document) {
  return {{"", form(document)}};
}

std::string kinds_text(const KindsDocument& document) { return json_text(kinds_json(document)); }

// Its lines say the device: those of all kinds behind the first line, which names the parameters.
std::string kinds_wisdom(const KindsDocument& given) {
  const KindsDocument document = with_common_configurations(given);
  std::string text;
  for (const TableOfKind& one : document.tables) {
    const std::string own = table_wisdom(one.table);
    text += text.empty() ? own : own.substr(own.find('\n') + 1);
  }
  return text;
}

// Its files are named by the device.
std::vector<TableFile> kinds_vllm(const KindsDocument& document) {
  std::vector<TableFile> files;
  for (const TableOfKind& one : document.tables) {
    for (TableFile& file : table_vllm(one.table)) files.push_back(std::move(file));
  }
  return files;
}

constexpr std::array kFormats = {
    TableFormat{"json", "all of it", one_file<table_text>, one_file<kinds_text>},
    TableFormat{"header", "a C++20 header with choose(M, N, ...)", one_file<table_header>,
                one_file<kinds_header>},
    TableFormat{"python", "a module with choose(M, N, ...)", one_file<table_python>,
                one_file<kinds_python>},
    TableFormat{"wisdom", "rows as Kernel Launcher reads them", one_file<table_wisdom>,
                one_file<kinds_wisdom>},
    TableFormat{"vllm", "files of vLLM's and SGLang's fused_moe", table_vllm, kinds_vllm},
    TableFormat{"cubin", "CUDA kernels, compiled, for programs that launch them", nullptr,
                nullptr}};

using Names = std::vector<std::pair<std::string, std::string>>;

const std::string& new_name(const Names& names, const std::string& old) {
  const auto found = std::ranges::find(names, old, &Names::value_type::first);
  return found == names.end() ? old : found->second;
}

search::Configuration renamed_values(const search::Configuration& c, const Names& names) {
  std::vector<search::Configuration::Entry> entries;
  for (const auto& [name, value] : c.entries()) entries.emplace_back(new_name(names, name), value);
  return search::Configuration(std::move(entries));
}

// Parameters and sizes, each once.
std::set<std::string> names_in(const TableDocument& d) {
  std::set<std::string> all(d.rule.names.begin(), d.rule.names.end());
  for (const auto& [name, value] : d.default_values.entries()) all.insert(name);
  for (const search::Configuration& c : d.rule.configurations) {
    for (const auto& [name, value] : c.entries()) all.insert(name);
  }
  return all;
}

void check_names(const TableDocument& d, const Names& names) {
  const std::set<std::string> known = names_in(d);
  std::set<std::string> after = known;
  for (const auto& [old, name] : names) after.erase(old);
  for (const auto& [old, name] : names) {
    if (!known.contains(old)) {
      throw UsageError("--names " + old + "=" + name + ": the table has no " + old + "; it has " +
                       base::list_of({known.begin(), known.end()}, "and"));
    }
    if (!after.insert(name).second) {
      throw UsageError("--names " + old + "=" + name + ": there is a " + name + " already");
    }
  }
}

}  // namespace

TableDocument renamed(const TableDocument& document, const Names& names) {
  check_names(document, names);
  TableDocument d = document;
  const auto rename = [&](search::Sizes& sizes) {
    for (auto& [name, size] : sizes) name = new_name(names, name);
  };
  d.default_values = renamed_values(d.default_values, names);
  for (search::Configuration& c : d.rule.configurations) c = renamed_values(c, names);
  for (std::string& name : d.rule.names) name = new_name(names, name);
  for (search::TableRow& row : d.rule.rows) rename(row.sizes);
  for (TableDocument::Unseen& one : d.unseen) rename(one.sizes);
  const auto other = [&](const std::string& name) {
    return std::optional<std::string>(new_name(names, name));
  };
  for (auto& of_one : d.rule.unseen.conditions) {
    for (search::SizeCondition& one : of_one) {
      one.constraint = search::with_other_names(one.constraint, other);
      one.holds = search::with_other_names(one.holds, other);
    }
  }
  return d;
}

std::span<const TableFormat> table_formats() { return kFormats; }

}  // namespace nightshift::tools
