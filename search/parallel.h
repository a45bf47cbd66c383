#pragma once

#include <tbb/parallel_for.h>

#include <cstddef>

namespace nightshift::search {

// Pieces of work of 10 to 100 ns: some 4 ms or more. To wake the threads costs a good part of that.
constexpr std::size_t kWorthThreads = std::size_t{1} << 18;

// each(i) for i in [0, count), by all threads at once.
template <class Each>
void in_parallel(std::size_t count, const Each& each) {
  tbb::parallel_for(std::size_t{0}, count, each);
}

}  // namespace nightshift::search
