#include "search/problem/backend.h"

#include "base/overloaded.h"

namespace nightshift::search {

std::string_view name_of(const Backend& backend) {
  return std::visit(base::Overloaded{
                        [](const HostBackend&) -> std::string_view { return "host"; },
                        [](const CommandBackend&) -> std::string_view { return "command"; },
                        [](const RecordedBackend&) -> std::string_view { return "recorded"; },
                        [](const CudaBackend&) -> std::string_view { return "cuda"; },
                    },
                    backend);
}

Target usual_target(const Backend& backend) {
  return std::visit(base::Overloaded{
                        [](const HostBackend&) { return Target::kCores; },
                        [](const CommandBackend&) { return Target::kCores; },
                        [](const RecordedBackend&) { return Target::kRecording; },
                        [](const CudaBackend&) { return Target::kGpus; },
                    },
                    backend);
}

bool can_run_on(const Backend& backend, Target target) {
  const bool is_usual = target == usual_target(backend);
  return std::visit(base::Overloaded{
                        [&](const HostBackend&) { return is_usual; },
                        [&](const CommandBackend&) { return is_usual || target == Target::kGpus; },
                        [&](const RecordedBackend&) { return is_usual; },
                        [&](const CudaBackend&) { return is_usual; },
                    },
                    backend);
}

}  // namespace nightshift::search
