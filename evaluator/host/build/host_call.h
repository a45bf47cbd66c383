#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "evaluator/answers/argument_shape.h"
#include "search/configuration.h"
#include "search/problem/host_backend.h"

namespace nightshift::evaluator {

// Evaluates sizes and values over the sizes of a case and the (resolved) configuration. Throws
// std::runtime_error that names the argument.
std::vector<ArgumentShape> shapes_of(const search::HostBackend& host,
                                     const search::Configuration& configuration,
                                     std::size_t which = 0);

// What a configuration decides of the call: size or value of each argument whose expression names a
// parameter. Empty: every configuration makes the same call. Throws as shapes_of().
std::string call_of(const search::HostBackend& host, const search::Configuration& configuration,
                    std::size_t which = 0);

}  // namespace nightshift::evaluator
