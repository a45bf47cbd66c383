#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "evaluator/backend.h"
#include "ipc/messages.h"

namespace nightshift::evaluator {

// Runs a compiler in the scratch folder, within the limits of a build. Returns its complaint; empty
// where it succeeded.
std::string run_compiler(const ipc::ConfigureRequest& setting,
                         const std::vector<std::string>& program, ProgressSink& progress);

// The part of a compiler's output that says what is wrong: from the first error on, 4 KiB at most.
std::string first_errors(std::string_view output);

// `pattern` with each {} replaced by `value`, split at blanks; nothing for an empty value.
void append_options(const std::string& pattern, const std::string& value,
                    std::vector<std::string>& options);

}  // namespace nightshift::evaluator
