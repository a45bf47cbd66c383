#pragma once

#include <string>

namespace nightshift::search {

// Replays a recorded space: Kernel Tuner cache or T4 JSON, plain or gzip.
struct RecordedBackend {
  std::string file;  // absolute path
  int samples = 0;   // repetitions drawn per evaluation; 0 = as many as were recorded
  // Standard deviation of the logarithm of a factor that an evaluation's samples share.
  double noise = 0;
};

}  // namespace nightshift::search
