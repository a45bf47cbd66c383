#include "tools/problem/elsewhere_problem.h"

#include <fmt/format.h>

#include <algorithm>

#include "problems/problem_file.h"
#include "search/parameter_space.h"
#include "search/rules.h"
#include "tools/summary/measured_elsewhere.h"
#include "tools/text/format.h"

namespace nightshift::tools {

bool lacks_backend(const problems::ProblemReading& reading) {
  return std::ranges::any_of(reading.mistakes, [](const problems::Diagnostic& mistake) {
    return mistake.message == problems::kNoBackend;
  });
}

std::vector<problems::Override> served_elsewhere(std::vector<problems::Override> overrides) {
  overrides.emplace_back("command.mode", "\"server\"");
  overrides.emplace_back("command.argv", fmt::format("[\"{}\"]", kElsewhere));
  return overrides;
}

std::string baseline_flaw_elsewhere(const search::Problem& problem) {
  const search::Configuration baseline = search::resolved(problem, {});
  if (problems::make_space(problem).index_of(baseline)) return {};
  const std::string who = "the baseline " + format_configuration(baseline);
  std::string why = who + " is no configuration of the space";
  for (const search::Expression& constraint : problem.constraints) {
    const std::string violated = search::violation(constraint, baseline, who);
    if (violated.empty()) continue;
    why = violated;
    break;
  }
  return why + "; name another one under [baseline]";
}

}  // namespace nightshift::tools
