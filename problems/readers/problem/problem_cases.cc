#include "problems/readers/problem/problem_cases.h"

#include <algorithm>
#include <set>
#include <utility>

#include "search/argument.h"

namespace nightshift::problems {
namespace {

std::vector<std::string> names_of_file(const TableReader& table) {
  std::vector<std::string> names;
  for (const auto& [key, node] : table.table()) {
    if (!location_of(key.source()).file.starts_with(kOverrideSource)) names.emplace_back(key.str());
  }
  return names;
}

// NAME = integer, each. Beside sizes of the file none can be added from outside. `other` is a key of
// the table that is none.
Constants read_sizes(TableReader& table, std::string_view other = {}) {
  Constants sizes;
  const std::vector<std::string> of_file = names_of_file(table);
  for (const auto& [key, node] : table.table()) {
    const std::string name(key.str());
    if (name == other) continue;
    std::int64_t size = 0;
    if (!of_file.empty() && std::find(of_file.begin(), of_file.end(), name) == of_file.end()) {
      // A macro that no source uses; the size that was meant would keep its value unnoticed.
      table.error(name, "is no size of this problem" + suggestion(name, of_file));
    } else if (!is_name(name)) {
      table.error(name, flaw_of_name(name));
    } else {
      table.integer(name, size);
      sizes.emplace_back(name, size);  // known also when it is wrong
    }
  }
  return sizes;
}

std::set<std::string> names_in(const Constants& constants) {
  std::set<std::string> names;
  for (const auto& [name, value] : constants) names.insert(name);
  return names;
}

// "lacks K", or "has L, which the first case has not"
std::string difference(const Constants& one, const Constants& first) {
  const std::set<std::string> own = names_in(one), others = names_in(first);
  for (const std::string& name : others) {
    if (!own.contains(name)) return "lacks the size " + name;
  }
  for (const std::string& name : own) {
    if (!others.contains(name)) return "has the size " + name + ", which the first case has not";
  }
  return "";
}

// Sizes in the order of the first case: equal ones are equal.
Constants in_order_of(const Constants& first, const Constants& one) {
  Constants ordered;
  for (const auto& [name, value] : first) {
    ordered.push_back(*std::ranges::find(one, name, &Constants::value_type::first));
  }
  return ordered;
}

void read_aggregate(TableReader& table, search::CaseTerms& terms) {
  using search::Aggregate;
  table.choice("aggregate", terms.aggregate,
               {{"geometric_mean", Aggregate::kGeometricMean},
                {"sum", Aggregate::kSum},
                {"worst", Aggregate::kWorst}});
}

// The worst one counts however often it is.
void settle_weights(const TableReader& table, search::CaseTerms& terms) {
  const bool alike = std::ranges::all_of(terms.weights, [](double weight) { return weight == 1; });
  if (alike) terms.weights.clear();
  if (!alike && terms.aggregate == search::Aggregate::kWorst) {
    table.error("aggregate",
                "is 'worst', which has no use for the weights of cases: leave out 'weight', or "
                "write aggregate = 'geometric_mean'");
  }
}

}  // namespace

std::vector<Constants> read_cases(TableReader& kernels, search::CaseTerms& terms) {
  read_aggregate(kernels, terms);
  if (kernels.has("sizes") && kernels.has("cases")) {
    kernels.error("cases", "and 'sizes' exclude each other: 'sizes' is for one case");
  }
  std::vector<Constants> cases;
  if (auto sizes = kernels.subtable("sizes")) {
    Constants of_one = read_sizes(*sizes);
    if (!kernels.has("cases")) cases.push_back(std::move(of_one));
  }
  for (TableReader& table : kernels.subtables("cases")) {
    double weight = 1;
    table.number(kCaseWeight, weight);
    Constants sizes = read_sizes(table, kCaseWeight);
    const auto complain = [&](const std::string& what) {
      table.diagnostics().add(table.location(), kernels.full_name("cases") + ": this case " + what);
    };
    if (const std::string wrong = cases.empty() ? "" : difference(sizes, cases.front());
        !wrong.empty()) {
      complain(wrong + "; all cases have the same sizes");
      continue;
    }
    if (!cases.empty()) sizes = in_order_of(cases.front(), sizes);
    if (std::ranges::find(cases, sizes) != cases.end()) {
      complain("is there twice, " + search::words_of(sizes) + "; give one of them a 'weight'");
      continue;
    }
    cases.push_back(std::move(sizes));
    terms.weights.push_back(weight);
  }
  settle_weights(kernels, terms);
  if (cases.empty()) cases.emplace_back();
  for (const Constants& sizes : cases) terms.names.push_back(search::words_of(sizes));
  return cases;
}

void read_named_cases(TableReader& command, search::CaseTerms& terms) {
  read_aggregate(command, terms);
  for (TableReader& table : command.subtables("cases")) {
    std::string name;
    double weight = 1;
    if (table.require("name")) table.string("name", name);
    table.number(kCaseWeight, weight);
    table.finish();
    if (!name.empty() && std::ranges::find(terms.names, name) != terms.names.end()) {
      table.error("name", "is " + in_quotes(name) + ", which an earlier case has");
    }
    terms.names.push_back(std::move(name));
    terms.weights.push_back(weight);
  }
  settle_weights(command, terms);
}

}  // namespace nightshift::problems
