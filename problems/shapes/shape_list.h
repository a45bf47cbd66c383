#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nightshift::problems {

// The sizes of one call, and how often a program makes it.
struct NamedShape {
  std::vector<std::pair<std::string, std::int64_t>> sizes;  // in the order of the reading's names
  double calls = 1;                                         // greater than 0
};

// Columns that hold how often a shape is called; none of them may be a size's name.
inline constexpr std::string_view kCallColumns[] = {"count", "calls", "weight"};

// A list of shapes as other programs write it, and how it is read.
struct ShapeReading {
  std::string file;                     // for messages
  std::vector<std::string> sizes;       // each shape has all of them; other columns are passed over
  std::string regex;                    // of a log: its named groups are the columns; empty: no log
  std::string table = "host.sizes";     // where the problem has its sizes, for messages
  std::vector<std::string> given = {};  // sizes that are set elsewhere: no column may have them
  std::function<double()> seconds = {};  // of a clock; empty: a log may take as long as it likes
};
inline constexpr std::size_t kMostShapes = 10'000;
inline constexpr std::size_t kMostShapeBytes = std::size_t{16} << 20;

// The shapes of a text, equal ones once with their calls added up:
//   CSV                  a header of names, then a line a shape. Columns are parted by ',', ';' or
//                        tabs, whichever finds the sizes in the header. Quotes as of RFC 4180
//                        without line ends inside; empty lines and lines that begin with '#' say
//                        nothing. Numbers have no marks between thousands, and a point before
//                        decimals. TunableOp's and AITER's untuned lists are such files.
//   JSON                 a list of objects, or an object a line
//   a log, with `regex`  an expression (base/bounded_regex.h) with named groups: each line where
//                        it is found is one call of that shape, or as many as a group `count` says.
//                        A group that takes part of a number is a mistake (whole_sizes.h)
// A size is a whole number of 1 to 2^53. Mistakes are ProblemFileError, each with its line or, in a
// JSON list, the number of the object: a size that no column gives or that is none, calls that are
// no positive number, an expression that takes too long on a line or kMostLogSeconds on all, no
// shape at all, more than kMostShapes.
std::vector<NamedShape> read_shapes(std::string_view text, const ShapeReading& reading);
inline constexpr int kMostLogSeconds = 60;

// Parts of messages: of a size that stands in a shape and elsewhere, and of one that no shape has.
std::string given_twice(const std::string& size);
std::string where_size_is_set(const std::string& table, const std::string& size);

// Places of the list, each of which is far from all before it: the first is the one nearest to the
// middle, in logarithms of the sizes; then the one whose nearest predecessor is farthest away
// (Gonzalez 1985). So the first few cover the range and each later one is near one of them. All
// shapes have the sizes of the first.
std::vector<std::size_t> farthest_first(const std::vector<NamedShape>& shapes);

}  // namespace nightshift::problems
