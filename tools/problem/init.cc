#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>

#include "problems/problem_file.h"
#include "search/source_language.h"
#include "tools/cli/argument_parser.h"
#include "tools/cli/command.h"
#include "tools/output_file.h"
#include "tools/problem/problem_draft.h"
#include "tools/problem/problem_source.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

constexpr const char* kEpilogue = R"(
Reads the functions of a source, CUDA C++ (.cu, .cuh), C and C++ or Python with kernels of Triton, as
it stands, and prints a problem file for one of them. What only you know is marked "FILL": sizes, what
is written, the grid. `nightshift check` on the file says what is left to fill in, and on the source
lists its functions. A file in Python that is a problem already needs none: `nightshift tune FILE.py` reads
it.

Examples:
  nightshift init layernorm.cu --function layernorm_kernel3 --output layernorm.toml
  nightshift init sgemm.cc
  nightshift init rms_norm.py --output problem.py)";

struct InitOptions {
  std::string source, function, output;
};

void declare(ArgumentParser& parser, InitOptions& o) {
  parser.positional("SOURCE", o.source, "FILE.cu, FILE.cuh, FILE.cc, FILE.cpp, FILE.c or FILE.py");
  parser.option("--function NAME", o.function, "Which one (the first of the file)");
  parser.option("--output FILE", o.output, "Where the problem is written (standard output)");
}

std::string draft_of(const InitOptions& options) {
  if (options.source.ends_with(".py")) return python_draft(options.source, options.function);
  if (const auto kind = draft_kind(options.source)) {
    return problem_draft(read_draft_source(options.source, *kind), options.function);
  }
  const auto language = search::language_of_name(options.source);
  if (language == search::SourceLanguage::kFortran ||
      language == search::SourceLanguage::kAssembler) {
    throw UsageError(options.source + " " + problems::why_no_problem(options.source));
  }
  throw UsageError("SOURCE is " + options.source + ", no source: .cu, .cuh, .cc, .cpp, .c or .py");
}

ExitCode run(const InitOptions& options) {
  const std::string draft = draft_of(options);
  if (options.output.empty()) {
    std::fputs(draft.c_str(), stdout);
  } else {
    std::error_code ignored;
    if (std::filesystem::is_regular_file(options.output, ignored)) {
      throw UsageError(options.output +
                       " is there already, and what was filled in would be lost: "
                       "remove it, or name another file");
    }
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
