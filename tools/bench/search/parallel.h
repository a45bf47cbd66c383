#pragma once

#include <cstddef>
#include <functional>

namespace nightshift::bench {

// Calls task(0) .. task(count - 1), each once, on `threads` threads (at least one) in any order.
// The first exception of a task is thrown on after the threads have ended; tasks that were not
// begun by then are left out.
void in_parallel(std::size_t count, std::size_t threads,
                 const std::function<void(std::size_t)>& task);

}  // namespace nightshift::bench
