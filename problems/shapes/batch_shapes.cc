#include "problems/shapes/batch_shapes.h"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <optional>
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

namespace fs = std::filesystem;

// The table of a problem file that has its sizes, and their names.
struct ProblemSizes {
  std::string table;
  std::vector<std::string> names;
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

ProblemSizes sizes_of_problem(const std::string& problem) {
  ProblemSizes sizes;
  if (!problem.ends_with(".toml")) return sizes;
  const toml::table file = parse_toml(read_maybe_gzip(problem), problem);
  for (const char* backend : {"host", "cuda"}) {
    const toml::table* found = file[backend]["sizes"].as_table();
    if (found == nullptr) continue;
    sizes.table = std::string(backend) + ".sizes";
    sizes.names = names_in_order(*found);
  }
  return sizes;
}

class ShapesReader {
 public:
  ShapesReader(const toml::node& node, const fs::path& folder, Diagnostics& diagnostics)
      : node_(node), folder_(folder), diagnostics_(diagnostics) {}

  StudyShapes read(const std::string& problem) {
    const std::optional<ProblemSizes> sizes = sizes_of(problem);
    if (!sizes) return {};
    ShapeReading reading;
    reading.sizes = sizes->names;
    reading.file = diagnostics_.file();
    try {
      const std::optional<std::string> text = text_of(reading);
      if (!text) return {};
      return {sizes->table, read_shapes(*text, reading)};
    } catch (const ProblemFileError& error) {
      // A list that stands here has no lines of its own.
      const bool is_here = reading.file == diagnostics_.file();
      for (const Diagnostic& found : error.diagnostics()) {
        diagnostics_.add(is_here ? location_of(node_.source())
                                 : SourceLocation{found.file, found.line, found.column},
                         found.message);
      }
    } catch (const std::exception& error) {
      complain(error.what());
    }
    return {};
  }

 private:
  void complain(const std::string& message) {
    diagnostics_.add(location_of(node_.source()), "shapes " + message);
  }

  std::optional<ProblemSizes> sizes_of(const std::string& problem) {
    try {
      ProblemSizes sizes = sizes_of_problem(problem);
      if (!sizes.names.empty()) return sizes;
      complain("are values of [host.sizes] or [cuda.sizes], and " + problem +
               " has neither; write a [[study]] with `shape` for each");
    } catch (const std::exception& error) {
      complain("cannot be read without the sizes of the problem: " + std::string(error.what()));
    }
    return std::nullopt;
  }

  // Says in `reading` where the text comes from.
  std::optional<std::string> text_of(ShapeReading& reading) {
    if (const toml::array* list = node_.as_array()) return text_of_list(*list, reading.sizes);
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
    const std::optional<std::string> path = find_file(folder_, name);
    if (!path) {
      complain(no_such_file(folder_, name));
      return std::nullopt;
    }
    reading.file = *path;
    return base::read_whole_file(*path);
  }

  std::optional<std::string> text_of_list(const toml::array& list,
                                          const std::vector<std::string>& sizes) {
    std::vector<std::string> known = sizes;
    known.insert(known.end(), std::begin(kCallColumns), std::end(kCallColumns));
    bool good = true;
    for (const toml::node& shape : list) {
      const toml::table* table = shape.as_table();
      if (table == nullptr) {
        diagnostics_.add(location_of(shape.source()),
                         "a shape must be a table such as { M = 1, N = 4096 }");
        good = false;
        continue;
      }
      for (const auto& [key, value] : *table) {
        const std::string name(key.str());
        if (std::ranges::find(known, name) != known.end()) continue;
        diagnostics_.add(location_of(value.source()),
                         "'" + name + "' is no size of the problem" + suggestion(name, known));
        good = false;
      }
    }
    if (!good) return std::nullopt;
    std::ostringstream text;
    text << toml::json_formatter{list};
    return text.str();
  }

  const toml::node& node_;
  const fs::path& folder_;
  Diagnostics& diagnostics_;
};

}  // namespace

StudyShapes read_study_shapes(const toml::node& node, const std::string& problem,
                              const std::filesystem::path& folder, Diagnostics& diagnostics) {
  return ShapesReader(node, folder, diagnostics).read(problem);
}

}  // namespace nightshift::problems
