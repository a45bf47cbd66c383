#include "evaluator/cuda/build/nvrtc_units.h"

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <string_view>

#include "evaluator/cuda/build/build_errors.h"
#include "evaluator/cuda/build/kernel_names.h"
#include "evaluator/cuda/build/stub_headers.h"
#include "evaluator/process/compiler_run.h"

namespace nightshift::evaluator::cuda {
namespace {

constexpr int kMostStubs = 200;

// Where the first error is of a name expression, that expression.
std::string wrong_expression(std::string_view words) {
  constexpr std::string_view kOpening = "__nv_name_map(", kPragma = "#pragma nv_mangled_name ";
  const std::string errors = first_errors(words);
  if (!errors.starts_with(kOpening)) return {};
  const std::size_t at = errors.find(kPragma);
  if (at == std::string::npos) return {};
  const std::size_t begin = at + kPragma.size();
  return errors.substr(begin, errors.find('\n', begin) - begin);
}

template <class Make>
auto made(NvrtcProgram& program, bool stubs, const Make& make) {
  for (int i = 0;; ++i) {
    try {
      return make(program);
    } catch (const std::runtime_error& e) {
      if (const std::string function = wrong_expression(e.what()); !function.empty()) {
        const std::string file = std::filesystem::path(program.file).filename().string();
        throw ExplainedError(no_such_kernel(function, program.text, file));
      }
      const std::string header = missing_header(e.what());
      const bool known = std::ranges::any_of(
          program.headers, [&](const auto& other) { return other.first == header; });
      if (!stubs || header.empty() || known || i == kMostStubs) throw;
      program.headers.emplace_back(header, stub_for(header));
    }
  }
}

}  // namespace

std::string missing_header(std::string_view words) {
  constexpr std::string_view kOpening = "open source file \"";
  const std::size_t at = words.find(kOpening);
  if (at == std::string_view::npos) return {};
  words.remove_prefix(at + kOpening.size());
  return std::string(words.substr(0, words.find('"')));
}

CompiledKernels compiled_unit(NvrtcProgram program, bool stubs) {
  return made(program, stubs, compile_with_nvrtc);
}

std::string ptx_of_unit(NvrtcProgram program, bool stubs) {
  return made(program, stubs, ptx_of_nvrtc);
}

}  // namespace nightshift::evaluator::cuda
