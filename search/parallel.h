#pragma once

#include <cstddef>

#if defined(__SANITIZE_THREAD__)
#include <algorithm>
#include <array>
#include <exception>
#include <thread>
#include <vector>
#else
#include <tbb/parallel_for.h>
#endif

namespace nightshift::search {

// Pieces of work of 10 to 100 ns: some 4 ms or more. To wake the threads costs a good part of that.
constexpr std::size_t kWorthThreads = std::size_t{1} << 18;

// in_parallel(count, each): each(i) for i in [0, count), by all threads at once.
#if defined(__SANITIZE_THREAD__)

// The thread sanitizer does not see how libtbb, which is not built with it, hands work over, and
// calls all of it a race. Suppressing what has TBB on its stack would hide races of `each` as well,
// so here threads of our own do the work. Nothing tells them what to do next: that would put the
// pieces in an order, and hide races again.
template <class Each>
void in_parallel(std::size_t count, const Each& each) {
  constexpr std::size_t kThreads = 4;
  std::array<std::exception_ptr, kThreads> failures;
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < std::min(count, kThreads); ++t) {
      threads.emplace_back([&, t] {
        try {
          for (std::size_t i = t; i < count; i += kThreads) each(i);
        } catch (...) {
          failures[t] = std::current_exception();
        }
      });
    }
  }
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

#else

template <class Each>
void in_parallel(std::size_t count, const Each& each) {
  tbb::parallel_for(std::size_t{0}, count, each);
}

#endif

}  // namespace nightshift::search
