#include "kernels/readers/t1/t1_argument.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "kernels/readers/file_paths.h"
#include "kernels/readers/problem/host_problem.h"
#include "search/element_type.h"

namespace nightshift::kernels {
namespace {

using search::Argument;
using search::ElementType;

// T1's own words for what C++ calls so; the sized integers have one name in both forms.
constexpr std::array<std::pair<std::string_view, ElementType>, 4> kMoreTypes = {{
    {"float", ElementType::kFloat32},
    {"double", ElementType::kFloat64},
    {"bool", ElementType::kInt8},
    {"half", ElementType::kFloat16},
}};

template <class Choice, std::size_t N>
bool choose(const JsonReader& reader, std::string_view key,
            const std::array<std::pair<std::string_view, Choice>, N>& known, Choice& target) {
  std::string name;
  if (!reader.string(key, name)) return false;
  std::vector<std::string> names;
  for (const auto& [word, value] : known) {
    names.emplace_back(word);
    if (word != name) continue;
    target = value;
    return true;
  }
  reader.error(
      key, "must be " + alternatives(names) + ", not " + in_quotes(name) + suggestion(name, names));
  return false;
}

void read_type(const JsonReader& reader, bool cuda, Argument& argument) {
  std::string name;
  if (reader.require("Type") == nullptr || !reader.string("Type", name)) return;
  std::vector<std::string> names;
  const auto look = [&](std::string_view word, ElementType type) {
    if (!cuda && !search::is_cpp_type(type)) return;
    names.emplace_back(word);
    if (word == name) argument.type = type;
  };
  for (const auto& [word, type] : kMoreTypes) look(word, type);
  for (const search::ElementTypeRow& row : search::kElementTypes) look(row.name, row.type);
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    reader.error("Type", "must be " + alternatives(names) + (cuda ? "" : " for a host kernel") +
                             ", not " + in_quotes(name) + suggestion(name, names));
  }
}

void read_vector(const JsonReader& reader, const KnownNames& names, Argument& argument) {
  using Access = Argument::Access;
  using Fill = Argument::Fill;
  argument.size = read_t1_amount(reader, "Size", names);
  choose(
      reader, "AccessType",
      std::array<std::pair<std::string_view, Access>, 3>{
          {{"ReadOnly", Access::kIn}, {"WriteOnly", Access::kOut}, {"ReadWrite", Access::kInOut}}},
      argument.access);
  choose(reader, "FillType",
         std::array<std::pair<std::string_view, Fill>, 2>{
             {{"Constant", Fill::kConstant}, {"Random", Fill::kUniform}}},
         argument.fill);
  set_default_fill(argument);
  const auto value = reader.number("FillValue");
  if (!value) return;
  if (argument.fill == Fill::kConstant) {
    argument.low = *value;
  } else {  // Random: from 0 to the value
    argument.low = std::min(0.0, *value);
    argument.high = std::max(0.0, *value);
  }
}

Argument read_argument(const JsonReader& reader, std::size_t position, const KnownNames& names,
                       bool cuda) {
  Argument argument;
  argument.name = "argument" + std::to_string(position + 1);
  reader.string("Name", argument.name);
  read_type(reader, cuda, argument);
  if (reader.require("MemoryType") == nullptr) return argument;
  choose(reader, "MemoryType",
         std::array<std::pair<std::string_view, bool>, 2>{{{"Vector", false}, {"Scalar", true}}},
         argument.scalar);
  if (argument.scalar) {
    argument.value = read_t1_amount(reader, "FillValue", names);
  } else {
    read_vector(reader, names, argument);
  }
  return argument;
}

}  // namespace

std::optional<search::Expression> read_t1_amount(const JsonReader& reader, std::string_view key,
                                                 const KnownNames& names) {
  const nlohmann::json* node = reader.require(key);
  if (node == nullptr) return std::nullopt;
  LocatedString text{"", reader.location_of(key), false};
  if (node->is_number()) {
    text.text = node->dump();
  } else if (!reader.string(key, text.text)) {
    return std::nullopt;
  }
  return read_expression(text, key, names, reader.diagnostics());
}

T1Arguments read_t1_arguments(const JsonReader& kernel, const KnownNames& names, bool cuda) {
  T1Arguments result;
  const std::vector<JsonReader> arguments = kernel.objects("Arguments");
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    result.locations.push_back(arguments[i].location());
    result.arguments.push_back(read_argument(arguments[i], i, names, cuda));
  }
  return result;
}

std::string read_t1_file(const JsonReader& kernel, const std::filesystem::path& folder) {
  std::string file;
  if (kernel.require("KernelFile") == nullptr || !kernel.string("KernelFile", file)) return "";
  const auto found = find_file(folder, file);
  if (!found) kernel.error("KernelFile", no_such_file(folder, file));
  return found.value_or("");
}

void refuse_t1_reference(const JsonReader& kernel) {
  const auto* references = kernel.find("ReferenceArguments");
  if (references == nullptr || references->empty()) return;
  kernel.error("ReferenceArguments",
               "cannot be read; without it answers are compared with the baseline's");
}

}  // namespace nightshift::kernels
