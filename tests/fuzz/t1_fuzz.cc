// Any text as a T1 file, with settings from outside as for other files: a problem or a
// ProblemFileError.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "problems/problem_file.h"
#include "problems/readers/t1/t1_problem.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nightshift::problems;
  try {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    read_t1_problem(text, "/nonexistent/fuzz.json", {{"budget.trials", "3"}});
  } catch (const ProblemFileError& error) {
    if (error.diagnostics().empty()) std::abort();
  }
  return 0;
}
