#include "evaluator/machine_code.h"

#include <fcntl.h>
#include <unistd.h>

#include <exception>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <utility>
#include <variant>
#include <vector>

#include "base/file_text.h"
#include "evaluator/cuda/build/cuda_builder.h"
#include "evaluator/cuda/driver/toolkits.h"
#include "evaluator/cuda/launch/artifact_pack.h"
#include "evaluator/host/build/host_builder.h"
#include "evaluator/host/build/source_language.h"
#include "evaluator/host/kernel_threads.h"
#include "evaluator/process/artifact_path.h"
#include "evaluator/process/compiler_run.h"
#include "evaluator/process/launched_child.h"
#include "evaluator/process/outside_kills.h"
#include "evaluator/process/program_path.h"
#include "ipc/unique_fd.h"

namespace nightshift::evaluator {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStripAll = "-Wl,-s";
constexpr const char* kObjectName = "kernel.so";
constexpr std::uintmax_t kMostListing = 256U << 20;

// What the program prints, by way of a file: longer than what is kept of a child in memory.
std::string printed_by(const ipc::ConfigureRequest& setting,
                       const std::vector<std::string>& program) {
  const std::string path = (fs::path(setting.scratch_folder) / "listing").string();
  const auto deadline = after(Clock::now(), setting.problem.limits.build);
  Unwatched unwatched;
  OutsideKills kills;
  std::optional<ipc::ExitReport> report;
  std::string words;
  do {
    const ipc::UniqueFd file(::open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600));
    if (file.get() < 0) throw std::runtime_error("cannot write " + path);
    LaunchOptions options;
    options.program = program;
    options.environment = {{"LC_ALL", "C"}};
    options.directory = setting.scratch_folder;
    options.standard_output = file.get();
    ipc::ChildProcess child = launch(options);
    report = wait_for_end(child, deadline, unwatched);
    if (!report) throw std::runtime_error(program.front() + " took longer than limits.build");
    words = child.standard_error();
  } while (kills.again(*report, words, deadline, unwatched));
  const auto* exited = std::get_if<ipc::Exited>(&*report);
  if (exited == nullptr || exited->code != 0) {
    const std::string killed = kills.told(program.front());
    throw std::runtime_error((killed.empty() ? program.front() + ": " : killed) +
                             ipc::describe(*report) + ": " + head_of(words, kLastWordsBytes));
  }
  if (fs::file_size(path) > kMostListing) {
    throw std::runtime_error("the listing of " + program.front() + " is larger than 256 MiB");
  }
  return base::read_whole_file(path);
}

// False where it could not be built, which `code` then says.
bool take(const ipc::BuiltReply& reply, MachineCode& code) {
  if (const auto* failed = std::get_if<search::BuildFailed>(&reply.result)) {
    code.complaint = failed->message;
    return false;
  }
  if (const auto* held = std::get_if<search::TimedOut>(&reply.result)) {
    code.complaint = search::describe(*held);
    return false;
  }
  code.hash = std::get<ipc::Artifact>(reply.result).hash;
  return true;
}

// The artifact is linked without names. Linked again with them, its code is the same.
MachineCode of_host(const ipc::ConfigureRequest& setting, const search::HostBackend& host,
                    const ipc::BuildRequest& request) {
  MachineCode code;
  Unwatched unwatched;
  HostBuilder builder(setting);
  if (!take(builder.build(request, unwatched), code)) return code;
  const fs::path artifact = artifact_path(setting.artifact_folder, code.hash);
  const auto objdump = find_program("objdump");
  if (!objdump) {
    code.untold = "there is no objdump on PATH (Debian's package binutils has it)";
    return code;
  }
  for (std::size_t i = 0; i < host.cases.size(); ++i) {
    std::vector<std::string> program = builder.prepare(request, i);
    std::erase(program, kStripAll);
    if (const std::string why = builder.compile(program, unwatched); !why.empty()) {
      throw std::runtime_error("what was compiled once cannot be compiled again: " + why);
    }
    Disassembly part;
    part.name = host.cases.size() == 1 ? kObjectName : search::words_of(host.cases[i]);
    part.bytes = fs::file_size(library_of(host, artifact, i));
    part.code = printed_by(
        setting, {objdump->string(), "-d", "-w", "-C", "--no-show-raw-insn", kObjectName});
    code.parts.push_back(std::move(part));
  }
  return code;
}

// The PTX of the cases, in their order.
void add_ptx(cuda::CudaBuilder& builder, const search::CudaBackend& cuda,
             const search::Configuration& configuration, MachineCode& code) {
  Unwatched unwatched;
  try {
    for (std::size_t i = 0; i < cuda.cases.size(); ++i) {
      Disassembly part;
      part.name = search::words_of(cuda.cases[i]);
      part.code = builder.ptx(configuration, i, unwatched);
      part.bytes = part.code.size();
      code.parts.push_back(std::move(part));
    }
  } catch (const std::runtime_error& why) {
    code.untold = why.what();
  }
}

MachineCode of_cuda(const ipc::ConfigureRequest& setting, const search::CudaBackend& cuda,
                    const ipc::BuildRequest& request, CodeForm form) {
  MachineCode code;
  Unwatched unwatched;
  cuda::CudaBuilder builder(setting);
  if (!take(builder.build(request, unwatched), code)) return code;
  if (form == CodeForm::kPtx) {
    add_ptx(builder, cuda, request.configuration, code);
    return code;
  }
  const std::string cuobjdump = cuda::toolkit_program("cuobjdump");
  if (cuobjdump.empty()) {
    code.untold =
        "there is no cuobjdump on PATH, in CUDA_HOME, CUDA_PATH or /usr/local/cuda (a CUDA toolkit "
        "has it)";
  }
  const cuda::ArtifactPack pack = cuda::unpack(
      base::read_whole_file(artifact_path(setting.artifact_folder, code.hash).string()));
  const std::string cubin = (fs::path(setting.scratch_folder) / "part.cubin").string();
  for (std::size_t i = 0; i < pack.modules.size(); ++i) {
    Disassembly part;
    part.name = search::words_of(cuda.cases.at(i));
    part.bytes = pack.modules[i].cubin.size();
    if (!cuobjdump.empty()) {
      base::write_whole_file(cubin, pack.modules[i].cubin);
      part.code = printed_by(setting, {cuobjdump, "-sass", cubin});
      part.resources = printed_by(setting, {cuobjdump, "-res-usage", cubin});
    }
    code.parts.push_back(std::move(part));
  }
  return code;
}

}  // namespace

MachineCode machine_code(const ipc::ConfigureRequest& setting,
                         const search::Configuration& configuration, CodeForm form) {
  const ipc::BuildRequest request{ipc::BuildTarget::kCandidate, configuration};
  const auto& backend = setting.problem.backend;
  if (const auto* host = std::get_if<search::HostBackend>(&backend)) {
    return of_host(setting, *host, request);
  }
  if (const auto* cuda = std::get_if<search::CudaBackend>(&backend)) {
    return of_cuda(setting, *cuda, request, form);
  }
  throw std::runtime_error(
      "machine code is known of [host] and [cuda] problems; how a program makes its own is not");
}

FirstBuild first_build(const ipc::ConfigureRequest& setting) {
  const auto& host = std::get<search::HostBackend>(setting.problem.backend);
  HostBuilder builder(setting);
  Unwatched unwatched;
  FirstBuild first;
  std::vector<std::pair<ipc::BuildTarget, const char*>> builds;
  if (!host.reference.file.empty()) {
    builds.emplace_back(ipc::BuildTarget::kReference, "the reference");
  }
  builds.emplace_back(ipc::BuildTarget::kCandidate, "the baseline");
  for (const auto& [target, name] : builds) {
    MachineCode code;
    try {
      if (!take(builder.build({target, {}}, unwatched), code)) return {name, code.complaint};
      if (target != ipc::BuildTarget::kCandidate) continue;
      first.threads = threads_of(artifact_path(setting.artifact_folder, code.hash));
    } catch (const std::exception& error) {
      return {name, error.what()};
    }
  }
  return first;
}

}  // namespace nightshift::evaluator
