#include "problems/readers/problem/expected_cost.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "problems/readers/problem/cuda_problem.h"
#include "search/expected_cost.h"
#include "search/expression.h"

namespace nightshift::problems {
namespace {

constexpr std::string_view kKey = "search.expected";
// Of an H200, for the check: studies take those of their own GPUs.
constexpr std::int64_t kSomeMultiprocessors = 132;

// What is wrong with it for the baseline; empty: nothing.
std::string mistake_of(const search::Expression& expression, const search::Problem& problem) {
  const search::Configuration baseline = search::resolved(problem, {});
  const search::Value multiprocessors = kSomeMultiprocessors;
  const auto lookup = [&](std::string_view name) {
    return name == kMultiprocessors ? &multiprocessors : baseline.find(name);
  };
  if (search::log_cost({{expression}, {}}, lookup)) return "";
  try {
    return "is " + search::to_json(expression.evaluate(lookup)) + "; a cost is a number above 0";
  } catch (const search::ExpressionError& error) {
    return error.what();
  }
}

}  // namespace

std::optional<LocatedString> read_expected(TableReader& root) {
  auto table = root.subtable("search");
  const toml::node* given = table ? table->take("expected") : nullptr;
  std::string text;
  if (given == nullptr || given->value<std::string>() == "" || !table->string("expected", text)) {
    return std::nullopt;
  }
  return located_string(*given);
}

void set_expected(search::Problem& problem, const LocatedString& text, const KnownNames& names,
                  Diagnostics& diagnostics) {
  KnownNames known = names;
  known.parameters.insert(known.parameters.end(), names.device.begin(), names.device.end());
  known.device.clear();
  auto factors = read_parameter_expressions(text, kKey, known, diagnostics);
  if (!diagnostics.empty()) return;
  for (const search::Expression& factor : factors) {
    const std::string mistake = mistake_of(factor, problem);
    if (mistake.empty()) continue;
    diagnostics.add(text.location, std::string(kKey) + " " + in_quotes(text.text) +
                                       " for the baseline: " + mistake);
    return;
  }
  problem.scheduling.expected = std::move(factors);
}

}  // namespace nightshift::problems
