#pragma once

#include <cstdint>

namespace nightshift::search {

// Who wrote what is measured. kNone: somebody, or a program, that gains by a figure that is better
// than the work. Whatever evaluators can do about it is then done, at a price.
enum class Trust : std::uint8_t { kUsual, kNone };

// What is timed in an evaluation of CUDA kernels.
enum class Timed : std::uint8_t {
  kExecution,    // all launches in a row
  kEachLaunch,   // and what each of them adds, see Measurement::launches
  kForProfiler,  // nothing: after the check there is one execution between the marks of a profiler
};

// How one evaluation of a configuration is measured.
struct SamplingPlan {
  int samples = 20;          // repetitions kept, at least
  int most_samples = 60;     // at most, where `precision` asks for more
  double precision = 0.01;   // sampling goes on until half of the 95 % interval of the mean is not
                             // above this share of it; 0 = exactly `samples`
  double give_up_ratio = 3;  // a candidate this many times slower than the best is dropped after
                             // its first samples; 0 = never
  int warm_up_runs = 3;      // at least; not kept
  double warm_up_seconds = 0.01;     // at least; ten times that at most
  double min_sample_seconds = 5e-5;  // shorter kernels are repeated inside one sample; 0 = never
  double max_seconds = 10;           // sampling stops early (with >= 3 samples) after this long
  bool cold_cache = false;           // evict the last-level cache before each sample
  Trust trust = Trust::kUsual;
  Timed timed = Timed::kExecution;
};

}  // namespace nightshift::search
