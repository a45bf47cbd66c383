#include "problems/readers/t1/t1_problem.h"

#include <cmath>
#include <filesystem>
#include <limits>
#include <utility>

#include "problems/problem_keys.h"
#include "problems/readers/file_paths.h"
#include "problems/readers/json_format.h"
#include "problems/readers/json_reader.h"
#include "problems/readers/overrides.h"
#include "problems/readers/problem/argument_types.h"
#include "problems/readers/problem/baseline.h"
#include "problems/readers/problem/cuda_problem.h"
#include "problems/readers/problem/settings.h"
#include "problems/readers/recorded/recorded_problem.h"
#include "problems/readers/t1/t1_cuda.h"
#include "problems/readers/t1/t1_defaults.h"
#include "problems/readers/t1/t1_host.h"
#include "problems/readers/t1/t1_members.h"
#include "problems/readers/t1/t1_space.h"
#include "search/searcher_catalogue.h"
#include "search/time_unit.h"

namespace nightshift::problems {
namespace {

nlohmann::json parse(std::string_view text, const std::string& path) {
  try {
    return nlohmann::json::parse(text.begin(), text.end());
  } catch (const nlohmann::json::parse_error& error) {
    const TextPosition at = position_in(text, error.byte > 0 ? error.byte - 1 : 0);
    throw ProblemFileError(
        {{path, at.line, at.column, std::string("no valid JSON: ") + error.what()}});
  } catch (const nlohmann::json::exception& error) {
    throw ProblemFileError({{path, 0, 0, std::string("no valid JSON: ") + error.what()}});
  }
}

void read_limit(const JsonReader& entry, search::Budget& budget) {
  std::string type;
  if (entry.require("Type") == nullptr || !entry.string("Type", type)) return;
  if (entry.require("BudgetValue") == nullptr) return;
  const auto value = entry.number("BudgetValue");
  if (!value) return;
  if (!(*value > 0 && *value < 1e15)) {
    entry.error("BudgetValue", "must be more than 0");
  } else if (type == "TuningDuration") {
    budget.seconds = *value;
  } else if (type == "ConfigurationCount") {
    budget.trials = static_cast<std::uint64_t>(std::ceil(*value));
  } else {
    const std::vector<std::string> known = {"TuningDuration", "ConfigurationCount"};
    entry.error("Type", "must be " + alternatives(known) + ", not " + in_quotes(type) +
                            suggestion(type, known));
  }
}

// A list of limits; in older files one limit alone.
void read_budget(const JsonReader& root, search::Budget& budget) {
  const nlohmann::json* node = root.find("Budget");
  if (node != nullptr && node->is_object()) {
    read_limit(*root.object("Budget"), budget);
    return;
  }
  for (const JsonReader& entry : root.objects("Budget")) read_limit(entry, budget);
}

// Files of other tuners name searchers that only those have; then ours stays.
void read_search(const JsonReader& root, search::SchedulingSettings& scheduling) {
  const auto search = root.object("Search");
  std::string name;
  if (!search || !search->string("Name", name)) return;
  for (const search::SearcherInfo& known : search::searcher_catalogue()) {
    if (known.name == name) scheduling.searcher = name;
  }
}

void read_time_unit(const JsonReader& root, search::Objective& time,
                    std::vector<std::string>& notes) {
  const auto general = root.object("General");
  std::string name;
  if (!general || !general->string("TimeUnit", name)) return;
  const search::Unit* unit = search::find_unit(name);
  if (unit != nullptr && search::find_time_unit(unit->name) != nullptr) {
    time.unit = unit->name;
  } else {
    notes.push_back("the TimeUnit " + in_quotes(name) + " is none of ours; times are in " +
                    time.unit);
  }
}

class ProblemReader {
 public:
  ProblemReader(const nlohmann::json& json, const JsonLocations& locations, const std::string& path,
                const toml::table& settings, Diagnostics& diagnostics)
      : json_(json, "", locations, diagnostics),
        settings_(settings, problem_file_keys(), "", diagnostics),
        folder_(folder_of(path)),
        diagnostics_(diagnostics) {
    problem_.file = std::filesystem::absolute(path).lexically_normal().string();
  }

  ProblemReading read() {
    if (json_.require("ConfigurationSpace") != nullptr) {
      if (const auto space = json_.object("ConfigurationSpace")) {
        read_t1_space(*space, problem_, names_.known);
        if (!runs_on_cores()) add_block_size_condition(problem_);
      }
    }
    reading_.knows_space = diagnostics_.empty();
    names_.parameters = problem_.parameters;
    read_budget(json_, problem_.budget);
    read_search(json_, problem_.scheduling);
    read_time_unit(json_, problem_.objectives.front(), problem_.notes);

    settings_.string("name", problem_.name);
    auto recorded = settings_.subtable("recorded");
    const std::vector<BaselineEntry> baseline = read_baseline(settings_);
    using search::Target;
    problem_.target = recorded ? Target::kRecording : is_cuda() ? Target::kGpus : Target::kCores;
    problem_.sampling.cold_cache = problem_.target == Target::kGpus;  // unless [measure] says so
    read_settings(settings_, problem_);
    const NamedConfigurations named = read_named(settings_, problem_.file);
    settings_.finish();

    if (json_.require("KernelSpecification") != nullptr) {
      if (const auto kernel = json_.object("KernelSpecification")) {
        read_kernel(*kernel, recorded, baseline);
      }
    }
    std::vector<std::string> known;
    for (const search::Parameter& p : problem_.parameters) known.push_back(p.name);
    set_named(problem_, named, {{known}}, diagnostics_);
    settle_budget(problem_);
    return std::move(reading_);
  }

 private:
  void read_kernel(const JsonReader& kernel, std::optional<TableReader>& recorded,
                   const std::vector<BaselineEntry>& baseline) {
    if (problem_.name.empty()) kernel.string("KernelName", problem_.name);
    if (problem_.name.empty()) problem_.name = std::filesystem::path(problem_.file).stem().string();
    std::string language;
    kernel.string("Language", language);
    if (recorded) {
      replay(*recorded, baseline);
    } else if (language == "C++" || language == "C") {
      PlacedHost host = read_t1_host(kernel, names_, folder_);
      settle_baseline(kernel, baseline);
      if (diagnostics_.empty()) check_arguments(problem_, host, diagnostics_);
      problem_.backend = std::move(host.backend);
    } else if (language == "CUDA") {
      PlacedCuda cuda = read_t1_cuda(kernel, names_, folder_, problem_.notes);
      cuda.backend.figures = figures_of(problem_, cuda.backend, {}, diagnostics_);
      settle_baseline(kernel, baseline);
      if (diagnostics_.empty()) check_uses(cuda, diagnostics_);
      if (diagnostics_.empty()) check_amounts(problem_, cuda, diagnostics_);
      if (diagnostics_.empty()) check_argument_types(problem_, cuda, diagnostics_);
      problem_.backend = std::move(cuda.backend);
    } else if (kernel.require("Language") != nullptr) {
      kernel.error("Language", "is " + in_quotes(language) + language_words(language) +
                                   ", for which there is no backend; there is one for 'CUDA', "
                                   "'C++' and 'C'. The space of another can be searched in a "
                                   "recording of it: --set recorded.file=SPACE.json.gz");
    }
  }

  // Behind the name of a language that nothing here runs.
  static std::string language_words(std::string_view language) {
    if (language == "OpenCL") return " (an OpenCL kernel)";
    if (language == "Vulkan") return " (a Vulkan shader)";
    if (language == "Hypertuner") return " (Kernel Tuner tunes its own searchers)";
    return "";
  }

  void settle_baseline(const JsonReader& kernel, const std::vector<BaselineEntry>& baseline) {
    if (baseline.empty()) {
      if (reading_.knows_space) settle_t1_defaults(problem_, kernel.location(), diagnostics_);
      return;
    }
    set_baseline(problem_, baseline, {names_.known}, diagnostics_);
    if (diagnostics_.empty()) check_baseline(problem_, {}, diagnostics_);
  }

  // Null where the file does not say.
  nlohmann::json language() const {
    const auto kernel = json_.find("KernelSpecification");
    return kernel != nullptr && kernel->is_object() ? kernel->value("Language", nlohmann::json())
                                                    : nlohmann::json();
  }
  bool is_cuda() const { return language() == "CUDA"; }
  bool runs_on_cores() const { return language() == "C++" || language() == "C"; }

  void replay(TableReader& recorded, const std::vector<BaselineEntry>& baseline) {
    search::RecordedBackend backend;
    const auto recording = read_recorded(recorded, folder_, backend);
    problem_.backend = std::move(backend);
    if (recording) {
      complete_from_recording(problem_, *recording, {}, baseline, recorded.location_of("file"),
                              diagnostics_);
    }
  }

  JsonReader json_;
  TableReader settings_;
  std::filesystem::path folder_;
  Diagnostics& diagnostics_;
  ProblemReading reading_;
  search::Problem& problem_ = reading_.problem;
  T1Names names_;
};

}  // namespace

ProblemReading read_t1_problem(std::string_view text, const std::string& path,
                               const std::vector<Override>& overrides, NamedFiles files) {
  const nlohmann::json json = parse(text, path);
  const JsonLocations locations(text);
  Diagnostics diagnostics(path, files);
  toml::table settings;
  apply_overrides(settings, overrides, diagnostics);
  ProblemReading reading = ProblemReader(json, locations, path, settings, diagnostics).read();
  // A required one that is missing was told.
  if (diagnostics.empty()) check_t1_members(json, locations, diagnostics);
  reading.mistakes = diagnostics.sorted();
  return reading;
}

}  // namespace nightshift::problems
