#pragma once

#include <optional>
#include <vector>

#include "problems/readers/diagnostics.h"
#include "problems/readers/problem/baseline.h"
#include "problems/readers/table_reader.h"
#include "problems/recorded_space.h"
#include "search/problem.h"

namespace nightshift::problems {

// What a problem file says itself of the recording's objective.
struct SaidOfObjective {
  bool is_named = false, has_direction = false;
};

// Fills in what the recording behind a problem decides: the objective where the file names none,
// its direction where the file says none, and every parameter that the file does not list. What the
// file lists narrows the recording down. Each parameter's default becomes its value in the
// baseline, which is `baseline` or else the first configuration of the recording that worked, with
// the defaults that the file names where one such did. A note says where that is not the first one.
void complete_from_recording(search::Problem& problem, const RecordedSpace& recording,
                             SaidOfObjective said, const std::vector<BaselineEntry>& baseline,
                             const SourceLocation& location, Diagnostics& diagnostics);

// The problem that a recorded space given directly is; settings come from `root`. `path` is the
// recording's own.
search::Problem problem_of_recording(const RecordedSpace& recording, const std::string& path,
                                     TableReader& root);

// The recorded configurations that have the problem's values and satisfy its constraints, in the
// order of the file and of its parameters.
std::vector<search::Configuration> admitted(const search::Problem& problem,
                                            const RecordedSpace& recording);

// Reads [recorded] and the recording that it names; nullopt where that failed, which was noted.
std::optional<RecordedSpace> read_recorded(TableReader& recorded,
                                           const std::filesystem::path& folder,
                                           search::RecordedBackend& backend);

}  // namespace nightshift::problems
