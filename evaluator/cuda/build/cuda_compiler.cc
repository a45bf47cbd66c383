#include "evaluator/cuda/build/cuda_compiler.h"

#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <string_view>
#include <variant>

#include "base/content_hash.h"
#include "base/file_text.h"
#include "evaluator/cuda/build/build_errors.h"
#include "evaluator/cuda/build/compiler_remarks.h"
#include "evaluator/cuda/build/device_view.h"
#include "evaluator/cuda/build/kernel_names.h"
#include "evaluator/cuda/build/nvrtc_units.h"
#include "evaluator/cuda/build/stub_headers.h"
#include "evaluator/cuda/driver/open_library.h"
#include "evaluator/cuda/driver/toolkits.h"
#include "evaluator/process/compiler_run.h"
#include "evaluator/process/launched_child.h"
#include "evaluator/sources/macro_clash.h"
#include "evaluator/sources/source_hash.h"
#include "search/substitution.h"
#include "search/value.h"

namespace nightshift::evaluator::cuda {
namespace {

namespace fs = std::filesystem;
using Compiler = search::CudaBackend::Compiler;

constexpr const char* kMadeName = "kernel.made";  // a cubin or PTX
constexpr const char* kNamesName = "names.h";
constexpr const char* kUnitName = "unit.cu";

// NVRTC compiles in this process: the limit is this process's own.
void limit_memory(std::uint64_t bytes) {
  if (bytes == 0) return;
  const rlimit limit{bytes, bytes};
  if (::setrlimit(RLIMIT_AS, &limit) != 0) {
    throw std::runtime_error("limits.memory cannot be set for the compiler");
  }
}

// The first line that says what is wrong.
std::string first_line_of(const std::string& error) {
  const std::string errors = first_errors(error);
  return errors.substr(0, errors.find('\n'));
}

// Not where somebody has named the library.
bool takes_nvcc(const search::CudaBackend& cuda) {
  return cuda.compiler == Compiler::kAny && environment("NIGHTSHIFT_NVRTC").empty() &&
         !toolkit_program("nvcc").empty();
}

std::string usual_nvcc() {
  const std::string found = toolkit_program("nvcc");
  return found.empty() ? "nvcc" : found;
}

// Why a way is not the first one, before what its compiler remarks.
std::string way_words(CudaWay way, const std::string& why, const std::string& remarks) {
  std::string words = way == CudaWay::kNvcc ? "nvcc, since NVRTC does not compile the source"
                                            : "NVRTC, without what the source has for hosts";
  if (!why.empty()) words += " (" + why + ")";
  return words + (remarks.empty() ? "" : "; " + remarks);
}

// Of each argument and tensor map, as a kernel takes it.
std::vector<std::uint32_t> argument_bytes(const search::CudaBackend& cuda) {
  constexpr std::uint32_t kPointer = 8, kTensorMap = 128;
  std::vector<std::uint32_t> bytes;
  for (const search::Argument& argument : cuda.arguments) {
    bytes.push_back(argument.scalar ? static_cast<std::uint32_t>(search::bytes_of(argument.type))
                                    : kPointer);
  }
  bytes.insert(bytes.end(), cuda.tensor_maps.size(), kTensorMap);
  return bytes;
}

// What in the source is called as a macro is; empty: nothing, or there are no macros.
std::string clash_of(const search::CudaBackend& cuda, const std::string& file,
                     const search::ToldNames& told, const std::vector<std::string>& options,
                     std::string_view complaint) {
  if (cuda.names != search::SourceNames::kMacros) return {};
  return macro_clash(told, file, options, "", "cuda", complaint);
}

std::vector<std::string> expressions_among(const std::vector<std::string>& functions) {
  std::vector<std::string> expressions;
  std::ranges::copy_if(functions, std::back_inserter(expressions), is_expression);
  return expressions;
}

}  // namespace

CudaCompiler::CudaCompiler(const ipc::ConfigureRequest& setting)
    : setting_(setting),
      cuda_(std::get<search::CudaBackend>(setting_.problem.backend)),
      cache_(BuildCache::default_folder()) {}

const search::CudaSource& CudaCompiler::source_of(const Task& task) const {
  return task.reference ? cuda_.reference : cuda_.kernel;
}

std::vector<PlannedLaunch> CudaCompiler::launches_of(const Task& task) const {
  if (!task.reference) {
    return plan_case(cuda_, task.which, task.configuration, setting_.gpu).launches;
  }
  const auto planned = [&](const std::vector<search::CudaLaunch>& some) {
    return plan_launches(cuda_, task.which, task.configuration, setting_.gpu, some);
  };
  std::vector<PlannedLaunch> launches = planned(cuda_.reference_launches);
  std::ranges::move(planned(cuda_.prepare), std::back_inserter(launches));
  return launches;
}

CudaCompiler::Unit CudaCompiler::unit_of(const Task& task, CudaWay way) const {
  const search::CudaSource& source = source_of(task);
  std::vector<PlannedLaunch> launches = launches_of(task);
  const search::ToldNames told = told_names(cuda_, task.which, task.configuration);
  TellingSource telling(cuda_, functions_of(launches), told);
  return {source,
          way,
          search::substituted(cuda_.compiler_word, task.configuration),
          std::move(telling),
          compile_options(
              {cuda_, source, task.which, task.configuration, setting_.gpu.architecture}, way),
          std::move(launches)};
}

ArtifactPack CudaCompiler::compile(const Task& task, ProgressSink& progress) {
  Way& way = ways_[source_of(task).file];
  if (!way.settled && first_way(cuda_) == CudaWay::kNvcc) way = {CudaWay::kNvcc, true, ""};
  if (way.settled) return compile_by(task, way, progress);
  try {
    return compile_by(task, way, progress);
  } catch (const WrongKernel&) {
    throw;
  } catch (const std::runtime_error& e) {
    settle(task, e.what(), way, progress);
    if (way.kind == CudaWay::kNvrtc) throw;
  }
  return compile_by(task, way, progress);
}

// By the first way that compiles the baseline.
void CudaCompiler::settle(const Task& failed, const std::string& error, Way& way,
                          ProgressSink& progress) {
  const search::Configuration baseline = search::resolved(setting_.problem, {});
  const Task task{failed.reference, 0, baseline};
  std::vector<CudaWay> kinds = {CudaWay::kNvrtc, CudaWay::kDevice};
  if (takes_nvcc(cuda_)) kinds.push_back(CudaWay::kNvcc);
  std::string shown = error, why;
  for (const CudaWay kind : kinds) {
    Way tried{kind, true, why};
    try {
      compile_by(task, tried, progress);
      way = std::move(tried);
      return;
    } catch (const WrongKernel&) {
      throw;
    } catch (const std::runtime_error& e) {
      // Of a source that lacks a header NVRTC says no more than that.
      const bool says_more = kind != CudaWay::kDevice || !missing_header(shown).empty();
      if (says_more) shown = e.what();
      if (kind == CudaWay::kNvrtc) why = first_line_of(e.what());
    }
  }
  way.settled = true;
  throw ExplainedError(first_errors(shown));
}

ArtifactPack CudaCompiler::compile_by(const Task& task, const Way& way, ProgressSink& progress) {
  const Unit unit = unit_of(task, way.kind);
  const std::vector<std::string> functions = functions_of(unit.launches);
  const std::string key = cache_key(compiler(way.kind, unit.word, progress), unit);
  const auto checked = [&](ArtifactPack pack) {
    const PackedModule& module = pack.modules.front();
    check_parameters(kernels_of(module.cubin), {module.functions, module.symbols}, unit.launches,
                     argument_bytes(cuda_));
    return pack;
  };
  if (const auto kept = cache_.find(key)) {
    try {
      ArtifactPack found = unpack(*kept);
      if (found.modules.size() == 1 && found.modules.front().functions == functions) {
        return checked(std::move(found));
      }
    } catch (const WrongKernel&) {
      throw;
    } catch (const std::runtime_error&) {
      // A damaged file of the cache is compiled anew, and replaced.
    }
  }
  const auto start = Clock::now();
  ArtifactPack compiled;
  try {
    compiled.modules.push_back(compile_now(unit, progress));
  } catch (const WrongKernel&) {
    throw;
  } catch (const std::runtime_error& e) {
    const search::ToldNames told = told_names(cuda_, task.which, task.configuration);
    const std::string cause = clash_of(cuda_, unit.source.file, told, unit.options, e.what());
    if (cause.empty()) throw;
    throw ExplainedError(cause + first_errors(e.what()));
  }
  PackedModule& module = compiled.modules.back();
  module.functions = functions;
  if (!way.why.empty()) module.remarks = way_words(way.kind, way.why, module.remarks);
  compiled.build_seconds = seconds_since(start);
  cache_.store(key, pack(compiled));
  return checked(std::move(compiled));
}

PackedModule CudaCompiler::compile_now(const Unit& unit, ProgressSink& progress) {
  std::vector<std::string> expressions = expressions_among(unit.telling.functions);
  const auto make = [&] {
    return unit.way == CudaWay::kNvcc ? by_nvcc(unit, expressions, progress)
                                      : by_nvrtc(unit, expressions);
  };
  PackedModule module = make();
  const std::size_t known = expressions.size();
  for (std::size_t i = 0; i < module.symbols.size(); ++i) {
    if (module.symbols[i].empty()) expressions.push_back(unit.telling.functions[i]);
  }
  // A compiler leaves out a static kernel that nobody names.
  if (expressions.size() > known) module = make();
  for (std::size_t i = 0; i < module.symbols.size(); ++i) {
    if (!module.symbols[i].empty()) continue;
    throw WrongKernel(no_such_kernel(unit.telling.functions[i], unit.telling.text_of(unit.source),
                                     fs::path(unit.source.file).filename().string()));
  }
  return module;
}

NvrtcProgram CudaCompiler::program_of(const Unit& unit,
                                      const std::vector<std::string>& expressions) {
  NvrtcProgram program;
  program.text = unit.telling.text_of(unit.source);
  program.file = unit.source.file;
  program.options = unit.options;
  program.word = unit.word;
  program.expressions = expressions;
  const std::vector<std::string> toolkit = toolkit_include_folders(unit.word);
  if (unit.way == CudaWay::kDevice) {
    DeviceView view = device_view(program.text, program.file, program.options, toolkit);
    program.text = std::move(view.text);
    program.headers = std::move(view.headers);
  }
  for (const std::string& folder : toolkit) program.options.push_back("-I" + folder);
  return program;
}

PackedModule CudaCompiler::by_nvrtc(const Unit& unit, const std::vector<std::string>& expressions) {
  const CompiledKernels compiled =
      compiled_unit(program_of(unit, expressions), unit.way == CudaWay::kDevice);
  PackedModule module;
  const std::vector<CubinKernel> kernels = kernels_of(compiled.cubin);
  for (const std::string& function : unit.telling.functions) {
    const auto named = compiled.names.find(function);
    std::string symbol = function;  // of machine code that tells no names
    if (named != compiled.names.end()) {
      symbol = named->second;
    } else if (!kernels.empty()) {
      symbol = symbol_of(kernels, function).value_or("");
    }
    module.symbols.push_back(std::move(symbol));
  }
  module.cubin = compiled.cubin;
  module.remarks = performance_remarks(compiled.log);
  return module;
}

PackedModule CudaCompiler::by_nvcc(const Unit& unit, const std::vector<std::string>& marked,
                                   ProgressSink& progress) {
  PackedModule module;
  std::string said;
  module.cubin = made_by_nvcc(unit, marked, progress, said);
  module.remarks = performance_remarks(said);
  const std::vector<CubinKernel> kernels = kernels_of(module.cubin);
  for (const std::string& function : unit.telling.functions) {
    const auto mark = std::ranges::find(marked, function);
    std::string symbol = function;
    if (mark != marked.end()) {
      symbol = marked_symbol(kernels, static_cast<std::size_t>(mark - marked.begin())).value_or("");
    } else if (!kernels.empty()) {
      symbol = symbol_of(kernels, function).value_or("");
    }
    module.symbols.push_back(std::move(symbol));
  }
  return module;
}

std::string CudaCompiler::file_for_nvcc(const Unit& unit,
                                        const std::vector<std::string>& marked) const {
  const std::string& file = unit.source.file;
  if (marked.empty() && !unit.telling.changes_source()) return file;
  std::string text = "#include \"" + file + "\"\n";
  if (unit.telling.changes_source()) {
    text = "#line 1 \"" + file + "\"\n" + unit.telling.text_of(unit.source);
  }
  const std::string made = (fs::path(setting_.scratch_folder) / kUnitName).string();
  base::write_whole_file(made, text + (marked.empty() ? "" : marks_of(marked)));
  return made;
}

std::string CudaCompiler::made_by_nvcc(const Unit& unit, const std::vector<std::string>& marked,
                                       ProgressSink& progress, std::string& said) {
  const fs::path folder = setting_.scratch_folder;
  const fs::path made = folder / kMadeName;
  fs::remove(made);
  std::vector<std::string> program = {compiler(CudaWay::kNvcc, unit.word, progress).program};
  program.insert(program.end(), unit.options.begin(), unit.options.end());
  if (!unit.telling.definitions.empty()) {
    base::write_whole_file((folder / kNamesName).string(), unit.telling.definitions);
    program.insert(program.end(), {"-include", (folder / kNamesName).string()});
  }
  program.insert(program.end(), {file_for_nvcc(unit, marked), "-o", made.string()});
  const std::string complaint = run_compiler(setting_, program, progress, nullptr, &said);
  if (complaint.empty()) return base::read_whole_file(made.string());
  if (const auto which = wrong_mark(complaint, marked.size())) {
    throw ExplainedError(no_such_kernel(marked[*which], unit.telling.text_of(unit.source),
                                        fs::path(unit.source.file).filename().string()));
  }
  throw std::runtime_error(complaint);
}

std::string CudaCompiler::ptx(const Task& task, ProgressSink& progress) {
  compile(task, progress);  // which settles the way
  Unit unit = unit_of(task, ways_[source_of(task).file].kind);
  const std::vector<std::string> expressions = expressions_among(unit.telling.functions);
  if (unit.way == CudaWay::kNvcc) {
    std::string said;
    std::ranges::replace(unit.options, std::string(kCubinOption), std::string("-ptx"));
    return made_by_nvcc(unit, expressions, progress, said);
  }
  return ptx_of_unit(program_of(unit, expressions), unit.way == CudaWay::kDevice);
}

const CudaCompiler::FoundCompiler& CudaCompiler::compiler(CudaWay way, const std::string& word,
                                                          ProgressSink& progress) {
  const bool nvcc = way == CudaWay::kNvcc;
  const std::string key = (nvcc ? "nvcc:" : "nvrtc:") + word;
  const auto known = compilers_.find(key);
  if (known != compilers_.end()) return known->second;
  FoundCompiler found;
  if (nvcc) {
    found = found_nvcc(word, progress);
  } else {
    limit_memory(setting_.problem.limits.memory_bytes);
    found.identity = nvrtc_identity(word);
  }
  return compilers_.emplace(key, std::move(found)).first->second;
}

CudaCompiler::FoundCompiler CudaCompiler::found_nvcc(const std::string& word,
                                                     ProgressSink& progress) const {
  FoundCompiler found;
  if (word.empty() || word.find('/') != std::string::npos) {
    found.program = word.empty() ? usual_nvcc() : word;
    found.identity = said_version(found.program, progress);
    return found;
  }
  std::string others;
  for (const std::string& program : nvcc_programs()) {
    const std::string said = said_version(program, progress);
    const std::string version = version_of_nvcc(said);
    if (found.program.empty() && is_version(version, word)) found = {program, said};
    others += (others.empty() ? "" : ", ") + version + " (" + program + ")";
  }
  if (!found.program.empty()) return found;
  throw std::runtime_error("there is no nvcc " + word +
                           (others.empty() ? ", nor another one" : "; found: " + others));
}

std::string CudaCompiler::said_version(const std::string& nvcc, ProgressSink& progress) const {
  std::string words;
  const std::string complaint = run_compiler(setting_, {nvcc, "--version"}, progress, &words);
  if (!complaint.empty()) throw std::runtime_error(nvcc + ": " + complaint);
  return words;
}

std::string CudaCompiler::cache_key(const FoundCompiler& compiler, const Unit& unit) {
  std::string text = compiler.identity + "\n" + unit.telling.definitions;
  if (unit.way == CudaWay::kDevice) text += stub_headers().front().second;
  for (const auto& [name, value] : unit.telling.values) {
    text += name + "=" + search::to_text(value) + "\n";
  }
  for (const std::string& function : unit.telling.functions) text += function + "\n";
  for (const std::string& option : unit.options) {
    if (!option.starts_with("-I")) text += option + "\n";
  }
  return base::content_hash(text + hash_of_source(unit.source.file, unit.options));
}

}  // namespace nightshift::evaluator::cuda
