#include "evaluator/host/host_builder.h"

#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "evaluator/host/host_wrapper.h"
#include "evaluator/process/artifact_path.h"
#include "evaluator/process/compiler_run.h"
#include "evaluator/process/content_hash.h"
#include "evaluator/process/file_text.h"
#include "evaluator/process/launched_child.h"
#include "search/substitution.h"
#include "search/value.h"

namespace nightshift::evaluator {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWrapperName = "wrapper.cc";
constexpr const char* kObjectName = "kernel.so";

}  // namespace

// The reference and a baseline of its own are not tuned: flag parameters do not concern them, macros
// do (they may share a file with the kernel).
const search::HostSource& source_of(const search::HostBackend& host,
                                    const ipc::BuildRequest& request) {
  if (request.target == ipc::BuildTarget::kReference) return host.reference;
  if (request.configuration.is_baseline() && !host.baseline.file.empty()) return host.baseline;
  return host.kernel;
}

std::vector<std::string> compiler_arguments(const search::HostBackend& host,
                                            const search::HostSource& source,
                                            const search::Configuration& configuration,
                                            const std::string& scratch_folder) {
  std::vector<std::string> arguments = {
      "-O2",        "-fPIC", "-shared",  "-fvisibility=hidden", "-include", source.file,
      kWrapperName, "-o",    kObjectName};
  for (const auto& [name, value] : host.sizes) {
    arguments.push_back("-D" + name + "=" + std::to_string(value));
  }
  std::vector<std::string> options = source.flags;  // behind the source: some are libraries
  append_parameters(host.compiler, configuration, host.flag_parameters, source == host.kernel,
                    arguments, options);
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
  const std::string bytes = read_whole_file(object.string());
  ipc::Artifact artifact;
  artifact.hash = content_hash(bytes);
  artifact.bytes = bytes.size();
  const fs::path place = artifact_path(setting_.artifact_folder, artifact.hash);
  std::error_code error;
  fs::rename(object, place, error);
  if (error == std::errc::cross_device_link) {
    write_whole_file(place.string(), bytes);
    fs::remove(object, error);
  }
  if (error) throw std::system_error(error, "cannot keep the artifact " + place.string());
  return artifact;
}

ipc::BuiltReply HostBuilder::build(const ipc::BuildRequest& request, ProgressSink& progress) {
  const auto start = Clock::now();
  const auto& host = std::get<search::HostBackend>(setting_.problem.backend);
  const search::HostSource& source = source_of(host, request);
  if (source.file.empty()) {
    return {search::BuildFailed{"the problem names no source for this"}, 0};
  }
  const fs::path scratch = setting_.scratch_folder;
  fs::remove(scratch / kObjectName);
  write_whole_file((scratch / kWrapperName).string(),
                   wrapper_source(source.function, host.arguments,
                                  request.target == ipc::BuildTarget::kReference));
  const search::Configuration configuration =
      search::resolved(setting_.problem, request.configuration);
  std::vector<std::string> program =
      compiler_arguments(host, source, configuration, setting_.scratch_folder);
  program.insert(program.begin(), search::substituted(host.compiler, configuration));
  const std::string complaint = run_compiler(setting_, program, progress);
  if (!complaint.empty()) return {search::BuildFailed{complaint}, seconds_since(start)};
  const ipc::Artifact artifact = store();
  return {artifact, seconds_since(start)};
}

}  // namespace nightshift::evaluator
