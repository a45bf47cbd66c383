#include "tools/problem/foreseen_inputs.h"

#include <algorithm>
#include <variant>
#include <vector>

#include "base/overloaded.h"
#include "tools/problem/bundled_python.h"
#include "tools/problem/problem_source.h"
#include "tools/text/status_line.h"

namespace nightshift::tools {
namespace {

using search::Argument;

bool is_drawn(const Argument& argument) {
  const bool is_read = !argument.scalar && (argument.access == Argument::Access::kIn ||
                                            argument.access == Argument::Access::kInOut);
  return is_read &&
         (argument.fill == Argument::Fill::kUniform || argument.fill == Argument::Fill::kNormal ||
          argument.fill == Argument::Fill::kBits);
}

}  // namespace

std::string foreseen_inputs(const search::Problem& problem) {
  const auto* arguments =
      std::visit(base::Overloaded{
                     [](const search::HostBackend& host) -> const std::vector<Argument>* {
                       return &host.arguments;
                     },
                     [](const search::CudaBackend& cuda) -> const std::vector<Argument>* {
                       return &cuda.arguments;
                     },
                     [](const auto&) -> const std::vector<Argument>* { return nullptr; },
                 },
                 problem.backend);
  if (arguments == nullptr || std::ranges::any_of(*arguments, is_drawn)) return {};
  return "no input of " + problem.name +
         " is drawn from a seed, so that a candidate can have the answer written down: give an "
         "argument fill = \"uniform\" or \"normal\"";
}

void look_at_inputs(const search::Problem& problem) {
  if (serves_python(problem)) {
    look_at_candidates(problem);
    return;
  }
  if (const std::string words = foreseen_inputs(problem); !words.empty()) warn({words});
}

}  // namespace nightshift::tools
