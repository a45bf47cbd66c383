#pragma once

#include <filesystem>
#include <string>
#include <vector>

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
  std::string table;  // of the problem file's sizes: "host.sizes"
  std::vector<NamedShape> shapes;
};

// What stands under `shapes`: a list of tables { M = 1, N = 4096, count = 3 }, the name of a file
// below `folder`, or { file = "calls.log", regex = "..." } for a log. Sizes are those that the
// problem file has under [host.sizes] or [cuda.sizes]; the file is read for their names. What is
// wrong is noted with its place, and then there are no shapes.
StudyShapes read_study_shapes(const toml::node& node, const std::string& problem,
                              const std::filesystem::path& folder, Diagnostics& diagnostics);

}  // namespace nightshift::problems
