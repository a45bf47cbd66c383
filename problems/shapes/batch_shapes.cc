#include "problems/shapes/batch_shapes.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <sstream>
#include <utility>

#include "base/file_text.h"
#include "base/text.h"
#include "problems/readers/diagnostics.h"
#include "problems/readers/file_paths.h"
#include "problems/readers/table_reader.h"
#include "problems/readers/toml/toml_text.h"
#include "problems/recorded_space.h"

namespace nightshift::problems {
namespace {

// The table of a problem file that has its sizes, and their names.
struct ProblemSizes {
  std::string table;
  std::vector<std::string> names;
  std::string cases;  // that it has in their place: "host.cases"
};

// As they stand in the file: a TOML table is sorted by name.
std::vector<std::string> names_in_order(const toml::table& sizes) {
  std::vector<std::pair<std::pair<std::uint32_t, std::uint32_t>, std::string>> found;
  for (const auto& [name, value] : sizes) {
    const toml::source_position& at = value.source().begin;
    found.push_back({{at.line, at.column}, std::string(name.str())});
  }
  std::ranges::sort(found);
  std::vector<std::string> names;
  for (const auto& [place, name] : found) names.push_back(name);
  return names;
}

double seconds_now() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

ProblemSizes sizes_of_problem(const std::string& problem) {
  ProblemSizes sizes;
  if (!problem.ends_with(".toml")) return sizes;
  const toml::table file = parse_toml(read_maybe_gzip(problem), problem);
  for (const char* backend : {"host", "cuda", "command"}) {
    if (file[backend]["cases"].is_array()) sizes.cases = std::string(backend) + ".cases";
  }
  for (const char* backend : {"host", "cuda"}) {
    const toml::table* found = file[backend]["sizes"].as_table();
    if (found == nullptr) continue;
    sizes.table = std::string(backend) + ".sizes";
    sizes.names = names_in_order(*found);
  }
  return sizes;
}

std::string about_cases(const ProblemSizes& sizes) {
  if (sizes.cases.empty()) return "";
  return ": its [[" + sizes.cases + "]] are measured together and make one figure, so that no " +
         "table can choose by them";
}

class ShapesReader {
 public:
  ShapesReader(const toml::node& node, std::string key, const ShapedStudy& study,
               Diagnostics& diagnostics)
      : node_(node), key_(std::move(key)), study_(study), diagnostics_(diagnostics) {}

  StudyShapes read() {
    const std::optional<ProblemSizes> sizes = sizes_of_study();
    if (!sizes) return {};
    ShapeReading reading = reading_of(*sizes);
    try {
      const std::optional<std::string> text = text_of(reading);
      if (text) return shapes_in(*text, reading);
    } catch (const std::exception& error) {
      complain(error.what());
    }
    return {};
  }

  StudyShapes read_one() {
    const toml::table* shape = node_.as_table();
    const bool is_shape =
        shape != nullptr && !shape->empty() && std::ranges::all_of(*shape, [](const auto& entry) {
          const auto* size = entry.second.as_integer();
          return size != nullptr && size->get() >= 1;
        });
    if (!is_shape) {
      complain("must have whole numbers from 1, such as { M = 1, N = 4096 }");
      return {};
    }
    const ProblemSizes sizes = sizes_if_readable();
    NamedShape one;
    for (const std::string& name : names_in_order(*shape)) {
      one.sizes.emplace_back(name, shape->get(name)->as_integer()->get());
    }
    if (!sizes.names.empty() && !has_sizes_of_problem(*shape, reading_of(sizes))) return {};
    return {sizes.table, {std::move(one)}};
  }

 private:
  void complain(const std::string& message) {
    diagnostics_.add(location_of(node_.source()), key_ + " " + message);
  }

  // Which sizes a shape has, and which the study sets for all.
  ShapeReading reading_of(const ProblemSizes& sizes) const {
    ShapeReading reading;
    reading.file = diagnostics_.file();
    reading.table = sizes.table;
    reading.seconds = seconds_now;
    for (const std::string& name : sizes.names) {
      const bool is_set =
          std::ranges::find(study_.keys, sizes.table + "." + name) != study_.keys.end();
      (is_set ? reading.given : reading.sizes).push_back(name);
    }
    return reading;
  }

  StudyShapes shapes_in(const std::string& text, const ShapeReading& reading) {
    try {
      return {reading.table, read_shapes(text, reading)};
    } catch (const ProblemFileError& error) {
      // A list that stands here has no lines of its own.
      const bool is_here = reading.file == diagnostics_.file();
      for (const Diagnostic& found : error.diagnostics()) {
        diagnostics_.add(is_here ? location_of(node_.source())
                                 : SourceLocation{found.file, found.line, found.column},
                         found.message);
      }
    }
    return {};
  }

  // A file that cannot be read is the fault of its study alone, and told when that begins.
  ProblemSizes sizes_if_readable() const {
    try {
      return sizes_of_problem(study_.problem);
    } catch (const std::exception&) {
      return {};
    }
  }

  std::optional<ProblemSizes> sizes_of_study() {
    try {
      ProblemSizes sizes = sizes_of_problem(study_.problem);
      if (!sizes.names.empty()) return sizes;
      complain("are values of [host.sizes] or [cuda.sizes], and " + study_.problem +
               " has neither" + about_cases(sizes) + "; write a [[study]] with `shape` for each");
    } catch (const std::exception& error) {
      complain("cannot be read without the sizes of the problem: " + std::string(error.what()));
    }
    return std::nullopt;
  }

  // Says in `reading` where the text comes from.
  std::optional<std::string> text_of(ShapeReading& reading) {
    if (const toml::array* list = node_.as_array()) return text_of_list(*list, reading);
    if (const auto* name = node_.as_string()) return text_of_file(name->get(), reading);
    const toml::table* log = node_.as_table();
    const auto* file = log == nullptr ? nullptr : log->get_as<std::string>("file");
    const auto* regex = log == nullptr ? nullptr : log->get_as<std::string>("regex");
    if (file == nullptr || regex == nullptr || regex->get().empty() || log->size() != 2) {
      complain(
          "must be a list of tables such as { M = 1, N = 4096, count = 3 }, the name of a "
          "file, or { file = \"calls.log\", regex = \"M=(?<M>\\\\d+)\" }");
      return std::nullopt;
    }
    reading.regex = regex->get();
    return text_of_file(file->get(), reading);
  }

  std::optional<std::string> text_of_file(const std::string& name, ShapeReading& reading) {
    const std::optional<std::string> path = find_file(study_.folder, name);
    if (!path) {
      complain(no_such_file(study_.folder, name));
      return std::nullopt;
    }
    reading.file = *path;
    return base::read_whole_file(*path);
  }

  std::optional<std::string> text_of_list(const toml::array& list, const ShapeReading& reading) {
    bool good = true;
    for (const toml::node& shape : list) {
      const toml::table* table = shape.as_table();
      if (table == nullptr) {
        diagnostics_.add(location_of(shape.source()),
                         "a shape must be a table such as { M = 1, N = 4096 }");
        good = false;
        continue;
      }
      good = has_only_sizes(*table, reading, kCallColumns) && good;
    }
    if (!good) return std::nullopt;
    std::ostringstream text;
    text << toml::json_formatter{list};
    return text.str();
  }

  // And what else is known.
  bool has_only_sizes(const toml::table& shape, const ShapeReading& reading,
                      std::span<const std::string_view> others) {
    std::vector<std::string> known = reading.sizes;
    known.insert(known.end(), others.begin(), others.end());
    bool good = true;
    for (const auto& [key, value] : shape) {
      const std::string name(key.str());
      if (std::ranges::find(known, name) != known.end()) continue;
      const bool is_given = std::ranges::find(reading.given, name) != reading.given.end();
      diagnostics_.add(location_of(value.source()),
                       is_given
                           ? given_twice(name)
                           : "'" + name + "' is no size of the problem" + suggestion(name, known));
      good = false;
    }
    return good;
  }

  bool has_sizes_of_problem(const toml::table& shape, const ShapeReading& reading) {
    bool good = has_only_sizes(shape, reading, {});
    for (const std::string& name : reading.sizes) {
      if (shape.contains(name)) continue;
      complain("has no size " + name + where_size_is_set(reading.table, name));
      good = false;
    }
    return good;
  }

  const toml::node& node_;
  std::string key_;
  const ShapedStudy& study_;
  Diagnostics& diagnostics_;
};

}  // namespace

StudyShapes read_study_shapes(const toml::node& node, const ShapedStudy& study,
                              Diagnostics& diagnostics) {
  return ShapesReader(node, "shapes", study, diagnostics).read();
}

StudyShapes read_study_shape(const toml::node& node, const ShapedStudy& study,
                             Diagnostics& diagnostics) {
  return ShapesReader(node, "shape", study, diagnostics).read_one();
}

std::optional<std::string> MeasuredShapes::added(const Study& study) {
  if (study.shape.empty()) return std::nullopt;
  std::vector<Override> settings = study.overrides;
  std::erase_if(settings, [](const Override& one) { return one.first.starts_with("budget."); });
  const auto place = std::pair(study.problem, std::move(settings));
  const auto [other, is_new] = known_.try_emplace(place, study);
  if (is_new || other->second.shape == study.shape) return std::nullopt;
  return other->second.name;
}

}  // namespace nightshift::problems
