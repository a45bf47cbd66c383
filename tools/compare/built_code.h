#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/evaluation_loop.h"
#include "scheduler/worker_pool.h"
#include "search/problem.h"
#include "tools/temporary_folder.h"

namespace nightshift::tools {

// Machine code of a few contenders, by its hashes in the folder's artifacts.
struct BuiltCode {
  std::vector<std::string> contenders;  // in their order
  std::string reference;                // of the reference, or of the baseline where there is none
};

// Builds them on all cores, for `devices` (as --devices says) and without touching one; `what` is
// said on a status line. nullopt where a signal stopped it. Throws scheduler::StudyError, of it
// ContenderFailed, also where the time ends before all is built, and scheduler::DeviceError where the
// devices are not there.
std::optional<BuiltCode> built_code(const search::Problem& problem,
                                    const std::vector<scheduler::Contender>& contenders,
                                    const std::string& devices, const TemporaryFolder& folder,
                                    const std::string& what,
                                    const scheduler::EvaluationLoop::Time& time = {});
// The same by the builders of a pool, whose study has the folder of the artifacts.
std::optional<BuiltCode> built_code(const search::Problem& problem,
                                    const std::vector<scheduler::Contender>& contenders,
                                    scheduler::WorkerPool& pool, const std::string& what,
                                    const scheduler::EvaluationLoop::Time& time = {});

// What a loop has built of so many contenders.
BuiltCode code_of(const scheduler::EvaluationLoop& loop, std::size_t contenders);

}  // namespace nightshift::tools
