#include "evaluator/host/host_builder.h"

#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "base/content_hash.h"
#include "base/file_text.h"
#include "evaluator/host/host_wrapper.h"
#include "evaluator/host/source_language.h"
#include "evaluator/process/artifact_path.h"
#include "evaluator/process/compiler_run.h"
#include "evaluator/process/launched_child.h"
#include "evaluator/process/told_names.h"
#include "search/value.h"

namespace nightshift::evaluator {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWrapperName = "wrapper.cc";
constexpr const char* kCWrapperName = "wrapper.c";
constexpr const char* kNamesName = "names.h";
constexpr const char* kObjectName = "kernel.so";

using search::SourceLanguage;

// C and C++ stand in front of their wrapper, so that the compiler can inline the function and check
// the call; other languages are compiled beside one in C.
void append_sources(const search::HostBackend& host, const search::HostSource& source,
                    std::vector<std::string>& arguments) {
  const SourceLanguage language = language_of_file(source.file);
  const bool in_front = language == SourceLanguage::kCpp || language == SourceLanguage::kC;
  if (in_front && host.names == search::SourceNames::kConstants) {
    arguments.insert(arguments.end(), {"-include", kNamesName});
  }
  if (in_front) arguments.insert(arguments.end(), {"-include", source.file});
  if (language == SourceLanguage::kCpp) {
    arguments.emplace_back(kWrapperName);
    return;
  }
  // A C++ driver takes a .c file for C++ unless it is told.
  arguments.insert(arguments.end(), {"-x", "c", kCWrapperName, "-x", "none"});
  if (language == SourceLanguage::kC) {
    arguments.insert(arguments.end(), {"-Werror=incompatible-pointer-types",
                                       "-Werror=implicit-function-declaration"});
    return;
  }
  if (language == SourceLanguage::kFortran) arguments.emplace_back("-cpp");
  arguments.push_back(source.file);
}

}  // namespace

// The reference and a baseline of its own are not tuned: flag parameters do not concern them,
// macros do (they may share a file with the kernel).
const search::HostSource& source_of(const search::HostBackend& host,
                                    const ipc::BuildRequest& request) {
  if (request.target == ipc::BuildTarget::kReference) return host.reference;
  if (request.configuration.is_baseline() && !host.baseline.file.empty()) return host.baseline;
  return host.kernel;
}

search::ToldNames told_names(const search::HostBackend& host,
                             const search::Configuration& configuration) {
  search::ToldNames told;
  for (const auto& [name, value] : host.sizes) told.emplace_back(name, search::Value(value));
  std::vector<std::string> ignored;
  append_parameters(host.compiler, configuration, host.flag_parameters, false, told, ignored);
  return told;
}

std::vector<std::string> compiler_arguments(const search::HostBackend& host,
                                            const search::HostSource& source,
                                            const search::Configuration& configuration,
                                            const std::string& scratch_folder) {
  std::vector<std::string> arguments = {"-O2", "-fPIC", "-shared", "-fvisibility=hidden"};
  append_sources(host, source, arguments);
  arguments.insert(arguments.end(), {"-o", kObjectName});
  search::ToldNames told;
  for (const auto& [name, value] : host.sizes) told.emplace_back(name, search::Value(value));
  std::vector<std::string> options = source.flags;  // behind the source: some are libraries
  append_parameters(host.compiler, configuration, host.flag_parameters, source == host.kernel, told,
                    options);
  if (host.names == search::SourceNames::kMacros) append_macros(told, arguments);
  arguments.insert(arguments.end(), options.begin(), options.end());
  const std::string source_folder = fs::path(source.file).parent_path().string();
  for (const char* last : {"-g0", "-Wl,--build-id=none", "-Wl,-s", "-frandom-seed=nightshift"}) {
    arguments.emplace_back(last);
  }
  arguments.push_back("-ffile-prefix-map=" + source_folder + "=.");
  arguments.push_back("-ffile-prefix-map=" + scratch_folder + "=.");
  return arguments;
}

ipc::Artifact HostBuilder::store() const {
  const fs::path object = fs::path(setting_.scratch_folder) / kObjectName;
  const std::string bytes = base::read_whole_file(object.string());
  ipc::Artifact artifact;
  artifact.hash = base::content_hash(bytes);
  artifact.bytes = bytes.size();
  const fs::path place = kept_path(setting_.artifact_folder, artifact.hash);
  std::error_code error;
  if (fs::is_directory(place, error)) fs::remove_all(place);  // not what it was
  fs::rename(object, place, error);
  if (error == std::errc::cross_device_link) {
    base::write_whole_file(place.string(), bytes);
    fs::remove(object, error);
  }
  if (error) throw std::system_error(error, "cannot keep the artifact " + place.string());
  return artifact;
}

void HostBuilder::write_generated(const search::HostSource& source, const search::ToldNames& told,
                                  bool is_reference) const {
  const fs::path scratch = setting_.scratch_folder;
  fs::remove(scratch / kObjectName);
  const auto& host = std::get<search::HostBackend>(setting_.problem.backend);
  const SourceLanguage language = language_of_file(source.file);
  const bool is_cpp = language == SourceLanguage::kCpp;
  if (host.names == search::SourceNames::kConstants) {
    using search::ConstantsOf;
    base::write_whole_file(
        (scratch / kNamesName).string(),
        search::constant_definitions(told, is_cpp ? ConstantsOf::kCpp : ConstantsOf::kC));
  }
  if (is_cpp) {
    const bool replaced = host.names != search::SourceNames::kMacros;
    const std::string function =
        replaced ? search::with_values(source.function, told) : source.function;
    base::write_whole_file((scratch / kWrapperName).string(),
                           wrapper_source(function, host.arguments, is_reference));
    return;
  }
  base::write_whole_file((scratch / kCWrapperName).string(),
                         c_wrapper_source(source.function, host.arguments, is_reference,
                                          language == SourceLanguage::kC ? Declared::kBySource
                                                                         : Declared::kByWrapper));
}

ipc::BuiltReply HostBuilder::build(const ipc::BuildRequest& request, ProgressSink& progress) {
  const auto start = Clock::now();
  const auto& host = std::get<search::HostBackend>(setting_.problem.backend);
  const search::HostSource& source = source_of(host, request);
  if (source.file.empty()) {
    return {search::BuildFailed{"the problem names no source for this"}, 0};
  }
  const search::Configuration configuration =
      search::resolved(setting_.problem, request.configuration);
  const std::string compiler = compiler_program(host, source, configuration);
  if (std::string why = language_complaint(source, compiler); !why.empty()) {
    return {search::BuildFailed{std::move(why)}, seconds_since(start)};
  }
  const search::ToldNames told = told_names(host, configuration);
  write_generated(source, told, request.target == ipc::BuildTarget::kReference);
  std::vector<std::string> program =
      compiler_arguments(host, source, configuration, setting_.scratch_folder);
  program.insert(program.begin(), compiler);
  const std::string complaint = run_compiler(setting_, program, progress);
  if (!complaint.empty()) {
    const bool macros = host.names == search::SourceNames::kMacros;
    std::string cause = macros ? macro_clash(told, source.file, program, "host") : "";
    if (cause.empty()) {
      cause = overload_clash(source.function, host.arguments,
                             request.target == ipc::BuildTarget::kReference, complaint);
    }
    return {search::BuildFailed{cause + complaint}, seconds_since(start)};
  }
  const ipc::Artifact artifact = store();
  return {artifact, seconds_since(start)};
}

}  // namespace nightshift::evaluator
