#include "scheduler/pool/worker_launch.h"

#include <dirent.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <system_error>

#include "ipc/cores.h"
#include "ipc/messages.h"
#include "ipc/orphans.h"
#include "ipc/system_call.h"

namespace nightshift::scheduler {
namespace {

// A folder that goes away again unless it is kept.
class NewFolder {
 public:
  explicit NewFolder(std::string path) : path_(std::move(path)) {
    // A cleaner of old files may have taken what it stands in.
    std::error_code ignored;
    std::filesystem::create_directories(std::filesystem::path(path_).parent_path(), ignored);
    if (::mkdir(path_.c_str(), 0700) != 0) ipc::throw_errno("mkdir " + path_);
  }
  ~NewFolder() {
    if (!path_.empty()) ::rmdir(path_.c_str());
  }
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;
  const std::string& path() const { return path_; }
  std::string keep() { return std::exchange(path_, {}); }

 private:
  std::string path_;
};

}  // namespace

LaunchedWorker launch_worker(const WorkerSetup& setup, const Placement& placement) {
  std::uint64_t epoch = 0;
  ipc::fill_random(&epoch, sizeof epoch);
  ipc::ParentMailbox mailbox = ipc::ParentMailbox::create(epoch);
  NewFolder scratch(setup.scratch_folder + "/worker-" + std::to_string(epoch));

  ipc::SpawnOptions options;
  options.program = setup.program;
  options.arguments = setup.arguments;
  for (const std::string& argument :
       {std::string("--evaluator"), std::to_string(::getpid()), std::to_string(epoch),
        ipc::core_argument(placement.cores), std::string(placement.idle_priority ? "1" : "0"),
        // Limits::memory_bytes binds the compilers and commands that the child starts, not the
        // child.
        std::string("0")}) {
    options.arguments.push_back(argument);
  }
  options.environment = {{ipc::kRunMark, setup.run_mark}, {"TMPDIR", scratch.path()}};
  // The driver numbers devices by its own taste; a process that sees one cannot take another.
  if (!placement.gpu.uuid.empty()) {
    options.environment.emplace_back("CUDA_VISIBLE_DEVICES", placement.gpu.uuid);
  }
  options.descriptors = {
      {mailbox.request_fd(), 3}, {mailbox.response_fd(), 4}, {mailbox.doorbell_fd(), 5}};
  ipc::ChildProcess child = ipc::ChildProcess::spawn(options);
  return {std::move(mailbox), std::move(child), scratch.keep()};
}

std::vector<std::byte> configure_payload(const WorkerSetup& setup, const Placement& placement,
                                         const std::string& scratch) {
  ipc::ConfigureRequest request;
  request.problem = *setup.problem;
  request.artifact_folder = setup.artifact_folder;
  request.scratch_folder = scratch;
  request.own_program = setup.program;
  request.seed = setup.problem->scheduling.seed;
  request.gpu = placement.gpu;
  request.measures = placement.measures;
  return ipc::encode(request);
}

bool move_to_cores(pid_t process, const std::vector<int>& cores) {
  if (cores.empty()) return true;
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int core : cores) CPU_SET(static_cast<std::size_t>(core), &set);
  const std::string folder = "/proc/" + std::to_string(process) + "/task";
  const std::unique_ptr<DIR, int (*)(DIR*)> tasks(::opendir(folder.c_str()), ::closedir);
  if (!tasks) return false;
  while (const dirent* entry = ::readdir(tasks.get())) {
    const int thread = std::atoi(entry->d_name);
    if (thread <= 0 || ::sched_setaffinity(thread, sizeof set, &set) == 0) continue;
    if (errno != ESRCH) ipc::throw_errno("sched_setaffinity to cores " + ipc::core_argument(cores));
    if (thread == process) return false;
  }
  return true;
}

std::string last_words(const ipc::ChildProcess& child) {
  std::string words = child.standard_output();
  words += child.standard_error();
  if (words.size() > kLastWords) words.erase(0, words.size() - kLastWords);
  return words;
}

}  // namespace nightshift::scheduler
