#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "problems/override.h"
#include "problems/shapes/shape_list.h"

namespace toml {
inline namespace v3 {
class node;
}
}  // namespace toml

namespace nightshift::problems {

class Diagnostics;

// The shapes that a study of a batch file names.
struct StudyShapes {
  std::string table;  // of the problem file's sizes: "host.sizes"; empty: it has none
  std::vector<NamedShape> shapes;
};

// A study as far as its shapes need it.
struct ShapedStudy {
  std::string problem;                  // path of its file, which is read for the names of sizes
  const std::filesystem::path& folder;  // of the batch file
  std::vector<std::string> keys;        // of the problem file that `set` and `each` give
};

// What stands under `shapes`: a list of tables { M = 1, N = 4096, count = 3 }, the name of a file
// below the folder, or { file = "calls.log", regex = "..." } for a log. Sizes are those that the
// problem file has under [host.sizes] or [cuda.sizes]. Each shape has all of them that the study's
// keys do not give, so that no two calls become one. What is wrong is noted with its place, and then
// there are no shapes.
StudyShapes read_study_shapes(const toml::node& node, const ShapedStudy& study,
                              Diagnostics& diagnostics);

// What stands under `shape`: one table { M = 1, N = 4096 }, in the order in which it is written. It
// is the same as a list of this one, but for problems without sizes of their own, of which it is but
// a name. What is wrong is noted likewise.
StudyShapes read_study_shape(const toml::node& node, const ShapedStudy& study,
                             Diagnostics& diagnostics);

// Of a problem without sizes of its own a shape is but a name: whether two of them are names of the
// same measurement.
class MeasuredShapes {
 public:
  struct Study {
    std::string name, problem;
    std::vector<Override> overrides;
    std::vector<std::pair<std::string, std::int64_t>> shape;
  };
  // The name of an earlier study with another shape and the same settings, budgets aside.
  std::optional<std::string> added(const Study& study);

 private:
  std::map<std::pair<std::string, std::vector<Override>>, Study> known_;
};

}  // namespace nightshift::problems
