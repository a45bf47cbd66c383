#include "problems/batch_file.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <sstream>
#include <system_error>
#include <utility>

#include "base/quantity.h"
#include "problems/batch_keys.h"
#include "problems/batch_order.h"
#include "problems/batch_paths.h"
#include "problems/budget_text.h"
#include "problems/readers/diagnostics.h"
#include "problems/readers/file_paths.h"
#include "problems/readers/table_reader.h"
#include "problems/readers/toml/toml_text.h"
#include "problems/recorded_space.h"
#include "problems/shapes/batch_shapes.h"
#include "problems/shapes/study_count.h"

namespace nightshift::problems {
namespace {

namespace fs = std::filesystem;

// A name becomes a folder.
bool is_folder_name(const std::string& name) {
  return !name.empty() && name.front() != '.' && name.find('/') == std::string::npos &&
         name.size() <= 200 && std::ranges::all_of(name, [](unsigned char c) { return c >= ' '; });
}
constexpr const char* kFolderName =
    "becomes a folder: it may have no '/', and no '.' at its beginning";

// What the batch itself keeps in its folder, beside those of its studies.
bool is_kept_by_batch(const std::string& name) {
  return name == "scratch" || name == "hooks.log" || name.starts_with("batch.");
}

using NamedNodes = std::vector<std::pair<std::string, const toml::node*>>;

// Keys in their dotted form, whether they are written as a.b.c or as tables in tables.
void flatten(const toml::table& table, const std::string& prefix, NamedNodes& settings) {
  for (const auto& [key, node] : table) {
    const std::string name =
        prefix.empty() ? std::string(key.str()) : prefix + "." + std::string(key.str());
    if (const toml::table* inner = node.as_table()) {
      flatten(*inner, name, settings);
    } else {
      settings.emplace_back(name, &node);
    }
  }
}

std::string toml_text(const toml::node& node) {
  std::ostringstream text;
  node.visit([&text](const auto& value) { text << value; });
  return text.str();
}

// As part of a name: 'float32' and 4096 without quotes, else what is harmless of it.
std::string word_of(const toml::node& node) {
  std::string word = node.is_string() ? node.as_string()->get() : toml_text(node);
  for (char& c : word) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '.';
    if (!plain) c = '_';
  }
  return word;
}

class BatchReader {
 public:
  BatchReader(const toml::table& table, const std::string& path, Diagnostics& diagnostics)
      : root_(table, batch_file_keys(), "", diagnostics),
        folder_(folder_of(path)),
        diagnostics_(diagnostics) {
    batch_.name = fs::path(path).stem().string();
  }

  BatchFile read() {
    if (root_.string("name", batch_.name) && !is_folder_name(batch_.name)) {
      root_.error("name", kFolderName);
    }
    if (auto hooks = root_.subtable("hooks")) read_hooks(*hooks);
    Entry defaults;
    if (auto table = root_.subtable("defaults")) read_entry(*table, defaults);
    for (TableReader& table : root_.subtables("study")) {
      Entry entry = defaults;
      entry.study.after.clear();
      table.require("problem");
      read_entry(table, entry);
      if (!entry.study.problem.empty()) add(entry, table.location());
    }
    root_.finish();
    if (batch_.studies.empty() && diagnostics_.empty()) {
      diagnostics_.add({}, "there are no studies; add one under [[study]]");
    }
    std::vector<OrderedStudy> studies;
    for (BatchEntry& study : batch_.studies) studies.push_back({study.name, study.after});
    settle_order(studies, families_, diagnostics_);
    check_shapes();
    return std::move(batch_);
  }

 private:
  struct Entry {
    BatchEntry study;
    NamedNodes each;
    const toml::node* shapes = nullptr;
    const toml::node* shape = nullptr;  // of one study; at most one of both
    std::size_t full_shapes = 0;        // 0: all
    std::vector<Override> rest;         // budget of the others
  };

  void read_entry(TableReader& table, Entry& entry) {
    BatchEntry& study = entry.study;
    // A file that is not there is that study's fault alone, and told when it is read.
    std::string problem;
    if (table.string("problem", problem)) {
      study.problem = (folder_ / problem).lexically_normal().string();
    }
    if (table.string("name", study.name) && !is_folder_name(study.name)) {
      table.error("name", kFolderName);
    }
    std::string budget;
    if (table.string("budget", budget)) add_budget(table, "budget", budget, study.overrides);
    table.number("weight", study.weight);
    table.integer("devices", study.devices_least);
    table.integer("devices_most", study.devices_most);
    if (study.devices_most > 0 && study.devices_most < study.devices_least) {
      table.error("devices_most", "is less than devices");
    }
    table.strings("after", study.after);
    read_deadline(table, study);
    table.number("patience", study.patience);
    table.boolean("warm_start", study.warm_start);
    NamedNodes set;
    if (take_table(table, "set", set)) {
      for (const auto& [key, node] : set) study.overrides.emplace_back(key, toml_text(*node));
    }
    read_each(table, entry);
    read_shape_keys(table, entry);
    table.finish();
  }

  static void read_deadline(TableReader& table, BatchEntry& study) {
    std::string deadline;
    if (!table.string("deadline", deadline)) return;
    study.deadline = base::parse_seconds(deadline);
    if (!study.deadline || *study.deadline <= 0) {
      table.error("deadline", "must be a duration such as \"2h\"");
    }
  }

  void read_each(TableReader& table, Entry& entry) {
    NamedNodes each;
    if (!take_table(table, "each", each)) return;
    for (const auto& [key, node] : each) {
      const toml::array* list = node->as_array();
      if (list == nullptr || list->empty()) {
        diagnostics_.add(location_of(node->source()), "each." + key + " must be a list of values");
        continue;
      }
      std::erase_if(entry.each, [&key = key](const auto& own) { return own.first == key; });
      entry.each.emplace_back(key, node);
    }
  }

  void read_shape_keys(TableReader& table, Entry& entry) {
    const toml::node* shapes = table.take("shapes");
    const toml::node* shape = table.take("shape");
    if (shapes != nullptr && shape != nullptr) {
      table.error("shape", "and shapes: expected one of them");
    } else if (shapes != nullptr || shape != nullptr) {
      entry.shapes = shapes;
      entry.shape = shape;
    }
    table.integer("full_shapes", entry.full_shapes);
    std::string budget;
    if (table.string("rest_budget", budget)) add_budget(table, "rest_budget", budget, entry.rest);
    table.number("calls", entry.study.calls);
  }

  bool take_table(TableReader& table, const char* key, NamedNodes& settings) {
    const toml::node* node = table.take(key);
    if (node == nullptr) return false;
    if (const toml::table* found = node->as_table()) {
      flatten(*found, "", settings);
      return true;
    }
    table.error(key, "must be a table, such as { host.sizes.N = 4096 }");
    return false;
  }

  void read_hooks(TableReader& table) {
    table.string("on_improvement", batch_.hooks.on_improvement);
    table.string("on_failure", batch_.hooks.on_failure);
    table.string("on_end", batch_.hooks.on_end);
    table.finish();
  }

  static void add_budget(TableReader& table, const char* key, const std::string& text,
                         std::vector<Override>& overrides) {
    if (const auto budget = read_budget(text)) {
      overrides.insert(overrides.end(), budget->begin(), budget->end());
    } else {
      table.error(key, std::string("must be ") + kBudgetForm);
    }
  }

  void add(const Entry& entry, const SourceLocation& location) {
    const std::string base =
        entry.study.name.empty() ? default_name(entry.study.problem) : entry.study.name;
    if (entry.shapes == nullptr && entry.shape == nullptr) {
      if (has_room(entry, 1, base, location)) add_each(entry, base, base, location);
      return;
    }
    const ShapedStudy study{entry.study.problem, folder_, keys_of(entry)};
    const StudyShapes found = entry.shapes != nullptr
                                  ? read_study_shapes(*entry.shapes, study, diagnostics_)
                                  : read_study_shape(*entry.shape, study, diagnostics_);
    if (!has_room(entry, found.shapes.size(), base, location)) return;
    std::vector<std::size_t> order(found.shapes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (entry.full_shapes > 0) order = farthest_first(found.shapes);
    for (std::size_t i = 0; i < order.size(); ++i) {
      const NamedShape& shape = found.shapes[order[i]];
      Entry one = entry;
      std::string name = base;
      for (const auto& [size, value] : shape.sizes) {
        if (!found.table.empty()) {
          one.study.overrides.emplace_back(found.table + "." + size, std::to_string(value));
        }
        if (entry.shapes != nullptr) name += "-" + size + std::to_string(value);
      }
      one.study.shape = shape.sizes;
      if (entry.shapes != nullptr) one.study.calls = shape.calls;
      if (entry.full_shapes > 0 && i >= entry.full_shapes) {
        one.study.overrides.insert(one.study.overrides.end(), entry.rest.begin(), entry.rest.end());
      }
      add_each(one, base, name, location);
    }
  }

  // Whether what an entry makes are no more studies than a batch may have. The place of too many is
  // that of its product, also where `each` stands in the defaults.
  bool has_room(const Entry& entry, std::size_t shapes, const std::string& family,
                const SourceLocation& location) {
    StudyProduct product{family, shapes, {}};
    for (const auto& [key, list] : entry.each) product.lists.push_back(list->as_array()->size());
    const std::string flaw = flaw_of_product(product, batch_.studies.size());
    if (flaw.empty()) return true;
    const toml::node* list = entry.each.empty() ? entry.shapes : entry.each.front().second;
    diagnostics_.add(list != nullptr ? location_of(list->source()) : location, flaw);
    families_.try_emplace(family);  // what comes after it is no mistake as well
    return false;
  }

  static std::vector<std::string> keys_of(const Entry& entry) {
    std::vector<std::string> keys;
    for (const auto& [key, value] : entry.study.overrides) keys.push_back(key);
    for (const auto& [key, list] : entry.each) keys.push_back(key);
    return keys;
  }

  // A study for every combination of the values that `each` has.
  void add_each(const Entry& entry, const std::string& family, const std::string& name,
                const SourceLocation& location) {
    std::vector<std::size_t> digits(entry.each.size(), 0);
    while (true) {
      BatchEntry study = entry.study;
      study.name = name;
      std::map<std::pair<int, int>, std::pair<std::string, std::int64_t>> sizes;  // by place
      for (std::size_t k = 0; k < digits.size(); ++k) {
        const auto& [key, list] = entry.each[k];
        const toml::node& value = *list->as_array()->get(digits[k]);
        const std::string last = key.substr(key.rfind('.') + 1);
        study.overrides.emplace_back(key, toml_text(value));
        study.name += "-" + last + word_of(value);
        if (value.is_integer() && key.find(".sizes.") != std::string::npos) {
          const SourceLocation at = location_of(list->source());
          sizes[{at.line, at.column}] = {last, value.as_integer()->get()};
        }
      }
      for (const auto& [place, size] : sizes) study.shape.push_back(size);
      if (is_kept_by_batch(study.name)) {
        diagnostics_.add(location,
                         "a study can't be called '" + study.name +
                             "', since the batch keeps a file of that name beside it: give "
                             "it another name");
      }
      if (!names_.insert(study.name).second) {
        diagnostics_.add(
            location, "there are two studies called '" + study.name + "'; give one another name");
      }
      families_[family].push_back(study.name);
      batch_.studies.push_back(std::move(study));
      std::size_t k = digits.size();
      while (k > 0 && ++digits[k - 1] == entry.each[k - 1].second->as_array()->size()) {
        digits[--k] = 0;
      }
      if (k == 0) return;
    }
  }

  void check_shapes() {
    MeasuredShapes shapes;
    for (const BatchEntry& study : batch_.studies) {
      const auto other = shapes.added({study.name, study.problem, study.overrides, study.shape});
      if (!other) continue;
      diagnostics_.add({},
                       "studies '" + *other + "' and '" + study.name +
                           "' have different shapes and measure the same: `shape` sets "
                           "[host.sizes] and [cuda.sizes] alone; say with `set` what else it is");
    }
  }

  TableReader root_;
  fs::path folder_;
  Diagnostics& diagnostics_;
  BatchFile batch_;
  std::set<std::string> names_;
  StudyFamilies families_;
};

BatchFile of_paths(const std::vector<std::string>& paths, Diagnostics& diagnostics) {
  BatchFile batch;
  batch.name = default_name(fs::absolute(paths.front()).lexically_normal());
  for (NamedProblem& problem : problems_at(paths, diagnostics)) {
    BatchEntry& study = batch.studies.emplace_back();
    study.name = std::move(problem.name);
    study.problem = std::move(problem.file);
  }
  return batch;
}

// A folder that has a batch's file is that batch.
std::string file_of_batch(const std::string& path) {
  const fs::path inside = fs::path(path) / "batch.toml";
  std::error_code ignored;
  return fs::is_regular_file(inside, ignored) ? inside.string() : path;
}

// nullopt where the file is none of a batch.
std::optional<toml::table> batch_table(const std::string& file) {
  std::error_code ignored;
  if (!file.ends_with(".toml") || !fs::exists(file, ignored)) return std::nullopt;
  toml::table table = parse_toml(read_maybe_gzip(file), file);
  if (!table.contains("study") && !table.contains("defaults")) return std::nullopt;
  return table;
}

}  // namespace

BatchFile inspect_batch(const std::vector<std::string>& paths, std::vector<Diagnostic>& mistakes) {
  const std::string file = file_of_batch(paths.front());
  Diagnostics diagnostics(paths.front());
  BatchFile batch;
  try {
    const auto table = paths.size() == 1 ? batch_table(file) : std::nullopt;
    batch = table ? BatchReader(*table, file, diagnostics).read() : of_paths(paths, diagnostics);
    diagnostics.throw_if_any();
  } catch (const ProblemFileError& error) {
    mistakes = error.diagnostics();
  }
  return batch;
}

bool is_batch_file(const std::string& path) {
  try {
    return batch_table(file_of_batch(path)).has_value();
  } catch (const ProblemFileError&) {
    return false;  // no TOML: what is wrong with it is told by who reads it
  }
}

BatchFile read_batch(const std::vector<std::string>& paths) {
  std::vector<Diagnostic> mistakes;
  BatchFile batch = inspect_batch(paths, mistakes);
  if (!mistakes.empty()) throw ProblemFileError(std::move(mistakes));
  return batch;
}

}  // namespace nightshift::problems
