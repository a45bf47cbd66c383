#include "evaluator/profile.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "base/file_text.h"
#include "evaluator/cuda/driver/toolkits.h"
#include "evaluator/process/launched_child.h"
#include "evaluator/process/outside_kills.h"
#include "evaluator/process/program_path.h"

namespace nightshift::evaluator {
namespace {

namespace fs = std::filesystem;

constexpr const char* kName = "ncu";
constexpr const char* kPackages = "/opt/nvidia/nsight-compute";  // a folder for each version
constexpr const char* kNone =
    "there is no ncu on PATH, in CUDA_HOME, CUDA_PATH or /usr/local/cuda (Nsight Compute has it)";
constexpr std::size_t kMostOutput = 16U << 20;
constexpr int kNotRight = 1;

// Empty where there is none.
std::string found_ncu() {
  if (const char* given = std::getenv("NIGHTSHIFT_NCU"); given != nullptr) return given;
  if (std::string program = cuda::toolkit_program(kName); !program.empty()) return program;
  std::vector<std::string> packages;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(kPackages, ignored)) {
    if (is_program(entry.path() / kName)) packages.push_back(entry.path() / kName);
  }
  return packages.empty() ? "" : *std::ranges::max_element(packages);
}

// --- The request, as a file: the bytes of the first message, as many, and the second ---

std::string file_of(const ipc::ConfigureRequest& setting, const ipc::EvaluateRequest& request) {
  const std::vector<std::byte> first = ipc::encode(setting), second = ipc::encode(request);
  const std::uint64_t bytes = first.size();
  std::string file(sizeof bytes + first.size() + second.size(), '\0');
  std::memcpy(file.data(), &bytes, sizeof bytes);
  std::memcpy(file.data() + sizeof bytes, first.data(), first.size());
  std::memcpy(file.data() + sizeof bytes + first.size(), second.data(), second.size());
  return file;
}

struct Asked {
  ipc::ConfigureRequest setting;
  ipc::EvaluateRequest request;
};

Asked asked_in(const std::string& path) {
  const std::string file = base::read_whole_file(path);
  const std::span<const std::byte> all(reinterpret_cast<const std::byte*>(file.data()),
                                       file.size());
  std::uint64_t bytes = 0;
  if (all.size() < sizeof bytes) throw ipc::DecodeError(path + " ends too early");
  std::memcpy(&bytes, all.data(), sizeof bytes);
  const auto messages = all.subspan(sizeof bytes);
  if (bytes > messages.size()) throw ipc::DecodeError(path + " ends too early");
  return {ipc::decode<ipc::ConfigureRequest>(messages.first(bytes)),
          ipc::decode<ipc::EvaluateRequest>(messages.subspan(bytes))};
}

// --- The profiler ---

// Only what lies between the marks is profiled, so that nothing of ours is. The sections are those
// that say how busy the device is, with what, and what its warps wait for.
std::vector<std::string> command_of(const std::string& ncu, bool cold_cache,
                                    const std::string& evaluator, const std::string& file) {
  return {ncu,
          "--csv",
          "--page=raw",
          "--print-units=base",
          "--clock-control=none",
          cold_cache ? "--cache-control=all" : "--cache-control=none",
          "--profile-from-start=off",
          "--target-processes=application-only",
          "--section=SpeedOfLight",
          "--section=Occupancy",
          "--section=WarpStateStats",
          evaluator,
          "--profiled",
          file};
}

// What a profiler that failed says: lines that begin with ==ERROR==, or all that there is.
std::string complaint_of(const ipc::ChildProcess& child, const ipc::ExitReport& end) {
  std::string words;
  const std::string all = child.standard_output() + "\n" + child.standard_error();
  for (std::size_t from = 0; from < all.size();) {
    const std::size_t to = std::min(all.find('\n', from), all.size());
    const std::string line = all.substr(from, to - from);
    if (line.starts_with("==ERROR==")) words += (words.empty() ? "" : " ") + line.substr(10);
    from = to + 1;
  }
  if (words.empty()) words = tail_of(all, kLastWordsBytes);
  return std::string(kName) + ": " + ipc::describe(end) + ": " + words;
}

void run_profiler(const ipc::ConfigureRequest& setting, const std::vector<std::string>& program,
                  Profile& profile) {
  LaunchOptions options;
  options.program = program;
  options.environment = {{"LC_ALL", "C"},
                         {"TMPDIR", setting.scratch_folder},
                         {"CUDA_VISIBLE_DEVICES", setting.gpu.uuid}};
  options.directory = setting.scratch_folder;
  options.output_bytes = kMostOutput;
  const auto deadline = after(Clock::now(), setting.problem.limits.trial);
  Unwatched unwatched;
  OutsideKills kills;
  ipc::ChildProcess child;
  std::optional<ipc::ExitReport> end;
  do {
    try {
      child = launch(options);
    } catch (const NotStarted& e) {
      profile.untold = profile.program + " cannot be started: " + e.what();
      return;
    }
    end = wait_for_end(child, deadline, unwatched);
    if (!end) {
      profile.untold = std::string(kName) + " took longer than limits.trial";
      return;
    }
  } while (kills.again(*end, child.standard_error(), deadline, unwatched));
  const auto* exited = std::get_if<ipc::Exited>(&*end);
  if (exited == nullptr || exited->code != 0) {
    profile.untold = kills.told(kName) + complaint_of(child, *end);
  } else if (child.standard_output_was_cut()) {
    profile.untold = std::string(kName) + " printed more than 16 MiB";
  } else {
    profile.table = child.standard_output();
  }
}

}  // namespace

Profile profile(const ipc::ConfigureRequest& setting, ipc::EvaluateRequest request) {
  Profile result;
  result.program = found_ncu();
  if (result.program.empty()) {
    result.untold = kNone;
    return result;
  }
  request.sampling.timed = search::Timed::kForProfiler;
  const std::string file = (fs::path(setting.scratch_folder) / "profiled").string();
  base::write_whole_file(file, file_of(setting, request));
  run_profiler(setting,
               command_of(result.program, request.sampling.cold_cache, setting.own_program, file),
               result);
  return result;
}

int run_profiled(const std::string& file, const BackendFactory& factory) {
  try {
    const Asked asked = asked_in(file);
    Unwatched unwatched;
    const auto backend = factory(asked.setting);
    const search::TrialReport report = backend->evaluate(asked.request, unwatched);
    if (!search::is_failure(report.outcome)) return 0;
    std::fprintf(stderr, "nightshift-evaluator: %s\n", search::describe(report.outcome).c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "nightshift-evaluator: %s\n", error.what());
  }
  return kNotRight;
}

}  // namespace nightshift::evaluator
