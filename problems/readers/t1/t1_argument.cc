#include "problems/readers/t1/t1_argument.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "problems/readers/file_paths.h"
#include "problems/readers/problem/host_problem.h"
#include "search/element_type.h"

namespace nightshift::problems {
namespace {

using search::Argument;
using search::ElementType;

// T1's own words for what C++ calls so; the sized integers have one name in both forms.
constexpr std::array<std::pair<std::string_view, ElementType>, 6> kMoreTypes = {{
    {"float", ElementType::kFloat32},
    {"double", ElementType::kFloat64},
    {"bool", ElementType::kInt8},
    {"half", ElementType::kFloat16},
    {"int", ElementType::kInt32},
    {"uint", ElementType::kUint32},
}};
// Elements of vector types such as float2, which lie one behind the other without gaps.
constexpr std::array<std::pair<std::string_view, int>, 5> kLanes = {
    {{"2", 2}, {"3", 3}, {"4", 4}, {"8", 8}, {"16", 16}}};

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

struct TypeName {
  ElementType type;
  int lanes;
};

// nullopt for no type of kernels on cores or, with `cuda`, on GPUs. `names` receives what there is
// but for the vector types.
std::optional<TypeName> type_named(std::string_view name, bool cuda,
                                   std::vector<std::string>& names) {
  std::optional<TypeName> found;
  const auto look = [&](std::string_view word, ElementType type) {
    if (!cuda && !search::is_cpp_type(type)) return;
    names.emplace_back(word);
    if (word == name) found = TypeName{type, 1};
    if (!name.starts_with(word)) return;
    for (const auto& [digits, lanes] : kLanes) {
      if (name.substr(word.size()) == digits) found = found.value_or(TypeName{type, lanes});
    }
  };
  for (const auto& [word, type] : kMoreTypes) look(word, type);
  for (const search::ElementTypeRow& row : search::kElementTypes) {
    look(row.name, row.type);
    if (row.name == name) found = TypeName{row.type, 1};  // int16 is no int of 16 lanes
  }
  return found;
}

// Lanes of the type; 1 where it is wrong.
int read_type(const JsonReader& reader, bool cuda, Argument& argument) {
  std::string name;
  if (reader.require("Type") == nullptr || !reader.string("Type", name)) return 1;
  std::vector<std::string> names;
  const auto type = type_named(name, cuda, names);
  if (!type) {
    reader.error("Type", "must be " + alternatives(names) + (cuda ? "" : " for a host kernel") +
                             ", not " + in_quotes(name) + suggestion(name, names));
    return 1;
  }
  argument.type = type->type;
  return type->lanes;
}

// Generator: each element is an expression over its index `i`.
void read_generator(const JsonReader& reader, Argument& argument) {
  std::string source;
  if (reader.require("DataSource") == nullptr || !reader.string("DataSource", source)) return;
  if (source == "i") {
    argument.fill = Argument::Fill::kSequence;
    return;
  }
  try {
    const search::Value value =
        search::Expression::parse(source).evaluate([](std::string_view) { return nullptr; });
    argument.fill = Argument::Fill::kConstant;
    argument.low = search::as_number(value);
  } catch (const std::exception&) {
    reader.error("DataSource", "of a Generator must be 'i' or a number, not " + in_quotes(source));
  }
}

// A number, which may stand in a text.
std::optional<double> fill_value(const JsonReader& reader) {
  const nlohmann::json* node = reader.find("FillValue");
  if (node == nullptr || !node->is_string()) return reader.number("FillValue");
  const auto expression = read_t1_amount(reader, "FillValue", {});
  try {
    if (expression) {
      return search::as_number(expression->evaluate([](std::string_view) { return nullptr; }));
    }
  } catch (const std::exception& error) {
    reader.error("FillValue", std::string("of a vector must be a number: ") + error.what());
  }
  return std::nullopt;
}

void read_fill(const JsonReader& reader, Argument& argument) {
  using Fill = Argument::Fill;
  std::string type;
  if (reader.find("FillType") != nullptr && reader.string("FillType", type) &&
      type == "Generator") {
    set_default_fill(argument);
    read_generator(reader, argument);
    return;
  }
  choose(reader, "FillType",
         std::array<std::pair<std::string_view, Fill>, 2>{
             {{"Constant", Fill::kConstant}, {"Random", Fill::kUniform}}},
         argument.fill);
  set_default_fill(argument);
  const auto value = fill_value(reader);
  if (!value) return;
  if (argument.fill == Fill::kConstant) {
    argument.low = *value;
  } else {  // Random: from 0 to the value
    argument.low = std::min(0.0, *value);
    argument.high = std::max(0.0, *value);
  }
}

// Constant memory is a name of the kernel's source, into which the vector is copied.
void read_constant_memory(const JsonReader& reader, bool cuda, Argument& argument) {
  bool constant = false;
  choose(reader, "MemType",
         std::array<std::pair<std::string_view, bool>, 2>{{{"Global", false}, {"Constant", true}}},
         constant);
  if (!constant) return;
  if (!cuda || !is_identifier(argument.name)) {
    reader.error("MemType", cuda ? "Constant needs a Name, which is the array's in the kernel"
                                 : std::string("Constant is for CUDA kernels"));
    return;
  }
  argument.constant_array = argument.name;
}

void read_vector(const JsonReader& reader, const T1Names& names, bool cuda, int lanes,
                 Argument& argument) {
  using Access = Argument::Access;
  argument.size = read_t1_amount(reader, "Size", names);
  if (argument.size && lanes > 1) {
    argument.size = t1_expression(
        reader, "Size", "(" + argument.size->text() + ") * " + std::to_string(lanes), names);
  }
  choose(
      reader, "AccessType",
      std::array<std::pair<std::string_view, Access>, 3>{
          {{"ReadOnly", Access::kIn}, {"WriteOnly", Access::kOut}, {"ReadWrite", Access::kInOut}}},
      argument.access);
  read_fill(reader, argument);
  read_constant_memory(reader, cuda, argument);
}

Argument read_argument(const JsonReader& reader, std::size_t position, const T1Names& names,
                       bool cuda) {
  Argument argument;
  argument.name = "argument" + std::to_string(position + 1);
  reader.string("Name", argument.name);
  const int lanes = read_type(reader, cuda, argument);
  if (reader.require("MemoryType") == nullptr) return argument;
  choose(reader, "MemoryType",
         std::array<std::pair<std::string_view, bool>, 2>{{{"Vector", false}, {"Scalar", true}}},
         argument.scalar);
  if (argument.scalar) {
    argument.value = read_t1_amount(reader, "FillValue", names);
    if (lanes > 1) reader.error("Type", "is a vector type, which cannot be passed by value");
  } else {
    read_vector(reader, names, cuda, lanes, argument);
  }
  return argument;
}

}  // namespace

T1Arguments read_t1_arguments(const JsonReader& kernel, const T1Names& names, bool cuda) {
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
  auto found = find_file(folder, file);
  if (!found && folder.has_parent_path()) found = find_file(folder.parent_path(), file);
  if (found) return *std::move(found);
  if (!kernel.diagnostics().needs_files()) return (folder / file).lexically_normal().string();
  kernel.error("KernelFile", no_such_file(folder, file));
  return "";
}

void refuse_t1_reference(const JsonReader& kernel) {
  const auto* references = kernel.find("ReferenceArguments");
  if (references == nullptr || references->empty()) return;
  kernel.error("ReferenceArguments",
               "cannot be read; without it answers are compared with the baseline's");
}

}  // namespace nightshift::problems
