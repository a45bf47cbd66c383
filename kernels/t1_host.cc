#include "kernels/t1_host.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>

#include "kernels/element_type.h"
#include "kernels/file_paths.h"

namespace nightshift::kernels {
namespace {

using search::Argument;
using search::ElementType;

// T1's own words for what C++ calls so; the sized integers have one name in both forms.
constexpr std::array<std::pair<std::string_view, ElementType>, 3> kMoreTypes = {{
    {"float", ElementType::kFloat32},
    {"double", ElementType::kFloat64},
    {"bool", ElementType::kInt8},
}};

template <class Choice, std::size_t N>
bool choose(const JsonReader& reader, std::string_view key,
            const std::array<std::pair<std::string_view, Choice>, N>& known, Choice& target) {
  std::string name;
  if (!reader.text(key, name)) return false;
  std::vector<std::string> names;
  for (const auto& [word, value] : known) {
    names.emplace_back(word);
    if (word != name) continue;
    target = value;
    return true;
  }
  reader.complain(key, "must be " + alternatives(names) + " for a host kernel, not " +
                           in_quotes(name) + suggestion(name, names));
  return false;
}

void read_type(const JsonReader& reader, Argument& argument) {
  std::string name;
  if (reader.require("Type") == nullptr || !reader.text("Type", name)) return;
  std::vector<std::string> names;
  const auto look = [&](const auto& types) {
    for (const auto& [word, type] : types) {
      names.emplace_back(word);
      if (word == name) argument.type = type;
    }
  };
  look(kMoreTypes);
  look(std::span(kElementTypes).first<kHostTypes>());
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    reader.complain("Type", "must be " + alternatives(names) + " for a host kernel, not " +
                                in_quotes(name) + suggestion(name, names));
  }
}

// A number, or an expression as text.
std::optional<search::Expression> read_amount(const JsonReader& reader, std::string_view key,
                                              const KnownNames& names) {
  const nlohmann::json* node = reader.require(key);
  if (node == nullptr) return std::nullopt;
  PlacedText text{"", reader.place_of(key), false};
  if (node->is_number()) {
    text.text = node->dump();
  } else if (!reader.text(key, text.text)) {
    return std::nullopt;
  }
  return read_expression(text, key, names, reader.mistakes());
}

void read_vector(const JsonReader& reader, const KnownNames& names, Argument& argument) {
  using Access = Argument::Access;
  using Fill = Argument::Fill;
  argument.size = read_amount(reader, "Size", names);
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

Argument read_argument(const JsonReader& reader, std::size_t position, const KnownNames& names) {
  Argument argument;
  argument.name = "argument" + std::to_string(position + 1);
  reader.text("Name", argument.name);
  read_type(reader, argument);
  if (reader.require("MemoryType") == nullptr) return argument;
  choose(reader, "MemoryType",
         std::array<std::pair<std::string_view, bool>, 2>{{{"Vector", false}, {"Scalar", true}}},
         argument.scalar);
  if (argument.scalar) {
    argument.value = read_amount(reader, "FillValue", names);
  } else {
    read_vector(reader, names, argument);
  }
  return argument;
}

}  // namespace

PlacedHost read_t1_host(const JsonReader& kernel, const KnownNames& names,
                        const std::filesystem::path& folder) {
  PlacedHost host;
  host.place = kernel.place();
  search::HostSource& source = host.backend.kernel;
  if (kernel.require("KernelName") != nullptr && kernel.text("KernelName", source.function) &&
      !is_function_name(source.function)) {
    kernel.complain("KernelName",
                    "must be the name of a function, not " + in_quotes(source.function));
  }
  std::string file;
  if (kernel.require("KernelFile") != nullptr && kernel.text("KernelFile", file)) {
    const auto found = find_file(folder, file);
    if (found) {
      source.file = *found;
    } else {
      kernel.complain("KernelFile", no_such_file(folder, file));
    }
  }
  source.flags = kernel.texts("CompilerOptions");
  if (const auto* references = kernel.find("ReferenceArguments");
      references && !references->empty()) {
    kernel.complain("ReferenceArguments",
                    "cannot be read; without it answers are compared with the baseline's");
  }
  const std::vector<JsonReader> arguments = kernel.objects("Arguments");
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    host.arguments.push_back(arguments[i].place());
    host.backend.arguments.push_back(read_argument(arguments[i], i, names));
  }
  return host;
}

}  // namespace nightshift::kernels
