#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "scheduler/devices/gpu_discovery.h"

namespace nightshift::tools {

// What `nightshift devices` says of GPUs, or why there are none. Pure.
std::string gpu_text(const scheduler::GpuList& list);
// {"gpus": [...], "gpu_driver", "cuda", "nvrtc", "why_no_gpu"}: what is not known is left out.
nlohmann::ordered_json gpu_json(const scheduler::GpuList& list);

}  // namespace nightshift::tools
