#include "evaluator/cuda/build/cuda_builder.h"

#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <string_view>
#include <variant>

#include "evaluator/cuda/build/compiler_remarks.h"
#include "evaluator/cuda/build/served_compiler.h"
#include "evaluator/cuda/driver/nvrtc.h"
#include "evaluator/cuda/driver/toolkits.h"
#include "evaluator/cuda/launch/launch_plan.h"
#include "evaluator/process/artifact_path.h"
#include "evaluator/process/compiler_run.h"
#include "evaluator/process/content_hash.h"
#include "evaluator/process/file_text.h"
#include "evaluator/process/launched_child.h"
#include "evaluator/process/source_hash.h"
#include "evaluator/process/told_names.h"
#include "search/element_type.h"
#include "search/substitution.h"
#include "search/value.h"

namespace nightshift::evaluator::cuda {
namespace {

namespace fs = std::filesystem;
using Compiler = search::CudaBackend::Compiler;

constexpr int kFirstWithArchitectureFeatures = 90;
constexpr const char* kMadeName = "kernel.made";  // a cubin or PTX
constexpr const char* kNamesName = "names.h";
constexpr const char* kCubinOption = "-cubin";

// From Hopper on, warpgroup instructions and bulk copies need the architecture's own feature set.
std::string architecture_name(int architecture) {
  return "sm_" + std::to_string(architecture) +
         (architecture >= kFirstWithArchitectureFeatures ? "a" : "");
}

// Of a problem with a served compiler NVRTC compiles the reference.
bool is_nvcc(const search::CudaBackend& cuda) { return cuda.compiler == Compiler::kNvcc; }

// A standard of the source's own replaces ours; compilers refuse or warn of two.
bool names_standard(const std::vector<std::string>& flags) {
  return std::any_of(flags.begin(), flags.end(), [](std::string_view flag) {
    return flag.starts_with("-std") || flag.starts_with("--std");
  });
}

// NVRTC compiles in this process: the limit is this process's own.
void limit_memory(std::uint64_t bytes) {
  if (bytes == 0) return;
  const rlimit limit{bytes, bytes};
  if (::setrlimit(RLIMIT_AS, &limit) != 0) {
    throw std::runtime_error("limits.memory cannot be set for the compiler");
  }
}

// What a compiler said, with the cause before it.
struct ExplainedError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace

TellingSource::TellingSource(const search::CudaBackend& cuda,
                             const std::vector<std::string>& launched,
                             const search::ToldNames& told)
    : functions(launched) {
  if (cuda.names == search::SourceNames::kMacros) return;
  for (std::string& function : functions) function = search::with_values(function, told);
  if (cuda.names == search::SourceNames::kConstants) {
    definitions = search::constant_definitions(told);
  }
}

std::string TellingSource::text_of(const search::CudaSource& source) const {
  const std::string text = read_whole_file(source.file);
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

std::vector<std::string> compile_options(const search::CudaBackend& cuda,
                                         const search::CudaSource& source, std::size_t which,
                                         const search::Configuration& configuration,
                                         int architecture) {
  std::vector<std::string> options;
  if (!is_nvcc(cuda)) {
    options = {"--gpu-architecture=" + architecture_name(architecture), "-default-device"};
  } else {
    options = {kCubinOption, "-arch=" + architecture_name(architecture)};
  }
  if (!names_standard(source.flags)) options.emplace_back("-std=c++20");
  for (const std::string& folder : cuda.include_folders) options.push_back("-I" + folder);
  std::vector<std::string> flags;
  const search::ToldNames told =
      told_names(cuda, which, configuration, source == cuda.kernel ? &flags : nullptr);
  if (cuda.names == search::SourceNames::kMacros) {
    append_macros(told, options);
  } else if (cuda.names == search::SourceNames::kConstants && cuda.dtype) {
    options.push_back("-DDTYPE=" + std::string(search::name_of(*cuda.dtype)));  // may be a type
  }
  options.insert(options.end(), flags.begin(), flags.end());
  options.insert(options.end(), source.flags.begin(), source.flags.end());
  return options;
}

CudaBuilder::CudaBuilder(const ipc::ConfigureRequest& setting)
    : setting_(setting),
      cuda_(std::get<search::CudaBackend>(setting_.problem.backend)),
      cache_(BuildCache::default_folder()) {
  if (cuda_.compiler == Compiler::kServed) served_ = std::make_unique<ServedCompiler>(setting_);
}

CudaBuilder::~CudaBuilder() = default;

const CudaBuilder::FoundCompiler& CudaBuilder::compiler(const std::string& word,
                                                        ProgressSink& progress) {
  const auto known = compilers_.find(word);
  if (known != compilers_.end()) return known->second;
  FoundCompiler found;
  if (!is_nvcc(cuda_)) {
    limit_memory(setting_.problem.limits.memory_bytes);
    found.identity = nvrtc_identity(word);
  } else if (word.empty() || word.find('/') != std::string::npos) {
    found.program = word.empty() ? "nvcc" : word;
    found.identity = said_version(found.program, progress);
  } else {
    std::string others;
    for (const std::string& program : nvcc_programs()) {
      const std::string said = said_version(program, progress);
      const std::string version = version_of_nvcc(said);
      if (found.program.empty() && is_version(version, word)) found = {program, said};
      others += (others.empty() ? "" : ", ") + version + " (" + program + ")";
    }
    if (found.program.empty()) {
      throw std::runtime_error("there is no nvcc " + word +
                               (others.empty() ? ", nor another one" : "; found: " + others));
    }
  }
  return compilers_.emplace(word, std::move(found)).first->second;
}

std::string CudaBuilder::said_version(const std::string& nvcc, ProgressSink& progress) const {
  std::string words;
  const std::string complaint = run_compiler(setting_, {nvcc, "--version"}, progress, &words);
  if (!complaint.empty()) throw std::runtime_error(nvcc + ": " + complaint);
  return words;
}

std::string CudaBuilder::cache_key(const FoundCompiler& compiler, const TellingSource& source,
                                   const std::vector<std::string>& options,
                                   const std::string& file) {
  std::string text = compiler.identity + "\n" + source.definitions;
  for (const std::string& function : source.functions) text += function + "\n";
  for (const std::string& option : options) {
    if (!option.starts_with("-I")) text += option + "\n";
  }
  return content_hash(text + hash_of_source(file, options));
}

PackedModule CudaBuilder::compile_now(const search::CudaSource& source,
                                      const TellingSource& telling,
                                      const std::vector<std::string>& options,
                                      const std::string& word, ProgressSink& progress) {
  PackedModule module;
  if (!is_nvcc(cuda_)) {
    std::vector<std::string> all = options;
    for (const std::string& folder : toolkit_include_folders(word)) all.push_back("-I" + folder);
    CompiledKernels kernels =
        compile_with_nvrtc(telling.text_of(source), source.file, telling.functions, all, word);
    module.symbols = std::move(kernels.names);
    module.cubin = std::move(kernels.cubin);
    module.remarks = performance_remarks(kernels.log);
    return module;
  }
  // nvcc has no name expressions: the functions are extern "C".
  module.symbols = telling.functions;
  std::string said;
  module.cubin = made_by_nvcc(source, telling, options, word, progress, &said);
  module.remarks = performance_remarks(said);
  return module;
}

std::string CudaBuilder::made_by_nvcc(const search::CudaSource& source,
                                      const TellingSource& telling,
                                      const std::vector<std::string>& options,
                                      const std::string& word, ProgressSink& progress,
                                      std::string* said) {
  const fs::path made = fs::path(setting_.scratch_folder) / kMadeName;
  fs::remove(made);
  std::vector<std::string> program = {compiler(word, progress).program};
  program.insert(program.end(), options.begin(), options.end());
  if (!telling.definitions.empty()) {
    const std::string names = (fs::path(setting_.scratch_folder) / kNamesName).string();
    write_whole_file(names, telling.definitions);
    program.insert(program.end(), {"-include", names});
  }
  for (const std::string& last : {source.file, std::string("-o"), made.string()}) {
    program.push_back(last);
  }
  if (const std::string complaint = run_compiler(setting_, program, progress, nullptr, said);
      !complaint.empty()) {
    throw std::runtime_error(complaint);
  }
  return read_whole_file(made.string());
}

std::string CudaBuilder::ptx(const search::Configuration& asked, std::size_t which,
                             ProgressSink& progress) {
  if (served_) {
    throw std::runtime_error(
        "a served compiler makes machine code; what it makes on the way is its own");
  }
  const search::Configuration configuration = search::resolved(setting_.problem, asked);
  const std::string word = search::substituted(cuda_.compiler_word, configuration);
  auto options =
      compile_options(cuda_, cuda_.kernel, which, configuration, setting_.gpu.architecture);
  const TellingSource telling(cuda_, functions_of_build(false),
                              told_names(cuda_, which, configuration));
  if (is_nvcc(cuda_)) {
    std::ranges::replace(options, std::string(kCubinOption), std::string("-ptx"));
    return made_by_nvcc(cuda_.kernel, telling, options, word, progress);
  }
  for (const std::string& folder : toolkit_include_folders(word)) options.push_back("-I" + folder);
  return ptx_of_nvrtc(telling.text_of(cuda_.kernel), cuda_.kernel.file, telling.functions, options,
                      word);
}

ArtifactPack CudaBuilder::compile(const search::CudaSource& source,
                                  const std::vector<std::string>& functions, std::size_t which,
                                  const search::Configuration& configuration,
                                  ProgressSink& progress) {
  const std::string word = search::substituted(cuda_.compiler_word, configuration);
  const auto options =
      compile_options(cuda_, source, which, configuration, setting_.gpu.architecture);
  const search::ToldNames told = told_names(cuda_, which, configuration);
  const TellingSource telling(cuda_, functions, told);
  const std::string key = cache_key(compiler(word, progress), telling, options, source.file);
  if (const auto kept = cache_.find(key)) {
    try {
      ArtifactPack found = unpack(*kept);
      if (found.modules.size() == 1 && found.modules.front().functions == functions) {
        return found;
      }
    } catch (const std::runtime_error&) {
      // A damaged file of the cache is compiled anew, and replaced.
    }
  }
  const auto start = Clock::now();
  ArtifactPack compiled;
  try {
    compiled.modules.push_back(compile_now(source, telling, options, word, progress));
  } catch (const std::runtime_error& e) {
    const bool macros = cuda_.names == search::SourceNames::kMacros;
    const std::string cause = macros ? macro_clash(told, source.file, options, "cuda") : "";
    if (cause.empty()) throw;
    throw ExplainedError(cause + first_errors(e.what()));
  }
  compiled.modules.back().functions = functions;
  compiled.build_seconds = seconds_since(start);
  cache_.store(key, pack(compiled));
  return compiled;
}

std::vector<std::string> CudaBuilder::functions_of_build(bool reference) const {
  std::vector<std::string> functions =
      functions_of(reference ? cuda_.reference_launches : cuda_.launches);
  if (!reference) return functions;
  for (std::string& function : functions_of(cuda_.prepare)) {
    if (std::find(functions.begin(), functions.end(), function) == functions.end()) {
      functions.push_back(std::move(function));
    }
  }
  return functions;
}

PackedModule CudaBuilder::made_for(bool reference, std::size_t which,
                                   const search::Configuration& configuration, double left,
                                   std::string& identity, double& seconds, ProgressSink& progress) {
  const std::vector<std::string> functions = functions_of_build(reference);
  if (served_ && !reference) {
    const auto start = Clock::now();
    PackedModule module = served_->compile(which, functions, configuration, left, progress);
    seconds += seconds_since(start);
    const MadeLaunches made = read_made_launches(module.launches, cuda_);
    identity += text_of(plan_case(cuda_, which, configuration, setting_.gpu, made));
    return module;
  }
  // First: a launch that cannot be is cheaper found before its code is made. How a served compiler's
  // kernels are launched is not known here, and does not matter to a reference.
  if (!served_) identity += text_of(plan_case(cuda_, which, configuration, setting_.gpu));
  ArtifactPack compiled = compile(reference ? cuda_.reference : cuda_.kernel, functions, which,
                                  configuration, progress);
  seconds += compiled.build_seconds;
  return std::move(compiled.modules.front());
}

ipc::BuiltReply CudaBuilder::build(const ipc::BuildRequest& request, ProgressSink& progress) {
  const auto start = Clock::now();
  const bool reference = request.target == ipc::BuildTarget::kReference;
  const search::Configuration configuration =
      search::resolved(setting_.problem, request.configuration);
  ArtifactPack artifact;
  std::string identity = reference ? "reference\n" : "kernel\n";
  try {
    for (std::size_t i = 0; i < cuda_.cases.size(); ++i) {
      const double left = setting_.problem.limits.build - seconds_since(start);
      artifact.modules.push_back(
          made_for(reference, i, configuration, left, identity, artifact.build_seconds, progress));
      identity += hash_of_code(artifact.modules.back().cubin) + "\n";
      progress.beat(i + 1);
    }
  } catch (const ExplainedError& e) {
    return {search::BuildFailed{e.what()}, seconds_since(start)};
  } catch (const std::runtime_error& e) {
    return {search::BuildFailed{first_errors(e.what())}, seconds_since(start)};
  }
  const std::string bytes = pack(artifact);
  ipc::Artifact result;
  result.hash = content_hash(identity);
  result.bytes = bytes.size();
  write_whole_file(kept_path(setting_.artifact_folder, result.hash).string(), bytes);
  return {result, seconds_since(start)};
}

}  // namespace nightshift::evaluator::cuda
