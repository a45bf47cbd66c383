#include "problems/readers/toml/toml_source_names.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <string_view>
#include <utility>
#include <variant>

#include "base/cpp_keywords.h"
#include "base/file_text.h"
#include "problems/cuda_source/source_tokens.h"
#include "problems/readers/problem/problem_cases.h"
#include "problems/readers/toml/toml_signatures.h"
#include "search/source_language.h"
#include "search/substitution.h"

namespace nightshift::problems {
namespace {

constexpr std::array kDefined = std::to_array<std::string_view>({
    "defined",
    "linux",
    "unix",
    "i386",
    "NULL",
    "EOF",
    "assert",
    "errno",
    "stdin",
    "stdout",
    "stderr",
    "std",
    "size_t",
    "main",
});
constexpr std::array kOfCuda = std::to_array<std::string_view>({
    "threadIdx",
    "blockIdx",
    "blockDim",
    "gridDim",
    "warpSize",
    "dim3",
    "DTYPE",
});

template <class Words>
bool has(const Words& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

// Of a name that stands nowhere but among template arguments or in place of values.
bool is_unseen(search::SourceNames names) {
  return names == search::SourceNames::kNone || names == search::SourceNames::kDefinitions;
}

// Why a source cannot be told of something called so; empty: it can.
std::string meaning_of(const std::string& name, search::SourceNames names, bool is_cuda) {
  if (base::is_cpp_keyword(name)) return "which is a word of the language";
  if (is_unseen(names)) return {};
  const bool reserved = name.starts_with("__") || has(kDefined, name) ||
                        name.starts_with("nightshift_") || (is_cuda && has(kOfCuda, name));
  return reserved ? "which compilers or their headers define" : "";
}

constexpr const char* kOfFunction = "parameter of a kernel";
constexpr const char* kOfTemplate = "template parameter of a kernel";

// An argument, or what the source itself calls a parameter.
bool is_of_function(const PlacedName& name) {
  return name.what == "argument" || name.what == kOfFunction || name.what == kOfTemplate;
}

std::string place_of(const PlacedName& name) {
  const auto [file, line] = std::pair(name.location.file, std::to_string(name.location.line));
  if (name.location.line <= 0) return "";
  if (name.what != kOfFunction && name.what != kOfTemplate) return " (line " + line + ")";
  return " (" + std::filesystem::path(file).filename().string() + ":" + line + ")";
}

std::string way_out(search::SourceNames names, const PlacedName& other) {
  if (names == search::SourceNames::kConstants) return "a constant cannot have it as well";
  if (other.what == kOfTemplate) {
    return "as a macro it breaks the source; write names = \"none\", and the name between the <> "
           "of "
           "the kernel";
  }
  return is_of_function(other)
             ? "as a macro it breaks the source; rename one of them, or write names = \"constants\""
             : "as a macro it breaks the source; rename one of them";
}

// Each part of "ns::name<4>" before its template arguments.
void add_parts(std::string_view function, const std::string& what, const SourceLocation& location,
               std::vector<PlacedName>& names) {
  function = function.substr(0, function.find('<'));
  for (;;) {
    const std::size_t colons = function.find("::");
    const std::string_view part = function.substr(0, colons);
    if (!part.empty()) names.push_back({std::string(part), what, location});
    if (colons == std::string_view::npos) return;
    function.remove_prefix(colons + 2);
  }
}

void add_keys(const TableReader& table, std::string_view key, const std::string& what,
              std::vector<PlacedName>& names) {
  const toml::node* node = table.table().get(key);
  if (node != nullptr && node->is_array() && !node->as_array()->empty()) {
    node = node->as_array()->get(0);  // all cases have the same sizes
  }
  const toml::table* inner = node == nullptr ? nullptr : node->as_table();
  if (inner == nullptr) return;
  for (const auto& [name, value] : *inner) {
    if (key == "cases" && name.str() == kCaseWeight) continue;
    names.push_back({std::string(name.str()), what, location_of(name.source())});
  }
}

void add_signatures(const std::string& file, std::vector<PlacedName>& names) {
  const KernelSignatures signatures({}, file);
  for (const CudaKernel& kernel : signatures.scan().kernels) {
    const SourceLocation place{file, kernel.line};
    for (const CudaParameter& parameter : kernel.parameters) {
      names.push_back({parameter.name, kOfFunction, place});
    }
    for (const CudaParameter& parameter : kernel.template_parameters) {
      names.push_back({parameter.name, kOfTemplate, place});
    }
  }
}

// Of `#if`, `#elif`, `#ifdef` and their like.
std::vector<std::string> asked_names(std::string_view directive) {
  static constexpr std::array kConditions =
      std::to_array<std::string_view>({"if", "elif", "ifdef", "ifndef", "elifdef", "elifndef"});
  std::vector<std::string> words;
  directive.remove_prefix(1);
  for (const SourceToken& token : tokens_of(directive).tokens) words.emplace_back(token.text);
  if (words.empty() || !has(kConditions, words.front())) return {};
  return words;
}

// Compilers cut a macro off at the end of a line, without a word.
void check_lines(const std::vector<PlacedName>& told,
                 const std::vector<search::Parameter>& parameters, Diagnostics& diagnostics) {
  for (const search::Parameter& parameter : parameters) {
    const auto place = std::ranges::find(told, parameter.name, &PlacedName::name);
    if (place == told.end()) continue;
    const auto has_line_end = [](const search::Value& value) {
      const auto* text = std::get_if<std::string>(&value);
      return text != nullptr && text->find_first_of("\r\n") != std::string::npos;
    };
    const auto found = std::ranges::find_if(parameter.values, has_line_end);
    if (found == parameter.values.end()) continue;
    diagnostics.add(place->location, "parameter " + in_quotes(parameter.name) + " has the value " +
                                         search::to_json(*found) +
                                         ", of which a macro has one line only: write it in one");
  }
}

// What launches and arguments say of a name.
bool is_used(const std::string& name, const search::CudaBackend& cuda) {
  const auto has_name = [&](const search::Expression& e) { return e.names().contains(name); };
  for (const search::Argument& argument : cuda.arguments) {
    if (argument.size && has_name(*argument.size)) return true;
    if (argument.value && has_name(*argument.value)) return true;
  }
  for (const search::CudaLaunch& launch : cuda.launches) {
    if (has(search::names_among_arguments(launch.kernel), name)) return true;
    for (const auto* extent : {&launch.grid, &launch.block, &launch.cluster}) {
      if (std::ranges::any_of(*extent, has_name)) return true;
    }
    if (has_name(launch.shared_bytes) || (launch.when && has_name(*launch.when))) return true;
  }
  return false;
}

}  // namespace

void check_definitions(const std::vector<PlacedName>& told, const search::CudaBackend& cuda,
                       Diagnostics& diagnostics) {
  if (cuda.names != search::SourceNames::kDefinitions || !diagnostics.needs_files()) return;
  std::vector<std::string> defined;
  for (const auto* source : {&cuda.kernel, &cuda.reference}) {
    const KernelSignatures signatures({}, source->file);
    for (const CudaDefinition& one : signatures.scan().definitions) defined.push_back(one.name);
  }
  for (const PlacedName& name : told) {
    if (name.what != "parameter" || has(defined, name.name) || is_used(name.name, cuda)) continue;
    diagnostics.add(name.location,
                    "parameter " + in_quotes(name.name) +
                        " is no constant or macro that the source defines, nor does a launch use "
                        "it" +
                        suggestion(name.name, defined));
  }
}

void check_preprocessed(const std::vector<PlacedName>& told, const std::vector<std::string>& files,
                        Diagnostics& diagnostics) {
  if (!diagnostics.needs_files()) return;
  std::set<std::string> noted;
  for (const std::string& file : files) {
    const std::string text = base::text_if_there(file);
    for (const SourceDirective& directive : tokens_of(text).directives) {
      const std::vector<std::string> asked = asked_names(directive.text);
      for (const PlacedName& name : told) {
        if (!has(asked, name.name) || !noted.insert(name.name).second) continue;
        const std::string line = std::to_string(directive.line);
        const bool is_c = search::language_of_name(file) == search::SourceLanguage::kC;
        diagnostics.add(name.location,
                        name.what + " " + in_quotes(name.name) + " stands in a condition (" +
                            std::filesystem::path(file).filename().string() + ":" + line +
                            ") that is decided before constants are known: write `if " +
                            std::string(is_c ? "(" : "constexpr (") + name.name +
                            ")` there, or leave names = \"constants\" out");
      }
    }
  }
}

std::vector<PlacedName> told_names(const TableReader& root, const TableReader& backend,
                                   const std::string& compiler,
                                   const std::vector<search::FlagParameter>& flags) {
  std::vector<PlacedName> told;
  add_keys(root, "parameters", "parameter", told);
  const std::vector<std::string> of_compiler = search::placeholders(compiler);
  std::erase_if(told, [&](const PlacedName& parameter) {
    const bool is_flag =
        std::ranges::find(flags, parameter.name, &search::FlagParameter::parameter) != flags.end();
    return is_flag || has(of_compiler, parameter.name);
  });
  add_keys(backend, "sizes", "size", told);
  add_keys(backend, "cases", "size", told);
  return told;
}

void check_source_names(const std::vector<PlacedName>& told, const std::vector<PlacedName>& others,
                        const std::vector<search::Parameter>& parameters, search::SourceNames names,
                        bool is_cuda, Diagnostics& diagnostics) {
  if (names == search::SourceNames::kMacros) check_lines(told, parameters, diagnostics);
  for (const PlacedName& one : told) {
    const std::string opening = one.what + " " + in_quotes(one.name);
    if (const std::string meaning = meaning_of(one.name, names, is_cuda); !meaning.empty()) {
      diagnostics.add(one.location, opening + " has a name " + meaning + ": rename it");
      continue;
    }
    if (is_unseen(names)) continue;
    const auto clash = std::ranges::find_if(others, [&](const PlacedName& other) {
      const bool shadows = names == search::SourceNames::kConstants && is_of_function(other);
      return other.name == one.name && !shadows;
    });
    if (clash == others.end()) continue;
    diagnostics.add(one.location, opening + " has the name of the " + clash->what + " " +
                                      in_quotes(clash->name) + place_of(*clash) + ": " +
                                      way_out(names, *clash));
  }
}

std::vector<PlacedName> names_of(const TableReader& table, const search::HostBackend& host,
                                 const std::vector<SourceLocation>& arguments) {
  std::vector<PlacedName> names;
  for (std::size_t i = 0; i < host.arguments.size() && i < arguments.size(); ++i) {
    names.push_back({host.arguments[i].name, "argument", arguments[i]});
  }
  add_parts(host.kernel.function, "function", table.location_of("kernel"), names);
  add_parts(host.baseline.function, "function", table.location_of("baseline"), names);
  add_parts(host.reference.function, "function", table.location_of("reference"), names);
  return names;
}

std::vector<PlacedName> names_of(const search::CudaBackend& cuda,
                                 const std::vector<SourceLocation>& arguments,
                                 const std::vector<PlacedLaunches>& launches) {
  std::vector<PlacedName> names;
  for (std::size_t i = 0; i < cuda.arguments.size() && i < arguments.size(); ++i) {
    names.push_back({cuda.arguments[i].name, "argument", arguments[i]});
  }
  for (const auto* source : {&cuda.kernel, &cuda.reference}) add_signatures(source->file, names);
  for (const PlacedLaunches& some : launches) {
    for (std::size_t i = 0; i < some.launches.size() && i < some.locations.size(); ++i) {
      add_parts(some.launches[i].kernel, "kernel", some.locations[i], names);
    }
  }
  return names;
}

}  // namespace nightshift::problems
