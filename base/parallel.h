#pragma once

#include <cstddef>

#if defined(__SANITIZE_THREAD__)
#include <algorithm>
#include <exception>
#include <thread>
#include <vector>
#else
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#endif

namespace nightshift::base {

// Pieces of work of 10 to 100 ns: some 4 ms or more. To wake the threads costs a good part of that.
constexpr std::size_t kWorthThreads = std::size_t{1} << 18;

// in_parallel(count, each): each(i) for i in [0, count), by all threads at once.
// in_parallel(count, threads, each): by so many in all, those of pieces that go parallel included;
// each takes up the next piece when it is free.
//
// Results do not depend on the number of threads where each(i) writes to a place of its own, and
// what follows reads the places in their order. A piece that goes parallel itself waits for its own
// pieces only: it takes up no other piece meanwhile. The first exception of a piece is thrown on;
// pieces that were not begun by then may be left out.
#if defined(__SANITIZE_THREAD__)

// The thread sanitizer does not see how libtbb, which is not built with it, hands work over, and
// calls all of it a race. Suppressing what has TBB on its stack would hide races of `each` as well,
// so here threads of our own do the work. Nothing tells them what to do next: that would put the
// pieces in an order, and hide races again.
template <class Each>
void in_parallel(std::size_t count, std::size_t threads, const Each& each) {
  std::vector<std::exception_ptr> failures(std::min(count, threads));
  {
    std::vector<std::jthread> helpers;
    for (std::size_t t = 0; t < failures.size(); ++t) {
      helpers.emplace_back([&, t] {
        try {
          for (std::size_t i = t; i < count; i += failures.size()) each(i);
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

template <class Each>
void in_parallel(std::size_t count, const Each& each) {
  in_parallel(count, std::size_t{4}, each);
}

#else

template <class Each>
void in_parallel(std::size_t count, const Each& each) {
  tbb::this_task_arena::isolate([&] { tbb::parallel_for(std::size_t{0}, count, each); });
}

template <class Each>
void in_parallel(std::size_t count, std::size_t threads, const Each& each) {
  const tbb::global_control most(tbb::global_control::max_allowed_parallelism, threads);
  tbb::task_arena arena(static_cast<int>(threads));
  // One piece at a time: pieces of this kind last from milliseconds to minutes.
  arena.execute([&] {
    tbb::parallel_for(
        tbb::blocked_range<std::size_t>(0, count, 1),
        [&](const tbb::blocked_range<std::size_t>& range) {
          for (std::size_t i = range.begin(); i < range.end(); ++i) each(i);
        },
        tbb::simple_partitioner());
  });
}

#endif

}  // namespace nightshift::base
