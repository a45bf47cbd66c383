// Any text as a problem file: a problem, or a ProblemFileError with at least one mistake. Problems
// that are read must have a space or say why not.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "problems/problem_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nightshift;
  try {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const search::Problem problem = problems::parse_problem(text, "/nonexistent/fuzz.toml");
    double combinations = 1;
    for (const search::Parameter& p : problem.parameters) {
      combinations *= static_cast<double>(p.values.size());
    }
    if (combinations > 1e4) return 0;  // building large spaces is tested elsewhere
    if (problems::make_space(problem).size() == 0) std::abort();
  } catch (const problems::ProblemFileError& error) {
    if (error.diagnostics().empty()) std::abort();
  } catch (const search::SpaceError&) {
  }
  return 0;
}
