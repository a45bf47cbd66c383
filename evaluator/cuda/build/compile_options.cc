#include "evaluator/cuda/build/compile_options.h"

#include <algorithm>

#include "base/file_text.h"
#include "evaluator/process/compiler_run.h"
#include "evaluator/sources/told_names.h"
#include "problems/cuda_source/cuda_source.h"
#include "search/element_type.h"
#include "search/option_text.h"
#include "search/value.h"

namespace nightshift::evaluator::cuda {
namespace {

using Compiler = search::CudaBackend::Compiler;

std::string architecture_name(int architecture) {
  return "sm_" + std::to_string(architecture) + (has_own_features(architecture) ? "a" : "");
}

// A standard of the source's own replaces ours; compilers refuse or warn of two.
bool names_standard(const std::vector<std::string>& flags) {
  return std::any_of(flags.begin(), flags.end(), [](std::string_view flag) {
    return flag.starts_with("-std") || flag.starts_with("--std");
  });
}

std::string with_definitions(std::string text, const search::ToldNames& values) {
  std::vector<problems::CudaDefinition> found = problems::scan_cuda_source(text).definitions;
  std::ranges::sort(found, {}, &problems::CudaDefinition::begin);
  for (auto definition = found.rbegin(); definition != found.rend(); ++definition) {
    const auto told =
        std::ranges::find(values, definition->name, &search::ToldNames::value_type::first);
    if (told == values.end()) continue;
    text.replace(definition->begin, definition->end - definition->begin,
                 search::to_text(told->second));
  }
  return text;
}

}  // namespace

bool has_own_features(int architecture) {
  constexpr int kFirst = 90;
  return architecture >= kFirst;
}

TellingSource::TellingSource(const search::CudaBackend& cuda,
                             const std::vector<std::string>& launched,
                             const search::ToldNames& told)
    : functions(launched) {
  if (cuda.names == search::SourceNames::kMacros) return;
  for (std::string& function : functions) function = search::with_values(function, told);
  if (cuda.names == search::SourceNames::kConstants) {
    definitions = search::constant_definitions(told);
  }
  if (cuda.names == search::SourceNames::kDefinitions) values = told;
}

std::string TellingSource::text_of(const search::CudaSource& source) const {
  std::string text = base::read_whole_file(source.file);
  if (!values.empty()) text = with_definitions(std::move(text), values);
  return definitions.empty() ? text : definitions + "#line 1\n" + text;
}

search::ToldNames told_names(const search::CudaBackend& cuda, std::size_t which,
                             const search::Configuration& configuration,
                             std::vector<std::string>* flags) {
  search::ToldNames told;
  for (const auto& [name, value] : cuda.cases.at(which)) told.emplace_back(name, value);
  if (cuda.dtype) told.emplace_back("DTYPE", std::string(search::name_of(*cuda.dtype)));
  std::vector<std::string> ignored;
  append_parameters(cuda.compiler_word, configuration, cuda.flag_parameters, flags != nullptr, told,
                    flags != nullptr ? *flags : ignored);
  return told;
}

CudaWay first_way(const search::CudaBackend& cuda) {
  return cuda.compiler == Compiler::kNvcc ? CudaWay::kNvcc : CudaWay::kNvrtc;
}

std::vector<std::string> compile_options(const CompiledCase& one, CudaWay way) {
  const search::CudaBackend& cuda = one.cuda;
  std::vector<std::string> options;
  if (way != CudaWay::kNvcc) {
    options = {"--gpu-architecture=" + architecture_name(one.architecture), "-default-device"};
  } else {
    // As sources of libraries expect it.
    options = {kCubinOption, "-arch=" + architecture_name(one.architecture),
               "--expt-relaxed-constexpr", "--expt-extended-lambda"};
  }
  // Sources that nobody wrote for this program are for the standard that nvcc itself has.
  const bool own_standard = way == CudaWay::kNvcc && cuda.compiler == Compiler::kAny;
  if (!own_standard && !names_standard(one.source.flags)) options.emplace_back("-std=c++20");
  for (const std::string& folder : cuda.include_folders) options.push_back("-I" + folder);
  std::vector<std::string> flags;
  const search::ToldNames told =
      told_names(cuda, one.which, one.configuration, one.source == cuda.kernel ? &flags : nullptr);
  if (cuda.names == search::SourceNames::kMacros) {
    append_macros(told, options);
  } else if (cuda.names == search::SourceNames::kConstants && cuda.dtype) {
    options.push_back("-DDTYPE=" + std::string(search::name_of(*cuda.dtype)));  // may be a type
  }
  flags.insert(flags.end(), one.source.flags.begin(), one.source.flags.end());
  // NVRTC is started nowhere, nvcc in a folder of ours.
  flags = search::with_absolute_folders(std::move(flags), cuda.compiler_directory);
  options.insert(options.end(), flags.begin(), flags.end());
  return options;
}

}  // namespace nightshift::evaluator::cuda
