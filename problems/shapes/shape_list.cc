#include "problems/shapes/shape_list.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <system_error>

#include "base/bounded_regex.h"
#include "base/text.h"
#include "problems/problem_file_error.h"
#include "problems/readers/diagnostics.h"
#include "problems/shapes/csv_lines.h"
#include "problems/shapes/whole_sizes.h"

namespace nightshift::problems {
namespace {

constexpr std::int64_t kMostSize = std::int64_t{1} << 53;
constexpr std::size_t kMostColumns = 1000;
constexpr std::size_t kMostComplaints = 20;
constexpr std::size_t kLookedAt = 4096;  // of a text to tell its form

// One row before it is looked at: texts by column.
using Row = std::map<std::string, std::string, std::less<>>;

template <class Number>
std::optional<Number> number_in(std::string_view text) {
  text = base::trimmed(text);
  Number number{};
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  if (text.empty() || read.ec != std::errc{} || read.ptr != end) return std::nullopt;
  return number;
}

std::string_view next_line_of(std::string_view& rest) {
  const std::size_t end = rest.find('\n');
  std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

bool is_in(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// What may have been meant; where no name is near, what there is.
std::string hint_of(const std::string& size, const std::vector<std::string>& columns) {
  constexpr std::size_t kMostNamed = 12;
  const std::string near = suggestion(size, columns);
  if (!near.empty() || columns.empty() || columns.size() > kMostNamed) return near;
  return "; there is " + base::list_of(columns, "and");
}

// What rows make: shapes, and what is wrong with them.
class ShapeCollector {
 public:
  explicit ShapeCollector(const ShapeReading& reading)
      : reading_(reading), diagnostics_(reading.file) {}

  void complain(int line, const std::string& message) {
    if (++complaints_ <= kMostComplaints) diagnostics_.add({reading_.file, line, 0}, message);
  }
  bool is_taken(std::string_view column) const { return is_in(reading_.sizes, column); }
  // Whether a text with these columns, or these groups of an expression, has shapes; complains of
  // sizes that none of them gives, and of those that are given elsewhere as well.
  bool has_sizes(const std::vector<std::string>& columns, int line, const std::string& what) {
    bool good = true;
    for (const std::string& column : columns) {
      if (!is_in(reading_.given, column)) continue;
      complain(line, given_twice(column));
      good = false;
    }
    for (const std::string& size : reading_.sizes) {
      if (is_in(columns, size)) continue;
      complain(line, "no " + what + " gives the size " + size + hint_of(size, columns) +
                         where_size_is_set(reading_.table, size));
      good = false;
    }
    return good;
  }
  // How many of them are sizes that are looked for, or calls.
  std::size_t known(const std::vector<std::string>& columns) const {
    return static_cast<std::size_t>(std::ranges::count_if(columns, [&](const std::string& column) {
      return is_taken(column) || std::ranges::find(kCallColumns, column) != std::end(kCallColumns);
    }));
  }
  // The text may be of a program that writes decimals with a comma.
  void expect_decimal_commas() { decimal_commas_ = true; }
  // False where nothing more is taken.
  bool add(const Row& row, int line, const std::string& who) {
    const std::optional<NamedShape> shape = shape_of(row, line, who);
    if (!shape) return complaints_ < kMostComplaints;
    const auto [place, is_new] = places_.try_emplace(shape->sizes, shapes_.size());
    if (!is_new) {
      shapes_[place->second].calls += shape->calls;
    } else if (shapes_.size() == kMostShapes) {
      complain(line, "there are more than " + std::to_string(kMostShapes) + " different shapes");
      return false;
    } else {
      shapes_.push_back(*shape);
    }
    return true;
  }
  std::vector<NamedShape> taken() {
    if (shapes_.empty() && complaints_ == 0) complain(0, "has no shape");
    diagnostics_.throw_if_any();
    return std::move(shapes_);
  }

 private:
  std::optional<NamedShape> shape_of(const Row& row, int line, const std::string& who) {
    NamedShape shape;
    for (const std::string& name : reading_.given) {
      if (!row.contains(name)) continue;
      complain(line, who + given_twice(name));
      return std::nullopt;
    }
    for (const std::string& name : reading_.sizes) {
      const auto cell = row.find(name);
      if (cell == row.end()) {
        complain(line, who + "has no size " + name + where_size_is_set(reading_.table, name));
        return std::nullopt;
      }
      const auto size = number_in<std::int64_t>(cell->second);
      if (!size || *size < 1 || *size > kMostSize) {
        complain(line, who + name + " must be a whole number from 1 to 2^53, not " +
                           in_quotes(cell->second) + hint_for_number(cell->second));
        return std::nullopt;
      }
      shape.sizes.emplace_back(name, *size);
    }
    return with_calls(std::move(shape), row, line, who);
  }
  std::optional<NamedShape> with_calls(NamedShape shape, const Row& row, int line,
                                       const std::string& who) {
    for (const std::string_view column : kCallColumns) {
      const auto cell = row.find(column);
      if (cell == row.end() || is_taken(column)) continue;
      const auto calls = number_in<double>(cell->second);
      // 1.000 is a thousand to those who write a decimal with a comma.
      const bool is_doubted = decimal_commas_ && has_thousands(cell->second, '.');
      if (!calls || !(*calls > 0) || !std::isfinite(*calls) || is_doubted) {
        complain(line, who + std::string(column) + " must be a number above 0, not " +
                           in_quotes(cell->second) + hint_for_number(cell->second));
        return std::nullopt;
      }
      shape.calls = *calls;
      break;
    }
    return shape;
  }

  const ShapeReading& reading_;
  Diagnostics diagnostics_;
  std::size_t complaints_ = 0;
  bool decimal_commas_ = false;
  std::vector<NamedShape> shapes_;
  std::map<std::vector<std::pair<std::string, std::int64_t>>, std::size_t> places_;
};

// --- CSV ---

bool is_header(const std::vector<std::string>& header, ShapeCollector& into, int line) {
  if (header.size() > kMostColumns) {
    into.complain(line, "has more than " + std::to_string(kMostColumns) + " columns");
    return false;
  }
  for (std::size_t i = 0; i < header.size(); ++i) {
    if (header[i].empty()) continue;
    if (std::find(header.begin() + static_cast<std::ptrdiff_t>(i) + 1, header.end(), header[i]) !=
        header.end()) {
      into.complain(line, "there are two columns " + in_quotes(header[i]));
      return false;
    }
  }
  const bool good = into.has_sizes(header, line, "column");
  if (!good && header.size() == 1) {
    into.complain(line, "the header has one column, " + in_quotes(header.front()) +
                            "; columns are parted by ',', ';' or tabs");
  }
  return good;
}

void read_csv(std::string_view text, ShapeCollector& into) {
  std::vector<std::string> header;
  std::optional<char> separator;
  for (int number = 1; !text.empty(); ++number) {
    const std::string_view line = next_line_of(text);
    if (base::trimmed(line).empty() || line.starts_with('#')) continue;
    if (!separator && (separator = told_separator(line))) continue;
    if (!separator)
      separator = separator_of(line, [&](const auto& columns) { return into.known(columns); });
    const auto cells = cells_of(line, *separator);
    if (!cells) {
      into.complain(number, "a quote is not closed in this line");
      return;
    }
    if (header.empty()) {
      header = *cells;
      if (*separator == ';') into.expect_decimal_commas();
      if (!is_header(header, into, number)) return;
      continue;
    }
    if (cells->size() != header.size()) {
      into.complain(number, "has " + std::to_string(cells->size()) + " columns, the header has " +
                                std::to_string(header.size()));
      continue;
    }
    Row row;
    for (std::size_t i = 0; i < header.size(); ++i) row[header[i]] = (*cells)[i];
    if (!into.add(row, number, "")) return;
  }
}

// --- JSON ---

bool add_object(const nlohmann::json& object, int line, const std::string& who,
                ShapeCollector& into) {
  if (!object.is_object()) {
    into.complain(line, who + "expected an object such as {\"M\": 1, \"N\": 4096}");
    return true;
  }
  Row row;
  for (const auto& [name, value] : object.items()) {
    if (value.is_string()) row[name] = value.get<std::string>();
    if (value.is_number()) row[name] = value.dump();
    if ((value.is_null() || value.is_structured()) && into.is_taken(name))
      row[name] = value.type_name();
  }
  return into.add(row, line, who);
}

void read_json(std::string_view text, ShapeCollector& into) {
  const nlohmann::json list = nlohmann::json::parse(text, nullptr, false);
  if (!list.is_array()) {
    into.complain(0, "no JSON: expected a list of objects, or an object a line");
    return;
  }
  std::size_t number = 0;
  for (const nlohmann::json& object : list) {
    if (!add_object(object, 0, "shape " + std::to_string(++number) + ": ", into)) return;
  }
}

void read_json_lines(std::string_view text, ShapeCollector& into) {
  for (int number = 1; !text.empty(); ++number) {
    const std::string_view line = next_line_of(text);
    if (base::trimmed(line).empty()) continue;
    const nlohmann::json object = nlohmann::json::parse(line, nullptr, false);
    if (object.is_discarded()) {
      into.complain(number, "no JSON object in this line");
      return;
    }
    if (!add_object(object, number, "", into)) return;
  }
}

// --- Logs ---

// Complains of a log that takes too long; true where it does.
bool is_late(const ShapeReading& reading, double began, int line, ShapeCollector& into) {
  if (!reading.seconds || reading.seconds() - began <= kMostLogSeconds) return false;
  into.complain(line, "regex takes more than " + std::to_string(kMostLogSeconds) +
                          " s on this log; make it simpler");
  return true;
}

base::BoundedRegex log_pattern(const std::string& regex) {
  base::BoundedRegex pattern(regex);
  if (pattern.names().empty()) {
    throw std::invalid_argument(
        "has no named group; write (?<M>[0-9]+) where the size M of a call stands");
  }
  return pattern;
}

void read_log(std::string_view text, const ShapeReading& reading, ShapeCollector& into) {
  int number = 0;
  try {
    const base::BoundedRegex pattern = log_pattern(reading.regex);
    if (!into.has_sizes(pattern.names(), 0, "group of the regex")) return;
    const double began = reading.seconds ? reading.seconds() : 0;
    for (number = 1; !text.empty(); ++number) {
      if (is_late(reading, began, number, into)) return;
      const std::string_view line = next_line_of(text);
      const base::BoundedRegex::NamedMatch found = pattern.named_in(line);
      if (const std::string part = part_of_number(line, found, pattern); !part.empty()) {
        into.complain(number, part);
        continue;
      }
      const Row row(found.groups.begin(), found.groups.end());
      if (!row.empty() && !into.add(row, number, "")) return;
    }
  } catch (const std::invalid_argument& error) {
    into.complain(number, "regex " + std::string(error.what()));
  }
}

using Point = std::vector<double>;

std::vector<Point> in_logarithms(const std::vector<NamedShape>& shapes) {
  std::vector<Point> points;
  for (const NamedShape& shape : shapes) {
    Point& point = points.emplace_back();
    for (const auto& [name, size] : shape.sizes) {
      point.push_back(std::log(static_cast<double>(size)));
    }
  }
  return points;
}

double squared_distance(const Point& a, const Point& b) {
  double square = 0;
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i)
    square += (a[i] - b[i]) * (a[i] - b[i]);
  return square;
}

std::size_t in_the_middle(const std::vector<Point>& points) {
  Point middle(points.front().size());
  for (const Point& point : points) {
    for (std::size_t i = 0; i < middle.size() && i < point.size(); ++i) {
      middle[i] += point[i] / static_cast<double>(points.size());
    }
  }
  const auto nearest = std::ranges::min_element(
      points, {}, [&](const Point& point) { return squared_distance(point, middle); });
  return static_cast<std::size_t>(nearest - points.begin());
}

}  // namespace

std::string given_twice(const std::string& size) {
  return "the size " + size + " is given by `set` or `each` as well";
}

std::string where_size_is_set(const std::string& table, const std::string& size) {
  return "; where it is one for all, write set = { " + table + "." + size + " = ... }";
}

std::vector<NamedShape> read_shapes(std::string_view text, const ShapeReading& reading) {
  ShapeCollector collector(reading);
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  const std::string_view begin = base::trimmed(text.substr(0, kLookedAt));
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) {
    collector.complain(0, "is written in UTF-16; save it as UTF-8");
  } else if (text.size() > kMostShapeBytes) {
    collector.complain(0, "is a list of more than 16 MiB");
  } else if (!reading.regex.empty()) {
    read_log(text, reading, collector);
  } else if (begin.starts_with('[')) {
    read_json(text, collector);
  } else if (begin.starts_with('{')) {
    read_json_lines(text, collector);
  } else {
    read_csv(text, collector);
  }
  return collector.taken();
}

std::vector<std::size_t> farthest_first(const std::vector<NamedShape>& shapes) {
  std::vector<std::size_t> order;
  if (shapes.empty()) return order;
  const std::vector<Point> points = in_logarithms(shapes);
  std::vector<double> nearest(points.size(), std::numeric_limits<double>::infinity());
  for (std::size_t next = in_the_middle(points); order.size() < points.size();) {
    order.push_back(next);
    nearest[next] = -1;
    for (std::size_t i = 0; i < points.size(); ++i) {
      nearest[i] = std::min(nearest[i], squared_distance(points[i], points[next]));
    }
    next = static_cast<std::size_t>(std::ranges::max_element(nearest) - nearest.begin());
  }
  return order;
}

}  // namespace nightshift::problems
