#include "problems/readers/toml/toml_kernel.h"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "problems/readers/amount.h"
#include "problems/readers/problem/host_problem.h"
#include "problems/readers/toml/toml_signatures.h"
#include "search/element_type.h"
#include "search/substitution.h"

namespace nightshift::problems {
namespace {

using search::Argument;
using Access = Argument::Access;
using Fill = Argument::Fill;

// Notes a word that has a meaning for CUDA kernels only.
bool is_of_cuda(TableReader& table, std::string_view key,
                std::initializer_list<std::string_view> words) {
  const toml::node* node = table.take(key);
  const std::string word = node == nullptr ? "" : node->value_or(std::string());
  if (std::find(words.begin(), words.end(), word) == words.end()) return false;
  table.error(key, "is " + in_quotes(word) + ", which only CUDA kernels have");
  return true;
}

// A type that the file leaves to the source. Where sources need not be there it does not matter.
void read_type_of_source(TableReader& table, const ArgumentForm& form, Argument& argument) {
  std::string why;
  const auto type = form.signatures->type_of(argument.name, !table.has("size"), form.dtype, why);
  if (type) {
    argument.type = *type;
  } else if (table.diagnostics().needs_files()) {
    table.error("type", "is missing, and the source does not tell it: " + why);
  }
}

void read_type(TableReader& table, const ArgumentForm& form, Argument& argument) {
  std::vector<std::string> types;
  for (const search::ElementTypeRow& row : search::kElementTypes) {
    if (form.cuda || search::is_cpp_type(row.type)) types.emplace_back(row.name);
  }
  std::string name;
  if (form.signatures != nullptr && !table.has("type")) {
    read_type_of_source(table, form, argument);
    return;
  }
  if (!table.require("type") || !table.string("type", name)) return;
  if (form.cuda) types.emplace_back("dtype");
  if (form.cuda && name == "dtype") {
    if (form.dtype) {
      argument.type = *form.dtype;
    } else if (!form.has_dtype) {
      table.error("type", "is 'dtype', but there is no cuda.dtype");
    }
  } else if (const auto type = search::element_type_of(name)) {
    argument.type = *type;
    if (!form.cuda && !search::is_cpp_type(*type)) {
      table.error("type", "is " + in_quotes(name) + ", which only CUDA kernels have");
    }
  } else {
    table.error("type", "must be " + alternatives(types) + ", not " + in_quotes(name) +
                            (name == "bool" ? "; write 'uint8' and unsigned char for a truth value"
                                            : suggestion(name, types)));
  }
}

void read_host_words(TableReader& table, Argument& argument) {
  if (!is_of_cuda(table, "access", {"work"})) {
    table.choice("access", argument.access,
                 {{"in", Access::kIn}, {"out", Access::kOut}, {"inout", Access::kInOut}});
  }
  if (!is_of_cuda(table, "fill", {"bits", "computed"})) {
    table.choice("fill", argument.fill,
                 {{"uniform", Fill::kUniform},
                  {"normal", Fill::kNormal},
                  {"constant", Fill::kConstant},
                  {"sequence", Fill::kSequence},
                  {"file", Fill::kFile}});
  }
}

void read_cuda_words(TableReader& table, Argument& argument) {
  table.choice("access", argument.access,
               {{"in", Access::kIn},
                {"out", Access::kOut},
                {"inout", Access::kInOut},
                {"work", Access::kWork}});
  table.choice("fill", argument.fill,
               {{"uniform", Fill::kUniform},
                {"normal", Fill::kNormal},
                {"constant", Fill::kConstant},
                {"sequence", Fill::kSequence},
                {"bits", Fill::kBits},
                {"computed", Fill::kComputed},
                {"file", Fill::kFile}});
  if (!table.has("fill")) return;
  if (argument.access == Access::kWork && argument.fill != Fill::kConstant) {
    table.error("fill",
                "must be 'constant' for an argument of access 'work', or absent where its "
                "contents are arbitrary");
  }
}

// What is drawn of a normal distribution is rounded.
void check_bound(TableReader& table, std::string_view key, const Argument& argument, double bound) {
  AmountRule rule = value_rule(argument.type);
  rule.whole = rule.whole && argument.fill != Fill::kNormal;
  const std::string wrong = number_complaint(bound, rule);
  if (!wrong.empty()) table.error(key, "is " + search::to_json(bound) + wrong);
}

// Of `low` and `high` those that the fill has no use for.
void refuse_bounds(TableReader& table, Fill fill) {
  const bool is_constant = fill == Fill::kConstant, has_none = fill >= Fill::kSequence;
  if (has_none && table.take("low")) table.error("low", "has no meaning with this 'fill'");
  if ((has_none || is_constant) && table.take("high")) {
    table.error("high", std::string("has no meaning with this 'fill'") +
                            (is_constant ? "; the constant is 'low'" : ""));
  }
}

// The keys of contents, which an output has not: guards are looked for in what it had before.
bool refuse_contents_of_output(TableReader& table) {
  bool any = false;
  for (const char* key : {"fill", "low", "high", "file"}) {
    if (!table.take(key)) continue;
    any = true;
    table.error(
        key,
        "has no meaning with access = \"out\": what an output has before a run is arbitrary; "
        "a kernel that adds to what is there has access = \"inout\"");
  }
  return any;
}

void read_fill(TableReader& table, const ArgumentForm& form, Argument& argument) {
  if (form.cuda) {
    read_cuda_words(table, argument);
  } else {
    read_host_words(table, argument);
  }
  set_default_fill(argument);
  if (argument.access == Access::kOut && refuse_contents_of_output(table)) return;
  if (argument.fill == Fill::kFile) {
    if (table.require("file")) table.file("file", form.folder, argument.file);
  } else if (std::string given; table.string("file", given)) {
    table.error("file", "has a meaning with fill = \"file\" alone");
  }
  const bool has_none = argument.fill > Fill::kSequence;
  if (has_none || !table.diagnostics().was_accepted()) refuse_bounds(table, argument.fill);
  if (has_none) return;
  if (table.number("low", argument.low)) check_bound(table, "low", argument, argument.low);
  if (table.number("high", argument.high)) check_bound(table, "high", argument, argument.high);
  if (argument.fill == Fill::kUniform && argument.low > argument.high) {
    table.error("low", "must not be above 'high'");
  }
  if (argument.fill == Fill::kNormal && argument.high < 0) {
    table.error("high", "is the standard deviation and must not be negative");
  }
}

}  // namespace

void read_source_names(TableReader& table, search::SourceNames& names, bool cuda) {
  using search::SourceNames;
  if (cuda) {
    table.choice("names", names,
                 {{"macros", SourceNames::kMacros},
                  {"constants", SourceNames::kConstants},
                  {"none", SourceNames::kNone},
                  {"definitions", SourceNames::kDefinitions}});
  } else {
    table.choice("names", names,
                 {{"macros", SourceNames::kMacros},
                  {"constants", SourceNames::kConstants},
                  {"none", SourceNames::kNone}});
  }
}

void read_compiler(TableReader& table, const KnownNames& names, std::string& compiler) {
  if (!table.string("compiler", compiler)) return;
  for (const std::string& name : search::placeholders(compiler)) {
    const auto& known = names.parameters;
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    table.error("compiler", "is " + in_quotes(compiler) + ": {" + name + "} names no parameter" +
                                suggestion(name, known));
    compiler.clear();
    return;
  }
}

std::optional<search::Expression> read_amount(const toml::node& node, std::string_view what,
                                              const KnownNames& names, Diagnostics& diagnostics) {
  LocatedString text = located_string(node);
  if (const auto number = scalar(node); number && node.is_number()) {
    text.text = search::to_text(*number);
  }
  return read_expression(text, what, names, diagnostics);
}

std::optional<search::Expression> read_amount(TableReader& table, std::string_view key,
                                              const KnownNames& names) {
  const toml::node& node = *table.take(key);
  std::string text;
  if (!node.is_number() && !table.string(key, text)) return std::nullopt;
  return read_amount(node, key, names, table.diagnostics());
}

std::optional<std::vector<search::Expression>> read_amounts(TableReader& table,
                                                            std::string_view key,
                                                            const KnownNames& names) {
  std::vector<std::optional<search::Expression>> read;
  if (const toml::array* list = table.take(key)->as_array()) {
    for (const toml::node& node : *list) {
      if (node.is_number() || node.is_string()) {
        read.push_back(read_amount(node, key, names, table.diagnostics()));
      } else {
        table.error(key, "must list expressions; here is " + describe(node));
        read.emplace_back();
      }
    }
  } else {
    read.push_back(read_amount(table, key, names));
  }
  std::vector<search::Expression> amounts;
  for (auto& amount : read) {
    if (!amount) return std::nullopt;
    amounts.push_back(std::move(*amount));
  }
  return amounts;
}

Argument read_argument(TableReader& table, const KnownNames& names, const ArgumentForm& form) {
  Argument argument;
  if (table.require("name") && table.string("name", argument.name) &&
      !is_identifier(argument.name)) {
    table.error("name",
                "must be of letters, digits and underscores, not " + in_quotes(argument.name));
  }
  read_type(table, form, argument);
  const bool sized = table.take("size") != nullptr, valued = table.take("value") != nullptr;
  argument.scalar = valued && !sized;
  if (sized == valued) {
    table.diagnostics().add(table.location(),
                            "argument " + in_quotes(argument.name) +
                                (sized ? " has both a 'size' and a 'value'"
                                       : " needs a 'size' (a vector) or a 'value' (a scalar)"));
  }
  if (sized) argument.size = read_amount(table, "size", names);
  if (valued) argument.value = read_amount(table, "value", names);
  if (argument.scalar) {
    for (const char* key : {"access", "fill", "low", "high", "file"}) {
      if (table.take(key))
        table.error(key, "has no meaning for a scalar, which is passed by value");
    }
  } else {
    read_fill(table, form, argument);
  }
  return argument;
}

}  // namespace nightshift::problems
