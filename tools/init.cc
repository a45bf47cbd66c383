#include <cstdio>
#include <string>

#include "tools/cli/argument_parser.h"
#include "tools/cli/command.h"
#include "tools/draft/problem_draft.h"
#include "tools/output_file.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

constexpr const char* kEpilogue = R"(
Reads the functions of a source, CUDA C++ (.cu, .cuh) or C and C++, as it stands, and prints a
problem file for one of them. What only you know is marked "FILL": sizes, what is written, the grid.
`nightshift check` on the file says what is left to fill in, and on the source lists its functions.
Files in Python need none: `nightshift tune FILE.py` reads them.

Examples:
  nightshift init layernorm.cu --function layernorm_kernel3 --output layernorm.toml
  nightshift init sgemm.cc)";

struct InitOptions {
  std::string source, function, output;
};

void declare(ArgumentParser& parser, InitOptions& o) {
  parser.positional("SOURCE", o.source, "FILE.cu, FILE.cuh, FILE.cc, FILE.cpp or FILE.c");
  parser.option("--function NAME", o.function, "Which one (the first of the file)");
  parser.option("--output FILE", o.output, "Where the problem is written (standard output)");
}

ExitCode run(const InitOptions& options) {
  const auto kind = draft_kind(options.source);
  if (!kind && options.source.ends_with(".py")) {
    throw UsageError("a file in Python is a problem by itself: nightshift tune " + options.source);
  }
  if (!kind) {
    throw UsageError("SOURCE is " + options.source + ", no source: .cu, .cuh, .cc, .cpp or .c");
  }
  const std::string draft =
      problem_draft(read_draft_source(options.source, *kind), options.function);
  if (options.output.empty()) {
    std::fputs(draft.c_str(), stdout);
  } else {
    write_output(options.output, draft);
  }
  return ExitCode::kSuccess;
}

}  // namespace

Command init_command() {
  return make_command<InitOptions>("init", "Print a problem file for a function of a source",
                                   kEpilogue, declare, run);
}

}  // namespace nightshift::tools
