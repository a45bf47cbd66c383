#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "problems/override.h"
#include "problems/problem_file_error.h"

namespace nightshift::problems {

// One study as a batch file asks for it.
struct BatchEntry {
  std::string name;     // of its own in the batch; a folder's name
  std::string problem;  // absolute path of a problem file or a recorded space
  std::vector<Override> overrides;
  double weight = 1;
  int devices_least = 1;
  int devices_most = 0;            // 0: as many as there are
  std::vector<std::string> after;  // names of studies that must have ended
  std::optional<double> deadline;  // seconds from the batch's first start
  double patience = 4;     // of a study that has stopped gaining, see scheduler's StudyTerms
  bool warm_start = true;  // from what other sizes of its problem have found
  // Its sizes, in the order in which they were written, and how often a program calls them.
  std::vector<std::pair<std::string, std::int64_t>> shape;
  double calls = 1;
};

// Commands for a shell, run with facts as JSON on their standard input; empty: none.
struct BatchHooks {
  std::string on_improvement, on_failure, on_end;
};

struct BatchFile {
  std::string name;
  BatchHooks hooks;
  std::vector<BatchEntry> studies;
};

// Reads what `batch run` is given: a batch file (TOML with [[study]]), or a folder with one called
// batch.toml, or problem files, recorded spaces and folders, whose problem files are then found
// beneath them. Throws ProblemFileError with
// every mistake.
//
//   name = "night"
//   [defaults]                                  # keys of a study, for all that say nothing else
//   budget = "10m"
//   [[study]]
//   problem = "sgemm/problem.toml"              # relative to the batch file
//   name = "gemm"                               # else the problem's file or folder
//   set = { acceptance.confidence = "quick" }   # keys of the problem file
//   each = { host.sizes.N = [576, 1152] }       # a study for each value; of several keys: product
//   shapes = [{ M = 1, N = 4096, count = 3 }]   # a study a shape; also "shapes.csv", see shapes/shape_list.h
//   shape = { M = 1, N = 4096 }                 # the sizes of this one study
//   after = ["rmsnorm"]                         # a name stands for all studies that came of it
//   [hooks]
//   on_improvement = "mail -s faster me@here"   # a command for a shell
BatchFile read_batch(const std::vector<std::string>& paths);
// The same without throwing: what can be understood of it, and every mistake in it.
BatchFile inspect_batch(const std::vector<std::string>& paths, std::vector<Diagnostic>& mistakes);
// Whether the file at `path` is that of a batch, or a folder has one called batch.toml.
bool is_batch_file(const std::string& path);

}  // namespace nightshift::problems
