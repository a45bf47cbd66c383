#include "problems/readers/problem/host_problem.h"

#include <optional>

#include "problems/number_file.h"
#include "problems/readers/amount.h"
#include "problems/readers/expression_text.h"
#include "search/element_type.h"

namespace nightshift::problems {

using search::Argument;

void set_default_fill(Argument& argument) {
  const bool unit = argument.fill == Argument::Fill::kUniform && search::is_floating(argument.type);
  argument.low = unit ? -1 : 0;
  argument.high = argument.fill == Argument::Fill::kUniform && !unit ? 100 : 1;
}

std::string file_complaint(const Argument& argument, const search::Expression::Lookup& lookup) {
  if (argument.file.empty() || !argument.size) return {};
  try {
    const search::Value size = argument.size->evaluate(lookup);
    const auto elements = static_cast<std::uint64_t>(search::as_number(size));
    NumberFile(argument.file, elements).expect_in(argument.type);
    return {};
  } catch (const NumberFileError& wrong) {
    return "argument " + in_quotes(argument.name) + ", file " + in_quotes(argument.file) + ": " +
           wrong.what();
  }
}

std::string sequence_complaint(const Argument& argument, const search::Expression::Lookup& lookup) {
  if (argument.fill != Argument::Fill::kSequence || !argument.size) return {};
  const double last = search::as_number(argument.size->evaluate(lookup)) - 1;
  const std::string wrong = range_complaint(last, argument.type);
  return wrong.empty() ? wrong
                       : "fill 'sequence' of argument " + in_quotes(argument.name) + " ends with " +
                             search::to_json(last) + wrong;
}

namespace {

// nullopt: it has none.
std::optional<search::Value> size_for(const Argument& argument,
                                      const search::Configuration& names) {
  try {
    return argument.size->evaluate([&](std::string_view name) { return names.find(name); });
  } catch (const search::ExpressionError&) {
    return std::nullopt;
  }
}

}  // namespace

std::string size_complaint(const search::Problem& problem, const Argument& argument,
                           const search::CaseSizes& sizes) {
  const bool is_own =
      argument.access == Argument::Access::kWork || argument.fill == Argument::Fill::kComputed;
  if (argument.scalar || is_own || !argument.size) return "";
  search::Configuration names = search::resolved(problem, {});
  for (const auto& [name, size] : sizes) names.set(name, size);
  const search::Configuration baseline = names;
  for (const search::Parameter& parameter : problem.parameters) {
    if (!argument.size->names().contains(parameter.name)) continue;
    names = baseline;
    const auto usual = size_for(argument, names);
    for (const search::Value& value : parameter.values) {
      names.set(parameter.name, value);
      const auto now = size_for(argument, names);
      if (!usual || !now || *now == *usual) continue;
      return "the size " + in_quotes(argument.size->text()) + " of argument " +
             in_quotes(argument.name) + " changes with parameter " + in_quotes(parameter.name) +
             ": it is " + search::to_text(*usual) + " for the baseline and " +
             search::to_text(*now) + " with " + parameter.name + "=" + search::to_text(value) +
             ", so that configurations would solve problems of other sizes than what they are "
             "compared with. Give it one size, that of the largest, over 'sizes' alone";
    }
  }
  return "";
}

namespace {

// Of an argument in a case; empty where nothing is wrong.
std::string complaint(const search::Problem& problem, const Argument& argument,
                      const search::CaseSizes& sizes, bool needs_files, bool one_size) {
  search::Configuration names = search::resolved(problem, {});
  for (const auto& [name, size] : sizes) names.set(name, size);
  const search::Expression::Lookup lookup = [&](std::string_view name) { return names.find(name); };
  const auto& expression = argument.scalar ? argument.value : argument.size;
  if (!expression) return {};  // was noted
  const AmountRule rule = argument.scalar ? value_rule(argument.type) : kElements;
  if (const std::string wrong = amount_complaint(*expression, lookup, rule); !wrong.empty()) {
    return std::string("the ") + (argument.scalar ? "value " : "size ") +
           in_quotes(expression->text()) + " of argument " + in_quotes(argument.name) + " " + wrong;
  }
  std::string wrong = sequence_complaint(argument, lookup);
  if (wrong.empty() && needs_files) wrong = file_complaint(argument, lookup);
  return wrong.empty() && one_size ? size_complaint(problem, argument, sizes) : wrong;
}

}  // namespace

void check_arguments(const search::Problem& problem, const PlacedHost& host,
                     Diagnostics& diagnostics, bool one_size) {
  bool written = false;
  for (std::size_t i = 0; i < host.backend.arguments.size(); ++i) {
    const Argument& argument = host.backend.arguments[i];
    written = written || (!argument.scalar && argument.access != Argument::Access::kIn);
    for (const search::CaseSizes& sizes : host.backend.cases) {
      const std::string wrong =
          complaint(problem, argument, sizes, diagnostics.needs_files(), one_size);
      if (wrong.empty()) continue;
      const std::string where =
          host.backend.cases.size() > 1 ? ", in case " + search::words_of(sizes) : "";
      diagnostics.add(host.arguments[i], wrong + where);
      break;
    }
  }
  if (!written) {
    diagnostics.add(
        host.location,
        "no argument is written (access 'out' or 'inout'), so there is no answer to check");
  }
}

bool is_function_name(std::string_view text) {
  for (;;) {
    const std::size_t colons = text.find("::");
    if (!is_identifier(text.substr(0, colons))) return false;
    if (colons == std::string_view::npos) return true;
    text.remove_prefix(colons + 2);
  }
}

}  // namespace nightshift::problems
