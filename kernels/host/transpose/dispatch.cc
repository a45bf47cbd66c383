// A program that uses a table: it calls the configuration that the table names for its sizes, and
// falls back to what it did before where the table says so.
//
//   nightshift table transpose-shapes --format header --output transpose_table.h
//   c++ -std=c++20 -O3 -o dispatch kernels/host/transpose/dispatch.cc -I. && ./dispatch 512 512

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "transpose.h"
#include "transpose_table.h"

namespace table = nightshift_table::transpose;

using Transpose = void (*)(const float*, long, long, float*);

// An instance of the kernel for each configuration of the table: the header is constexpr.
template <std::size_t... kPlaces>
constexpr auto instances(std::index_sequence<kPlaces...>) {
  return std::array<Transpose, sizeof...(kPlaces)>{transpose_kernel::transpose<
      table::kConfigurations[kPlaces].TILE_ROWS, table::kConfigurations[kPlaces].TILE_COLUMNS,
      table::kConfigurations[kPlaces].ALONG_OUT != 0, table::kConfigurations[kPlaces].BLOCK>...};
}
constexpr auto kInstances = instances(std::make_index_sequence<table::kConfigurationCount>{});

static double microseconds(Transpose call, const float* in, long rows, long columns, float* out) {
  double best = 1e300;
  for (int i = 0; i < 100; ++i) {
    const auto began = std::chrono::steady_clock::now();
    call(in, rows, columns, out);
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - began;
    best = took.count() < best ? took.count() : best;
  }
  return best;
}

int main(int count, char** words) {
  const long rows = count > 1 ? std::atol(words[1]) : 1000;
  const long columns = count > 2 ? std::atol(words[2]) : 1000;
  if (rows < 1 || columns < 1 || rows > 20000 || columns > 20000) {
    std::fprintf(stderr, "dispatch: expected ROWS and COLUMNS from 1 to 20000\n");
    return 2;
  }
  std::vector<float> in(static_cast<std::size_t>(rows * columns)), out(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i % 1009);

  const int choice = table::choose(rows, columns);
  const table::Configuration& c = table::kConfigurations[choice];
  kInstances[static_cast<std::size_t>(choice)](in.data(), rows, columns, out.data());
  for (long i = 0; i < rows; ++i) {
    for (long j = 0; j < columns; ++j) {
      if (out[static_cast<std::size_t>(j * rows + i)] !=
          in[static_cast<std::size_t>(i * columns + j)]) {
        std::fprintf(stderr, "dispatch: wrong at %ld, %ld\n", i, j);
        return 1;
      }
    }
  }
  std::printf(
      "%ld x %ld: configuration %d%s: TILE_ROWS=%lld TILE_COLUMNS=%lld ALONG_OUT=%lld BLOCK=%lld\n",
      rows, columns, choice, c.is_default ? " (the default)" : "", c.TILE_ROWS, c.TILE_COLUMNS,
      c.ALONG_OUT, c.BLOCK);
  std::printf("right; %.1f us, by the default %.1f us\n",
              microseconds(kInstances[static_cast<std::size_t>(choice)], in.data(), rows, columns,
                           out.data()),
              microseconds(kInstances[0], in.data(), rows, columns, out.data()));
  return 0;
}
