// A list of shapes from elsewhere: CSV, JSON, or a log. It is read or refused, and what is read is
// within its bounds. The first line is an expression as well.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "problems/problem_file_error.h"
#include "problems/shapes/shape_list.h"

namespace {

void read(std::string_view text, const nightshift::problems::ShapeReading& reading) {
  using namespace nightshift::problems;
  try {
    const auto shapes = read_shapes(text, reading);
    if (shapes.empty() || shapes.size() > kMostShapes) std::abort();
    for (const NamedShape& shape : shapes) {
      if (shape.sizes.size() != shapes.front().sizes.size() || !(shape.calls > 0)) std::abort();
      for (const auto& [name, size] : shape.sizes) {
        if (size < 1) std::abort();
      }
    }
    if (shapes.size() < 100 && farthest_first(shapes).size() != shapes.size()) std::abort();
  } catch (const ProblemFileError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  read(text, {"fuzz.csv", {"M", "N"}, ""});
  read(text, {"fuzz.log", {"M", "N"}, R"(M=(?<M>\d+),N=(?<N>\d+))"});
  nightshift::problems::ShapeReading given{"fuzz.json", {"M"}, ""};
  given.given = {"N"};
  read(text, given);
  const std::string_view expression = text.substr(0, text.find('\n'));
  if (!expression.empty() && expression.size() < 40) {
    read(text.substr(0, 400), {"fuzz.log", {"M"}, std::string(expression)});
  }
  return 0;
}
