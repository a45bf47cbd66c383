#pragma once

#include <memory>

#include "evaluator/backend.h"

namespace nightshift::evaluator {

// The backend for the problem's kind. Throws std::exception when the problem cannot be served here.
std::unique_ptr<TrialBackend> make_backend(const ipc::ConfigureRequest& request);

}  // namespace nightshift::evaluator
