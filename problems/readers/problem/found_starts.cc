#include "problems/readers/problem/found_starts.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <variant>

#include "base/whole_range.h"
#include "problems/json_scalar.h"
#include "problems/readers/file_paths.h"
#include "problems/recorded_space.h"
#include "problems/value_list.h"
#include "search/element_type.h"
#include "search/rules.h"

namespace nightshift::problems {
namespace {

using Json = nlohmann::json;

[[noreturn]] void fail(std::size_t entry, const std::string& what) {
  throw std::runtime_error("entry " + std::to_string(entry + 1) + " " + what);
}

const Json& member(const Json& entry, const char* name, std::size_t number) {
  const auto found = entry.find(name);
  if (found == entry.end() || !found->is_object()) {
    fail(number, "has no object '" + std::string(name) + "'");
  }
  return *found;
}

FoundConfiguration found_of(const Json& entry, std::size_t number) {
  if (!entry.is_object()) fail(number, "is no object");
  FoundConfiguration found;
  const char* const sizes = entry.contains("shape") ? "shape" : "sizes";
  for (const auto& [name, size] : member(entry, sizes, number).items()) {
    if (is_beyond_integers(size)) {
      fail(number, "has the size " + in_quotes(name) + " of " + size.dump() + "; " +
                       std::string(base::kWholeRange));
    }
    if (!size.is_number_integer()) fail(number, "has a size " + in_quotes(name) + " that is none");
    found.sizes.emplace_back(name, size.get<std::int64_t>());
  }
  const auto dtype = entry.find("dtype");
  if (dtype != entry.end() && dtype->is_string()) found.dtype = dtype->get<std::string>();
  for (const auto& [name, json] : member(entry, "configuration", number).items()) {
    if (is_beyond_integers(json)) {
      fail(number, "has the value " + json.dump() + " of " + in_quotes(name) + "; " +
                       std::string(base::kWholeRange));
    }
    const auto value = json_scalar(json);
    if (!value) fail(number, "has a value of " + in_quotes(name) + " that is none");
    found.configuration.set(name, *value);
  }
  return found;
}

// What an entry of a file has to do with the problem.
enum class Kinship : std::uint8_t { kOwn, kRelated };

// Whether the problem has the entry's parameters: all, or of a related problem's some.
bool has_parameters(const search::Problem& problem, const FoundConfiguration& found,
                    Kinship kinship) {
  const auto is_ours = [&](const auto& entry) {
    return std::ranges::find(problem.parameters, entry.first, &search::Parameter::name) !=
           problem.parameters.end();
  };
  const auto& entries = found.configuration.entries();
  return kinship == Kinship::kOwn ? std::ranges::all_of(entries, is_ours)
                                  : std::ranges::any_of(entries, is_ours);
}

// `complete`, the baseline, with the entry's values. Where the problem has not such a parameter or
// value: nullopt, or what is left of an entry of a related problem.
std::optional<search::Configuration> completed(const search::Problem& problem,
                                               search::Configuration complete,
                                               const search::Configuration& given,
                                               Kinship kinship) {
  for (const auto& [name, value] : given.entries()) {
    const auto parameter = std::ranges::find(problem.parameters, name, &search::Parameter::name);
    const search::Value* known =
        parameter == problem.parameters.end() ? nullptr : find_value(*parameter, value);
    if (known != nullptr) {
      complete.set(name, *known);
    } else if (kinship == Kinship::kOwn) {
      return std::nullopt;
    }
  }
  // What is off has one value.
  for (const search::Parameter& parameter : problem.parameters) {
    if (!parameter.active_when || holds(*parameter.active_when, complete)) continue;
    complete.set(parameter.name, parameter.default_or_first());
  }
  return complete;
}

// How near an entry is to the problem; less is nearer.
class Nearness {
 public:
  using Place = std::tuple<bool, std::size_t, double>;

  Nearness(const search::Problem& problem, const Constants& sizes,
           std::vector<search::Expression> alike)
      : sizes_(sizes), alike_(std::move(alike)) {
    const auto* cuda = std::get_if<search::CudaBackend>(&problem.backend);
    if (cuda != nullptr && cuda->dtype) dtype_ = search::name_of(*cuda->dtype);
  }

  Place of(const FoundConfiguration& found) const {
    Constants theirs = sizes_;
    double doublings = 0;
    for (auto& [name, size] : theirs) {
      const auto named = std::ranges::find(found.sizes, name, &Constants::value_type::first);
      if (named == found.sizes.end()) continue;
      doublings += std::abs(std::log2((magnitude(size) + 1) / (magnitude(named->second) + 1)));
      size = named->second;
    }
    std::size_t unlike = 0;
    for (const search::Expression& expression : alike_) {
      unlike += value_of(expression, theirs) == value_of(expression, sizes_) ? 0 : 1;
    }
    return {!found.dtype.empty() && found.dtype != dtype_, unlike, doublings};
  }

 private:
  static double magnitude(std::int64_t size) { return std::abs(static_cast<double>(size)); }

  // nullopt: a division by zero, or the like.
  static std::optional<search::Value> value_of(const search::Expression& expression,
                                               const Constants& sizes) {
    search::Configuration names;
    for (const auto& [name, size] : sizes) names.set(name, size);
    try {
      return expression.evaluate([&](std::string_view name) { return names.find(name); });
    } catch (const search::ExpressionError&) {
      return std::nullopt;
    }
  }

  const Constants& sizes_;
  std::vector<search::Expression> alike_;
  std::string dtype_;
};

std::string name_of(const LocatedString& file) {
  return "search.starts_file " + in_quotes(std::filesystem::path(file.text).filename().string());
}

std::optional<std::vector<FoundConfiguration>> read_file(const LocatedString& file,
                                                         Diagnostics& diagnostics) {
  try {
    return read_found(read_maybe_gzip(file.text));
  } catch (const std::runtime_error& error) {
    diagnostics.add(file.location, name_of(file) + ": " + error.what());
    return std::nullopt;
  }
}

// Adds those of a file to the problem's starts.
class Starts {
 public:
  Starts(search::Problem& problem, const Nearness& nearness, Diagnostics& diagnostics)
      : problem_(problem),
        nearness_(nearness),
        diagnostics_(diagnostics),
        baseline_(search::resolved(problem, {})) {}

  void add(const LocatedString& file, Kinship kinship) {
    const auto entries = read_file(file, diagnostics_);
    if (!entries) return;
    problem_.scheduling.starts_files.push_back(file.text);
    check(file, *entries, kinship);
    std::vector<search::Configuration>& starts = problem_.scheduling.starts;
    const std::size_t most =
        starts.size() + (kinship == Kinship::kOwn ? kMostFoundStarts : kMostRelatedStarts);
    for (auto& configuration : nearest_first(*entries, kinship)) {
      if (starts.size() == most) break;
      const bool is_new =
          std::ranges::find(starts, configuration) == starts.end() && configuration != baseline_;
      if (is_new && search::satisfies(problem_, configuration)) {
        starts.push_back(std::move(configuration));
      }
    }
  }

 private:
  void check(const LocatedString& file, const std::vector<FoundConfiguration>& entries,
             Kinship kinship) {
    const auto is_ours = [&](const FoundConfiguration& found) {
      return has_parameters(problem_, found, kinship);
    };
    if (entries.empty() || std::ranges::any_of(entries, is_ours)) return;
    diagnostics_.add(file.location,
                     name_of(file) + (kinship == Kinship::kOwn
                                          ? ": each of its " + std::to_string(entries.size()) +
                                                " entries has a parameter that this problem has not"
                                          : ": none of its entries has a parameter that this "
                                            "problem has too"));
  }

  // Those with parameters and values of the problem.
  std::vector<search::Configuration> nearest_first(const std::vector<FoundConfiguration>& entries,
                                                   Kinship kinship) const {
    std::vector<std::pair<Nearness::Place, search::Configuration>> known;
    for (const FoundConfiguration& found : entries) {
      if (auto complete = completed(problem_, baseline_, found.configuration, kinship)) {
        known.emplace_back(nearness_.of(found), std::move(*complete));
      }
    }
    std::ranges::stable_sort(known, {}, [](const auto& one) { return one.first; });
    std::vector<search::Configuration> ordered;
    for (auto& [place, configuration] : known) ordered.push_back(std::move(configuration));
    return ordered;
  }

  search::Problem& problem_;
  const Nearness& nearness_;
  Diagnostics& diagnostics_;
  search::Configuration baseline_;
};

}  // namespace

std::vector<FoundConfiguration> read_found(std::string_view json) {
  const Json whole = Json::parse(json, nullptr, false);
  if (whole.is_discarded()) throw std::runtime_error("is no JSON");
  const Json* list = &whole;
  if (whole.is_object() && whole.contains("found")) list = &whole["found"];
  if (!list->is_array()) throw std::runtime_error("has no list of what was found");
  std::vector<FoundConfiguration> found;
  for (std::size_t i = 0; i < list->size(); ++i) found.push_back(found_of((*list)[i], i));
  return found;
}

StartsFiles read_starts_files(TableReader& search, const std::string& problem_file) {
  StartsFiles files;
  const toml::node* given = search.take("starts_file");
  if (given != nullptr && given->value<std::string>() != "") {
    search.files("starts_file", folder_of(problem_file), files.files);
  }
  std::vector<std::string> texts;
  if (search.strings("starts_alike", texts)) {
    for (const toml::node& element : *search.take("starts_alike")->as_array()) {
      files.alike.push_back(located_string(element));
    }
  }
  return files;
}

void add_found_starts(search::Problem& problem, const StartsFiles& files,
                      const std::vector<Constants>& cases, Diagnostics& diagnostics) {
  KnownNames names;
  for (const auto& [name, size] : cases.front()) names.parameters.push_back(name);
  std::vector<search::Expression> alike;
  for (const LocatedString& text : files.alike) {
    auto expression = read_expression(text, "search.starts_alike", names, diagnostics);
    if (expression) alike.push_back(std::move(*expression));
  }
  if (files.files.empty() || !diagnostics.empty() || !diagnostics.needs_files()) return;
  const Nearness nearness(problem, cases.front(), std::move(alike));
  Starts starts(problem, nearness, diagnostics);
  for (const LocatedString& file : files.files) {
    starts.add(file, &file == &files.files.front() ? Kinship::kOwn : Kinship::kRelated);
  }
}

}  // namespace nightshift::problems
