#include "problems/readers/problem/argument_types.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/file_text.h"
#include "problems/cuda_source/cuda_source.h"
#include "problems/cuda_source/cuda_types.h"
#include "search/configuration.h"
#include "search/element_type.h"

namespace nightshift::problems {
namespace {

using search::Argument;
using search::bytes_of;
using search::CudaBackend;
using search::CudaLaunch;
using search::ElementType;
using search::is_floating;

constexpr std::size_t kPointerBytes = 8;
constexpr std::size_t kPackedBytes = 2;  // elements up to here are often read several at once

bool is_unsigned(ElementType type) {
  return type >= ElementType::kUint8 && type <= ElementType::kUint64;
}

// `char*` and `unsigned char*` are the bytes of anything.
bool is_bytes(const CudaParameter& parameter, const PlainType& taken) {
  if (!taken.pointer) return false;
  const bool is_char = parameter.type.find("char") != std::string::npos &&
                       parameter.type.find("signed") == std::string::npos;
  return is_char || taken.type == ElementType::kUint8;
}

// Whether numbers of type `given`, one after the other, can be meant where `taken` is pointed to.
bool may_point(ElementType given, ElementType taken) {
  if (given == taken) return true;
  if (is_floating(taken)) return false;
  if (bytes_of(given) > bytes_of(taken)) return false;
  if (is_unsigned(taken) || bytes_of(given) <= kPackedBytes) return true;
  return !is_floating(given) && bytes_of(given) == bytes_of(taken);
}

// The same of one number.
bool may_be(ElementType given, ElementType taken) {
  if (given == taken) return true;
  if (is_floating(taken) || bytes_of(given) != bytes_of(taken)) return false;
  return !is_floating(given) || bytes_of(given) <= kPackedBytes;
}

bool may_be_taken(const Argument& argument, ElementType given, const PlainType& taken) {
  if (argument.scalar != taken.pointer) {
    return taken.pointer ? may_point(given, taken.type) : may_be(given, taken.type);
  }
  // An address as a number.
  const ElementType number = taken.pointer ? given : taken.type;
  return !is_floating(number) && bytes_of(number) == kPointerBytes;
}

// A file may hold the bits of such answers for whole numbers, which are equal to the bit.
bool is_named_by_bits(const Argument& argument, ElementType given, const PlainType& taken) {
  const bool is_made =
      argument.access == Argument::Access::kOut || argument.fill == Argument::Fill::kComputed;
  return is_made && is_unsigned(given) && taken.pointer && bytes_of(given) == bytes_of(taken.type);
}

std::vector<std::string> flags_of(const CudaBackend& cuda) {
  std::vector<std::string> flags = cuda.kernel.flags;
  flags.insert(flags.end(), cuda.reference.flags.begin(), cuda.reference.flags.end());
  for (const search::FlagParameter& flag : cuda.flag_parameters) flags.push_back(flag.pattern);
  return flags;
}

class TypeCheck {
 public:
  TypeCheck(const search::Problem& problem, const PlacedCuda& cuda, Diagnostics& diagnostics)
      : cuda_(cuda), diagnostics_(diagnostics), flags_(flags_of(cuda.backend)) {
    for (const search::Parameter& parameter : problem.parameters) told_.insert(parameter.name);
    for (const auto& [name, size] : cuda.backend.cases.front()) told_.insert(name);
  }

  void run() {
    const CudaBackend& backend = cuda_.backend;
    read(backend.kernel);
    if (backend.compiler != CudaBackend::Compiler::kServed) {
      check(backend.launches, cuda_.launches);
    }
    read(backend.reference);
    check(backend.prepare, cuda_.prepare);
    is_reference_ = true;
    check(backend.reference_launches, cuda_.reference_launches);
  }

 private:
  void read(const search::CudaSource& source) {
    std::error_code error;
    const bool is_there = std::filesystem::is_regular_file(source.file, error);
    scan_ = is_there ? scan_cuda_source(base::text_if_there(source.file)) : CudaSourceScan{};
    file_ = std::filesystem::path(source.file).filename().string();
  }

  void check(const std::vector<CudaLaunch>& launches,
             const std::vector<SourceLocation>& locations) {
    for (std::size_t i = 0; i < launches.size(); ++i) {
      const CudaLaunch& launch = launches[i];
      const auto kernels = kernels_called(scan_, launch.kernel);
      if (kernels.size() != 1 || !is_launched(launch)) continue;
      const CudaKernel& kernel = *kernels.front();
      // Conditions of the preprocessor may have more parameters than a compiler sees.
      if (kernel.parameters.size() != launch.arguments.size()) continue;
      const TypeNames names = names_in(kernel, launch.kernel);
      for (std::size_t at = 0; at < launch.arguments.size(); ++at) {
        if (launch.arguments[at] >= cuda_.backend.arguments.size()) continue;  // a tensor map
        check(cuda_.backend.arguments[launch.arguments[at]], kernel, kernel.parameters[at], names,
              locations[i]);
      }
    }
  }

  void check(const Argument& argument, const CudaKernel& kernel, const CudaParameter& parameter,
             const TypeNames& names, const SourceLocation& location) {
    if (!argument.scalar) {
      const bool is_memory =
          argument.access == Argument::Access::kWork || argument.fill == Argument::Fill::kBits;
      if (is_memory) return;
    }
    const auto taken = plain_type(parameter.type, names);
    const ElementType given = given_to(argument);
    if (!taken || may_be_taken(argument, given, *taken)) return;
    if (is_named_by_bits(argument, given, *taken) || is_bytes(parameter, *taken)) return;
    if (!noted_.emplace(argument.name, kernel.name).second) return;
    diagnostics_.add(location, words(argument, given, kernel, parameter, *taken));
  }

  // The reference writes doubles where the kernel writes floats.
  ElementType given_to(const Argument& argument) const {
    const bool is_answer = is_reference_ && is_output(argument) && is_floating(argument.type);
    return is_answer ? ElementType::kFloat64 : argument.type;
  }

  std::string words(const Argument& argument, ElementType given, const CudaKernel& kernel,
                    const CudaParameter& parameter, const PlainType& taken) const {
    const bool is_answer = given != argument.type;
    std::string text = "argument " + in_quotes(argument.name) + " is a " +
                       (argument.scalar ? "scalar of type " : "vector of ") +
                       std::string(search::name_of(given)) +
                       (is_answer ? " for [cuda.reference], which writes doubles where the kernel "
                                    "writes floats,"
                                  : " in the problem file,") +
                       " but " + kernel.name + " takes '" + parameter.type + " " + parameter.name +
                       "' (" + file_ + ":" + std::to_string(kernel.line) + "), which is " +
                       (taken.pointer ? "a vector of " : "a scalar of type ") +
                       std::string(search::name_of(taken.type));
    return text + (is_answer ? "; write " : "; mend ") +
           (is_answer ? "'double' in the reference" : "the type in either of them") +
           ", or the order of the launch's arguments";
  }

  // What a compiler is told from outside is not what the source says.
  TypeNames names_in(const CudaKernel& kernel, std::string_view instance) const {
    TypeNames names = type_names(scan_, kernel, instance);
    std::erase_if(names, [&](const auto& alias) {
      const auto has_name = [&](const std::string& flag) {
        return flag.find(alias.first) != std::string::npos;
      };
      return told_.contains(alias.first) || std::ranges::any_of(flags_, has_name);
    });
    const auto& dtype = cuda_.backend.dtype;
    if (dtype) names["DTYPE"] = cuda_name(*dtype);
    return names;
  }

  // In any case, by what a configuration does not say.
  bool is_launched(const CudaLaunch& launch) const {
    if (!launch.when) return true;
    const CudaBackend& backend = cuda_.backend;
    return std::ranges::any_of(backend.cases, [&](const CudaBackend::Sizes& sizes) {
      search::Configuration known;
      for (const auto& [name, size] : sizes) known.set(name, size);
      if (backend.dtype) {
        known.set(kElementBytes, static_cast<std::int64_t>(bytes_of(*backend.dtype)));
      }
      try {
        return launch.when->holds([&](std::string_view name) { return known.find(name); });
      } catch (const search::ExpressionError&) {
        return true;  // a parameter says so, or the device
      }
    });
  }

  const PlacedCuda& cuda_;
  Diagnostics& diagnostics_;
  const std::vector<std::string> flags_;
  std::set<std::string, std::less<>> told_;
  CudaSourceScan scan_;  // of the source that is looked at
  std::string file_;
  bool is_reference_ = false;  // its launches are, and not those that prepare inputs
  std::set<std::pair<std::string, std::string>> noted_;  // of argument and kernel
};

}  // namespace

void check_argument_types(const search::Problem& problem, const PlacedCuda& cuda,
                          Diagnostics& diagnostics) {
  if (diagnostics.needs_files()) TypeCheck(problem, cuda, diagnostics).run();
}

}  // namespace nightshift::problems
