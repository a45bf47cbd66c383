#include "tools/kernels/gpu_target.h"

#include <set>
#include <string>
#include <string_view>
#include <variant>

#include "base/quantity.h"
#include "scheduler/devices/device_selection.h"
#include "scheduler/errors.h"
#include "tools/evaluator_program.h"
#include "tools/problem/journaled_problem.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

// Those of the devices' kinds (scheduler::Device::kind()).
std::set<int> architectures_of(const scheduler::History& history) {
  constexpr std::string_view kWords = ", compute capability ";
  std::set<int> found;
  for (const search::IdentityPart& part : scheduler::identity_of(history)) {
    if (part.kind != search::IdentityPart::Kind::kDevice) continue;
    const std::size_t at = part.value.rfind(kWords);
    if (at == std::string::npos) continue;
    const auto number = base::parse_count(part.value.substr(at + kWords.size()));
    if (number && *number >= 10 && *number < 1000) found.insert(static_cast<int>(*number));
  }
  return found;
}

}  // namespace

std::optional<ipc::GpuTarget> gpu_here(const search::Problem& problem,
                                       const scheduler::History& history) {
  if (!std::holds_alternative<search::CudaBackend>(problem.backend)) return std::nullopt;
  try {
    const auto devices =
        scheduler::devices_for(problem, device_selection_of(history), evaluator_program());
    if (!devices.empty()) return devices.front().gpu;
  } catch (const scheduler::DeviceError&) {
    // Without a GPU nothing runs, and all can be built.
  }
  return std::nullopt;
}

ipc::GpuTarget gpu_of_study(const search::Problem& problem, const scheduler::History& history,
                            std::optional<int> architecture) {
  if (!architecture) {
    const std::set<int> known = architectures_of(history);
    if (known.size() != 1) {
      throw UsageError(known.empty() ? "on which GPU the study was measured is not known: name its "
                                       "compute capability times ten with --architecture N"
                                     : "the study was measured on GPUs of several architectures: "
                                       "name one with --architecture N");
    }
    architecture = *known.begin();
  }
  const auto here = gpu_here(problem, history);
  if (here && here->architecture == *architecture) return *here;
  return {"", *architecture, kUsualMultiprocessors};
}

}  // namespace nightshift::tools
