#pragma once

#include <string_view>
#include <variant>

#include "search/cuda_problem.h"
#include "search/problem/command_backend.h"
#include "search/problem/host_backend.h"
#include "search/problem/recorded_backend.h"
#include "search/target.h"

namespace nightshift::search {

// What a problem is made of; Problem::target says where it runs.
using Backend = std::variant<HostBackend, CommandBackend, RecordedBackend, CudaBackend>;
std::string_view name_of(const Backend& backend);  // "host", "command", "recorded", "cuda"
// Where such a problem runs unless it says otherwise, and whether it can run there: a program runs
// on cores or on GPUs, every other kind in one place.
Target usual_target(const Backend& backend);
bool can_run_on(const Backend& backend, Target target);

}  // namespace nightshift::search
