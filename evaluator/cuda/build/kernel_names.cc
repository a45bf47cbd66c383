#include "evaluator/cuda/build/kernel_names.h"

#include <algorithm>
#include <cstdlib>

#include "evaluator/cuda/build/build_errors.h"
#include "evaluator/process/compiler_run.h"
#include "problems/cuda_source/cuda_source.h"

namespace nightshift::evaluator::cuda {
namespace {

constexpr std::string_view kMark = "nightshift_kernel";
constexpr std::string_view kMarksFile = "nightshift_kernels";
constexpr int kFirstMark = 2;  // its line in that file
constexpr std::size_t kMostListed = 20;

std::string words_of(const std::vector<std::uint32_t>& bytes) {
  std::string words;
  for (const std::uint32_t size : bytes)
    words += (words.empty() ? "" : ", ") + std::to_string(size);
  return std::to_string(bytes.size()) + (bytes.size() == 1 ? " parameter" : " parameters") +
         (bytes.empty() ? "" : " of " + words + " bytes");
}

std::string listed(const std::vector<problems::CudaKernel>& kernels) {
  std::string words;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (i == kMostListed) return words + ", ...";
    words += (i == 0 ? "" : ", ") + signature_of(kernels[i]);
  }
  return words;
}

}  // namespace

bool is_expression(std::string_view function) {
  return function.find('<') != std::string_view::npos ||
         function.find("::") != std::string_view::npos;
}

std::optional<std::string> symbol_of(const std::vector<CubinKernel>& kernels,
                                     std::string_view function) {
  const CubinKernel* found = nullptr;
  for (const CubinKernel& kernel : kernels) {
    if (kernel.symbol == function) return kernel.symbol;
    const std::string name = plain_name(kernel.signature);
    const bool is_called = name == function || name.ends_with("::" + std::string(function));
    if (!is_called || kernel.signature.find(kMark) != std::string::npos) continue;
    if (found != nullptr) return std::nullopt;
    found = &kernel;
  }
  if (found == nullptr) return std::nullopt;
  return found->symbol;
}

std::string marks_of(const std::vector<std::string>& functions) {
  const std::string mark(kMark);
  std::string text = "\n#line 1 \"" + std::string(kMarksFile) + "\"\n";
  text += "template <int which, class type, type kernel> __global__ void " + mark + "() {}\n";
  for (std::size_t i = 0; i < functions.size(); ++i) {
    const std::string address = "&" + functions[i];
    text += "template __global__ void " + mark + "<" + std::to_string(i) + ", decltype(" + address +
            "), " + address + ">();\n";
  }
  return text;
}

std::optional<std::size_t> wrong_mark(std::string_view words, std::size_t functions) {
  const std::string errors = first_errors(words);
  const std::string opening = std::string(kMarksFile) + "(";
  if (!errors.starts_with(opening)) return std::nullopt;
  const long line = std::strtol(errors.c_str() + opening.size(), nullptr, 10);
  const long which = line - kFirstMark;
  if (which < 0 || static_cast<std::size_t>(which) >= functions) return std::nullopt;
  return static_cast<std::size_t>(which);
}

std::optional<std::string> marked_symbol(const std::vector<CubinKernel>& kernels,
                                         std::size_t which) {
  const std::string opening = std::string(kMark) + "<" + std::to_string(which) + ", ";
  const auto mark = std::ranges::find_if(kernels, [&](const CubinKernel& kernel) {
    return kernel.signature.find(opening) != std::string::npos;
  });
  if (mark == kernels.end()) return std::nullopt;
  for (const CubinKernel& kernel : kernels) {
    // An extern "C" kernel has parameters in the mark's name alone.
    if (mark->signature.find("&(" + kernel.signature + ")") != std::string::npos ||
        mark->signature.find("&(" + kernel.signature + "(") != std::string::npos ||
        mark->signature.find("&" + kernel.signature + ">") != std::string::npos) {
      return kernel.symbol;
    }
  }
  return std::nullopt;
}

std::string no_such_kernel(const std::string& function, const std::string& source,
                           const std::string& file) {
  const problems::CudaSourceScan scan = problems::scan_cuda_source(source);
  const std::string opening = "error: there is no kernel " + function + " in " + file;
  const auto named = problems::kernels_called(scan, function);
  const bool is_instance = function.find('<') != std::string::npos;
  if (!named.empty()) {
    const problems::CudaKernel& kernel = *named.front();
    const std::string line = ":" + std::to_string(kernel.line) + " has " + signature_of(kernel);
    if (named.size() > 1) {
      return opening + line + " and another one of that name: rename one of them";
    }
    if (kernel.template_parameters.empty()) {
      return opening + line +
             (is_instance ? ", which is no template: leave out <...>"
                          : ", which this configuration leaves out");
    }
    return opening + line + ": the name of an instance has a value for each template parameter" +
           (is_instance ? " that allows it" : ", " + function + "<...>");
  }
  if (scan.kernels.empty()) {
    return opening + ", nor another __global__ function" +
           (scan.unread.empty() ? "" : ", as far as it can be read (" + scan.unread + ")") +
           ": name the file that has it as source";
  }
  return opening + "; it has " + listed(scan.kernels);
}

void check_parameters(const std::vector<CubinKernel>& kernels, const NamedSymbols& names,
                      const std::vector<PlannedLaunch>& launches,
                      const std::vector<std::uint32_t>& bytes) {
  for (const PlannedLaunch& launch : launches) {
    const auto function = std::ranges::find(names.functions, launch.kernel);
    if (function == names.functions.end()) continue;
    const std::string& symbol =
        names.symbols.at(static_cast<std::size_t>(function - names.functions.begin()));
    const auto kernel = std::ranges::find(kernels, symbol, &CubinKernel::symbol);
    if (kernel == kernels.end() || !kernel->parameters) continue;
    std::vector<std::uint32_t> given;
    for (const std::uint32_t argument : launch.arguments) given.push_back(bytes.at(argument));
    if (given == *kernel->parameters) continue;
    throw WrongKernel("error: the kernel " + kernel->signature + " takes " +
                      words_of(*kernel->parameters) + ", but its launch gives it " +
                      words_of(given));
  }
}

}  // namespace nightshift::evaluator::cuda
