#include "evaluator/host/build/missing_function.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <stdexcept>
#include <string_view>

#include "base/file_text.h"
#include "base/text.h"
#include "evaluator/sources/source_hash.h"
#include "problems/cuda_source/cuda_source.h"
#include "problems/judged_source.h"

namespace nightshift::evaluator {
namespace {

constexpr std::size_t kMostNamed = 8;

// What gcc, clang and linkers say of a name that they do not know, before and behind it.
struct Phrase {
  std::string_view before, behind;
};
constexpr std::array<Phrase, 8> kUnknown = {{{"'", "' was not declared"},
                                             {"'", "' has not been declared"},
                                             {"'", "' undeclared"},
                                             {"'", "' is not a member of"},
                                             {"undeclared identifier '", "'"},
                                             {"no member named '", "'"},
                                             {"no template named '", "'"},
                                             {"undefined reference to `", "'"}}};

// How names of a library begin, and what has it linked.
struct Library {
  std::string_view symbol, name, option;
};
constexpr auto kLibraries = std::to_array<Library>({
    {"tbb::", "TBB, as std::execution::par does", "-ltbb"},
    {"GOMP_", "OpenMP", "-fopenmp"},
    {"omp_", "OpenMP", "-fopenmp"},
    {"__kmpc_", "OpenMP", "-fopenmp"},
    {"pthread_", "threads", "-pthread"},
    {"cblas_", "a BLAS", "-lopenblas"},
    {"openblas_", "OpenBLAS", "-lopenblas"},
    {"LAPACKE_", "LAPACK", "-llapacke"},
    {"mkl_", "MKL", "-lmkl_rt"},
    {"MKL_", "MKL", "-lmkl_rt"},
    {"fftwf_", "FFTW in single precision", "-lfftw3f"},
    {"fftw_", "FFTW", "-lfftw3"},
    {"numa_", "libnuma", "-lnuma"},
    {"__atomic_", "atomic operations that the processor lacks", "-latomic"},
    {"_gfortran_", "the runtime of Fortran", "-lgfortran"},
    {"deflate", "zlib", "-lz"},
    {"inflate", "zlib", "-lz"},
});

// The names that a function's name is made of: of ns::f<T> ns and f.
std::vector<std::string> parts_of(std::string_view function) {
  function = function.substr(0, function.find('<'));
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= function.size();) {
    const std::size_t end = std::min(function.find("::", at), function.size());
    parts.emplace_back(base::trimmed(function.substr(at, end - at)));
    at = end + 2;
  }
  return parts;
}

bool says_unknown(std::string_view complaint, const std::string& name) {
  return std::ranges::any_of(kUnknown, [&](const Phrase& phrase) {
    const std::string words = std::string(phrase.before) + name + std::string(phrase.behind);
    return complaint.find(words) != std::string_view::npos;
  });
}

std::vector<std::string> functions_of(const std::string& file,
                                      const std::vector<std::string>& options,
                                      const std::string& directory) {
  std::vector<std::string> names;
  for (const auto& [path, hash] : content_of_source(file, options, directory).files) {
    const std::string text = base::read_whole_file(path);
    for (const auto& function : problems::scan_cuda_source(text).functions) {
      if (std::ranges::find(names, function.name) == names.end()) names.push_back(function.name);
    }
  }
  return names;
}

}  // namespace

std::string missing_function(const search::HostSource& source,
                             const std::vector<std::string>& options, const std::string& directory,
                             const std::string& complaint) {
  const std::vector<std::string> parts = parts_of(source.function);
  const std::string_view first = base::first_line(complaint);  // of a broken source it is another
  const bool is_unknown = std::ranges::any_of(
      parts, [&](const std::string& part) { return says_unknown(first, part); });
  if (!is_unknown) return {};
  try {
    const std::string judged = problems::included_source(base::text_if_there(source.file), options);
    const std::string& file = judged.empty() ? source.file : judged;
    std::vector<std::string> names = functions_of(file, options, directory);
    const std::string wanted = base::joined(parts, "::");
    if (std::ranges::find(names, wanted) != names.end()) return {};
    std::string has = "; no function is told in it without a compiler";
    if (!names.empty()) {
      const std::size_t more = names.size() - std::min(names.size(), kMostNamed);
      names.resize(names.size() - more);
      if (more > 0) names.push_back(std::to_string(more) + " more");
      has = "; it has " + base::list_of(names, "and");
    }
    return "error: " + std::filesystem::path(file).filename().string() + " has no function " +
           base::in_quotes(wanted) + has + "\n";
  } catch (const std::runtime_error&) {
    return {};  // the compiler complains of a source that cannot be read
  }
}

std::string missing_library(std::string_view complaint) {
  for (const std::string_view phrase : {"undefined reference to `", "undefined symbol: "}) {
    for (std::size_t at = 0; (at = complaint.find(phrase, at)) != std::string_view::npos;) {
      at += phrase.size();
      const std::string_view symbol = complaint.substr(at);
      const auto known = std::ranges::find_if(
          kLibraries, [&](const Library& one) { return symbol.starts_with(one.symbol); });
      if (known == kLibraries.end()) continue;
      return "error: it calls " + std::string(known->name) + ", which no flag links: add \"" +
             std::string(known->option) + "\" to flags\n";
    }
  }
  return {};
}

}  // namespace nightshift::evaluator
