#include "evaluator/host_builder.h"

#include <unistd.h>
#include <xxhash.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "evaluator/host_wrapper.h"
#include "evaluator/launched_child.h"
#include "ipc/orphans.h"
#include "search/value.h"

namespace nightshift::evaluator {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWrapperName = "wrapper.cc";
constexpr const char* kObjectName = "kernel.so";
constexpr std::size_t kCompilerOutputBytes = 256 << 10;

const search::FlagParameter* flag_parameter(const search::HostBackend& host,
                                            std::string_view name) {
  for (const search::FlagParameter& flag : host.flag_parameters) {
    if (flag.parameter == name) return &flag;
  }
  return nullptr;
}

// `pattern` with each {} replaced, split at blanks; nothing for an empty value.
void append_options(const std::string& pattern, const std::string& value,
                    std::vector<std::string>& options) {
  if (value.empty()) return;
  std::string text;
  for (std::size_t at = 0; at < pattern.size();) {
    const bool hole = pattern.compare(at, 2, "{}") == 0;
    text += hole ? value : pattern.substr(at, 1);
    at += hole ? 2 : 1;
  }
  std::size_t begin = 0;
  while ((begin = text.find_first_not_of(' ', begin)) != std::string::npos) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    options.push_back(text.substr(begin, end - begin));
    begin = end;
  }
}

// Which source a build is of. The reference and a baseline of its own are not tuned: flag
// parameters do not concern them, macros do (they may share a file with the kernel).
struct Job {
  const search::HostSource* source = nullptr;
  bool reference = false;
};

Job job_for(const search::HostBackend& host, const ipc::BuildRequest& request) {
  if (request.target == ipc::BuildTarget::kReference) return {&host.reference, true};
  if (request.configuration.is_baseline() && !host.baseline.file.empty()) {
    return {&host.baseline, false};
  }
  return {&host.kernel, false};
}

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(in), {}};
  if (!in && !in.eof()) throw std::runtime_error("cannot read " + path.string());
  return bytes;
}

void write_file(const fs::path& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  if (!out) throw std::runtime_error("cannot write " + path.string() + ": is the disk full?");
}

std::string hash_of(const std::string& bytes) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes.data(), bytes.size()));
  std::string hex;
  for (const unsigned char byte : canonical.digest) {
    std::array<char, 3> digits{};
    std::snprintf(digits.data(), digits.size(), "%02x", byte);
    hex += digits.data();
  }
  return hex;
}

}  // namespace

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
  for (const auto& [name, value] : configuration.entries()) {
    const search::FlagParameter* flag = flag_parameter(host, name);
    if (flag == nullptr) {
      arguments.push_back("-D" + name + "=" + search::to_text(value));
    } else if (source == host.kernel) {
      append_options(flag->pattern, search::to_text(value), options);
    }
  }
  arguments.insert(arguments.end(), options.begin(), options.end());
  const std::string source_folder = fs::path(source.file).parent_path().string();
  for (const char* last : {"-g0", "-Wl,--build-id=none", "-Wl,-s", "-frandom-seed=nightshift"}) {
    arguments.emplace_back(last);
  }
  arguments.push_back("-ffile-prefix-map=" + source_folder + "=.");
  arguments.push_back("-ffile-prefix-map=" + scratch_folder + "=.");
  return arguments;
}

std::string first_errors(std::string_view output) {
  for (std::size_t begin = 0; begin < output.size();) {
    const std::size_t end = std::min(output.find('\n', begin), output.size());
    const std::string_view line = output.substr(begin, end - begin);
    for (const std::string_view sign : {"error: ", "undefined reference", "cannot find -l"}) {
      if (line.find(sign) != std::string_view::npos) {
        return head_of(std::string(output.substr(begin)), kLastWordsBytes);
      }
    }
    begin = end + 1;
  }
  return head_of(std::string(output), kLastWordsBytes);
}

std::string HostBuilder::compile(const std::vector<std::string>& arguments,
                                 ProgressSink& progress) const {
  const search::Limits& limits = setting_.problem.limits;
  LaunchOptions options;
  options.launcher = setting_.launcher;
  options.program = {std::get<search::HostBackend>(setting_.problem.backend).compiler};
  options.program.insert(options.program.end(), arguments.begin(), arguments.end());
  // Temporary files go where they are removed with us; messages and __DATE__ do not vary.
  options.environment = {
      {"TMPDIR", setting_.scratch_folder}, {"LC_ALL", "C"}, {"SOURCE_DATE_EPOCH", "0"}};
  options.directory = setting_.scratch_folder;
  options.limits.address_space = limits.memory_bytes;
  options.output_bytes = kCompilerOutputBytes;

  ipc::ChildProcess compiler = launch(options);
  const auto report =
      wait_for_end(compiler, after(Clock::now(), own_share_of(limits.build)), progress);
  ipc::sweep_orphans({});
  if (!report) {
    return "the compiler took longer than limits.build, " +
           search::to_text(search::Value(limits.build)) + " s";
  }
  const std::string words = compiler.standard_error();
  if (const std::string complaint = launch_complaint(*report, words); !complaint.empty()) {
    return "the compiler cannot be started: " + complaint;
  }
  const auto* exited = std::get_if<ipc::Exited>(&*report);
  if (exited != nullptr && exited->code == 0) return {};
  const std::string errors = first_errors(words);
  return errors.empty() ? "the compiler failed without a word: " + ipc::describe(*report) : errors;
}

ipc::Artifact HostBuilder::store() const {
  const fs::path object = fs::path(setting_.scratch_folder) / kObjectName;
  const std::string bytes = read_file(object);
  ipc::Artifact artifact;
  artifact.hash = hash_of(bytes);
  artifact.bytes = bytes.size();
  const fs::path place = fs::path(setting_.artifact_folder) / (artifact.hash + ".so");
  artifact.path = place.string();
  std::error_code error;
  fs::rename(object, place, error);
  if (error == std::errc::cross_device_link) {
    const fs::path beside = place.string() + "." + std::to_string(::getpid());
    write_file(beside, bytes);
    fs::rename(beside, place, error);
    fs::remove(object);
  }
  if (error) throw std::system_error(error, "cannot keep the artifact " + place.string());
  return artifact;
}

ipc::BuiltReply HostBuilder::build(const ipc::BuildRequest& request, ProgressSink& progress) {
  const auto start = Clock::now();
  const auto& host = std::get<search::HostBackend>(setting_.problem.backend);
  const Job job = job_for(host, request);
  if (job.source->file.empty()) {
    return {search::BuildFailed{"the problem names no source for this"}, 0};
  }
  const fs::path scratch = setting_.scratch_folder;
  fs::remove(scratch / kObjectName);
  write_file(scratch / kWrapperName,
             wrapper_source(job.source->function, host.arguments, job.reference));
  const search::Configuration configuration =
      search::resolved(setting_.problem, request.configuration);
  const std::string complaint = compile(
      compiler_arguments(host, *job.source, configuration, setting_.scratch_folder), progress);
  if (!complaint.empty()) return {search::BuildFailed{complaint}, seconds_since(start)};
  const ipc::Artifact artifact = store();
  return {artifact, seconds_since(start)};
}

}  // namespace nightshift::evaluator
