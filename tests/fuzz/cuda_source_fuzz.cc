// Sources that anybody wrote. What is found of them lies inside of them, in order and apart; what
// is left without what hosts need has as many bytes, and has nothing more to leave out but what a
// ';' made of it.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "problems/cuda_source/cuda_source.h"
#include "problems/cuda_source/cuda_types.h"
#include "problems/cuda_source/source_tokens.h"

namespace {

using namespace nightshift::problems;

void expect(bool holds) {
  if (!holds) std::abort();
}

void check_tokens(const std::string& text) {
  const SourceTokens read = tokens_of(text);
  std::size_t end = 0;
  int line = 1;
  for (const SourceToken& token : read.tokens) {
    expect(!token.text.empty() && token.begin >= end && token.line >= line);
    end = token.begin + token.text.size();
    line = token.line;
    expect(end <= text.size());
  }
  for (const SourceDirective& directive : read.directives) {
    expect(directive.begin < directive.end && directive.end <= text.size());
    expect(directive.text.front() == '#');
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  check_tokens(text);
  const CudaSourceScan scan = scan_cuda_source(text);
  for (const CudaKernel& kernel : scan.kernels) {
    expect(kernel.line >= 1 && !kernel.name.empty() && !signature_of(kernel).empty());
    const TypeNames names = type_names(scan, kernel, kernel.name + "<float, 4>");
    for (const CudaParameter& parameter : kernel.parameters) plain_type(parameter.type, names);
    expect(!kernels_called(scan, kernel.name).empty());
  }
  for (const CudaDefinition& one : scan.definitions) {
    expect(one.begin <= one.end && one.end <= text.size());
    expect(text.substr(one.begin, one.end - one.begin) == one.value);
  }
  std::size_t last = 0;
  for (const CudaHostPart& part : scan.host_parts) {
    expect(part.begin >= last && part.begin < part.end && part.end <= text.size());
    last = part.end;
  }
  return 0;
}
