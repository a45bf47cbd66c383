#include "evaluator/cuda/clocks/clock_settings.h"

#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <optional>
#include <system_error>
#include <thread>
#include <variant>
#include <vector>

#include "evaluator/cuda/driver/nvml_library.h"
#include "evaluator/cuda/driver/open_library.h"
#include "ipc/child_process.h"

namespace nightshift::evaluator::cuda {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// Clocks come in steps of up to 15 MHz (H100, H200), and what lies between is rounded.
constexpr double kClockStep = 15;
constexpr double kWattStep = 1;
constexpr auto kSettling = std::chrono::seconds(2);
constexpr auto kBetweenLooks = milliseconds(20);
constexpr int kProgramPatience = 30'000;  // milliseconds
constexpr std::size_t kMostWords = 300;

std::string first_words(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \n");
  if (first == std::string::npos) return "";
  return text.substr(first, std::min(kMostWords, text.find('\n', first) - first));
}

// Empty where it ended well.
std::string complaint_of(const std::vector<std::string>& words) {
  ipc::SpawnOptions options;
  options.program = words.front();
  options.arguments.assign(words.begin() + 1, words.end());
  try {
    ipc::ChildProcess child = ipc::ChildProcess::spawn(options);
    pollfd death{child.pidfd(), POLLIN, 0};
    (void)::poll(&death, 1, kProgramPatience);
    const std::optional<ipc::ExitReport> report = child.reap();
    if (!report) return words.front() + " does not answer";
    const auto* exited = std::get_if<ipc::Exited>(&*report);
    if (exited != nullptr && exited->code == 0) return "";
    const std::string said = first_words(child.standard_error() + child.standard_output());
    return words.front() + ": " + (said.empty() ? ipc::describe(*report) : said);
  } catch (const std::system_error& e) {
    return words.front() + " cannot be started: " + e.what();
  }
}

std::string by_program(const std::string& uuid, const std::vector<std::string>& options) {
  const std::string given = environment("NIGHTSHIFT_NVIDIA_SMI");
  std::vector<std::string> words = {given.empty() ? "nvidia-smi" : given, "-i", uuid};
  words.insert(words.end(), options.begin(), options.end());
  const std::string complaint = complaint_of(words);
  if (complaint.empty() || ::geteuid() == 0) return complaint;
  // Without a password, or not at all: nobody is there to type it.
  words.insert(words.begin(), {"sudo", "-n"});
  const std::string with_sudo = complaint_of(words);
  return with_sudo.empty() ? "" : complaint + "; " + with_sudo;
}

// `result` of NVML, or the program's where NVML is not allowed to.
std::string outcome(Nvml::Result result, const std::string& uuid,
                    const std::vector<std::string>& options) {
  if (result == Nvml::kSuccess) return "";
  const std::string words = nvml_error(*nvml_library().functions, result);
  if (result != Nvml::kNoPermission) return words;
  const std::string complaint = by_program(uuid, options);
  return complaint.empty() ? "" : words + "; " + complaint;
}

constexpr Nvml::Result kFunctionNotFound = 13;

template <class... Parameters, class... Arguments>
Nvml::Result call(Nvml::Result (*function)(Parameters...), Arguments... arguments) {
  return function != nullptr ? function(arguments...) : kFunctionNotFound;
}

std::string named(const std::string& what, const std::string& complaint) {
  return complaint.empty() ? "" : what + ": " + complaint;
}

std::string joined(const std::string& a, const std::string& b) {
  return a.empty() || b.empty() ? a + b : a + "; " + b;
}

std::string beyond(const char* what, double wanted, std::optional<double> least,
                   std::optional<double> most, const char* unit) {
  const auto text = [&](double value) { return std::to_string(std::lround(value)) + " " + unit; };
  if (most && wanted > *most) {
    return std::string(what) + " " + text(wanted) + " is beyond " + text(*most);
  }
  if (least && wanted < *least) {
    return std::string(what) + " " + text(wanted) + " is below " + text(*least);
  }
  return "";
}

std::string off(const char* what, double wanted, std::optional<double> got, double step,
                const char* unit) {
  if (wanted == 0 || (got && std::abs(*got - wanted) <= step)) return "";
  const std::string is =
      got ? std::to_string(std::lround(*got)) + " " + unit : std::string("not known");
  return std::string(what) + " is " + is + " instead of " + std::to_string(std::lround(wanted)) +
         " " + unit;
}

}  // namespace

ClockSetter::ClockSetter(const std::string& uuid) : uuid_(uuid), monitor_(uuid) {
  const Nvml* nvml = nvml_library().functions;
  if (nvml == nullptr ||
      nvml->nvmlDeviceGetHandleByUUID(uuid.c_str(), &device_) != Nvml::kSuccess) {
    device_ = nullptr;
  }
}

std::string ClockSetter::prepare(const ClockSettings& settings, ClockUndo& undo) const {
  if (!monitor_.why().empty()) return monitor_.why();
  const GpuProperties properties = monitor_.properties();
  const GpuReading now = monitor_.now();
  std::string wrong = beyond("the clock", settings.sm_mhz, {}, properties.most_sm_clock_mhz, "MHz");
  if (wrong.empty()) {
    wrong = beyond("the memory clock", settings.memory_mhz, {}, properties.most_memory_clock_mhz,
                   "MHz");
  }
  if (wrong.empty() && settings.power_mw > 0) {
    wrong = beyond("the power limit", settings.power_mw / 1000.0,
                   properties.least_power_limit_watts, properties.most_power_limit_watts, "W");
    if (wrong.empty() && !now.power_limit_watts) {
      wrong = "the power limit cannot be read, and so could not be restored";
    }
  }
  const bool clocks = settings.sm_mhz > 0 || settings.memory_mhz > 0;
  if (wrong.empty() && clocks && (now.clock_events.value_or(0) & clock_event::kUserSetting) != 0) {
    wrong =
        "somebody else has set its clocks, which could not be restored: reset them first "
        "(nvidia-smi -rgc -rmc)";
  }
  undo.sm = settings.sm_mhz > 0;
  undo.memory = settings.memory_mhz > 0;
  undo.power_mw = settings.power_mw > 0 && now.power_limit_watts
                      ? static_cast<unsigned>(std::lround(*now.power_limit_watts * 1000))
                      : 0;
  return wrong;
}

std::string ClockSetter::apply(const ClockSettings& settings, ClockUndo& undo) {
  if (device_ == nullptr) return monitor_.why();
  const Nvml& nvml = *nvml_library().functions;
  const auto lock = [&](const char* what, const char* option, unsigned mhz, auto function) {
    const std::string text = std::to_string(mhz);
    return mhz == 0 ? std::string()
                    : named(what, outcome(call(function, device_, mhz, mhz), uuid_,
                                          {std::string(option) + "=" + text + "," + text}));
  };
  const std::string sm = lock("locking the clock", "--lock-gpu-clocks", settings.sm_mhz,
                              nvml.nvmlDeviceSetGpuLockedClocks);
  const std::string memory = lock("locking the memory clock", "--lock-memory-clocks",
                                  settings.memory_mhz, nvml.nvmlDeviceSetMemoryLockedClocks);
  const std::string power = limit_power(settings.power_mw);
  undo.sm = undo.sm && sm.empty();
  undo.memory = undo.memory && memory.empty();
  if (!power.empty()) undo.power_mw = 0;
  return joined(joined(sm, memory), power);
}

std::string ClockSetter::limit_power(unsigned milliwatts) {
  if (milliwatts == 0) return "";
  const Nvml& nvml = *nvml_library().functions;
  return named("limiting the power",
               outcome(call(nvml.nvmlDeviceSetPowerManagementLimit, device_, milliwatts), uuid_,
                       {"--power-limit=" + std::to_string(milliwatts / 1000)}));
}

std::string ClockSetter::verify(const ClockSettings& settings) const {
  const auto deadline = steady_clock::now() + kSettling;
  while (true) {
    const GpuReading now = monitor_.now();
    std::string wrong = off("the clock", settings.sm_mhz, now.sm_clock_mhz, kClockStep, "MHz");
    wrong = joined(wrong, off("the memory clock", settings.memory_mhz, now.memory_clock_mhz,
                              kClockStep, "MHz"));
    wrong = joined(wrong, off("the power limit", settings.power_mw / 1000.0, now.power_limit_watts,
                              kWattStep, "W"));
    if (wrong.empty() || steady_clock::now() >= deadline) return wrong;
    std::this_thread::sleep_for(kBetweenLooks);
  }
}

std::string ClockSetter::restore(const ClockUndo& undo) {
  if (device_ == nullptr) return monitor_.why();
  const Nvml& nvml = *nvml_library().functions;
  std::string wrong;
  if (undo.sm) {
    wrong = named("unlocking the clock", outcome(call(nvml.nvmlDeviceResetGpuLockedClocks, device_),
                                                 uuid_, {"--reset-gpu-clocks"}));
  }
  if (undo.memory) {
    wrong = joined(wrong, named("unlocking the memory clock",
                                outcome(call(nvml.nvmlDeviceResetMemoryLockedClocks, device_),
                                        uuid_, {"--reset-memory-clocks"})));
  }
  return joined(wrong, limit_power(undo.power_mw));
}

}  // namespace nightshift::evaluator::cuda
