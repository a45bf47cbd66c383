#include "kernels/t1_problem.h"

#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <utility>

#include "kernels/baseline.h"
#include "kernels/cuda_problem.h"
#include "kernels/file_paths.h"
#include "kernels/json_format.h"
#include "kernels/json_reader.h"
#include "kernels/overrides.h"
#include "kernels/recorded_problem.h"
#include "kernels/t1_cuda.h"
#include "kernels/t1_host.h"
#include "kernels/t1_space.h"
#include "kernels/toml_settings.h"
#include "search/searcher.h"

namespace nightshift::kernels {
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

void read_budget(const JsonReader& root, search::Budget& budget) {
  for (const JsonReader& entry : root.objects("Budget")) {
    std::string type;
    if (entry.require("Type") == nullptr || !entry.text("Type", type)) continue;
    if (entry.require("BudgetValue") == nullptr) continue;
    const auto value = entry.number("BudgetValue");
    if (!value) continue;
    if (!(*value > 0 && *value < 1e15)) {
      entry.complain("BudgetValue", "must be more than 0");
    } else if (type == "TuningDuration") {
      budget.seconds = *value;
    } else if (type == "ConfigurationCount") {
      budget.trials = static_cast<std::uint64_t>(std::ceil(*value));
    } else {
      const std::vector<std::string> known = {"TuningDuration", "ConfigurationCount"};
      entry.complain("Type", "must be " + alternatives(known) + ", not " + in_quotes(type) +
                                 suggestion(type, known));
    }
  }
}

// Files of other tuners name searchers that only those have; then ours stays.
void read_search(const JsonReader& root, search::SchedulingSettings& scheduling) {
  const auto search = root.object("Search");
  std::string name;
  if (!search || !search->text("Name", name)) return;
  for (const search::SearcherInfo& known : search::searcher_catalogue()) {
    if (known.name == name) scheduling.searcher = name;
  }
}

void read_time_unit(const JsonReader& root, search::Objective& time) {
  constexpr std::array<std::pair<const char*, const char*>, 4> kUnits = {
      {{"Nanoseconds", "ns"}, {"Microseconds", "us"}, {"Milliseconds", "ms"}, {"Seconds", "s"}}};
  const auto general = root.object("General");
  std::string name;
  if (!general || !general->text("TimeUnit", name)) return;
  for (const auto& [word, unit] : kUnits) {
    if (name == word) time.unit = unit;
  }
}

class ProblemReader {
 public:
  ProblemReader(const nlohmann::json& json, const JsonPlaces& places, const std::string& path,
                const toml::table& settings, Mistakes& mistakes)
      : json_(json, "", places, mistakes),
        settings_(settings, "", mistakes),
        folder_(folder_of(path)),
        mistakes_(mistakes) {
    problem_.file = std::filesystem::absolute(path).lexically_normal().string();
  }

  search::Problem read() {
    if (json_.require("ConfigurationSpace") != nullptr) {
      if (const auto space = json_.object("ConfigurationSpace")) {
        read_t1_space(*space, problem_, names_);
      }
    }
    read_budget(json_, problem_.budget);
    read_search(json_, problem_.scheduling);
    read_time_unit(json_, problem_.objectives.front());

    settings_.text("name", problem_.name);
    auto recorded = settings_.subtable("recorded");
    const std::vector<BaselineEntry> baseline = read_baseline(settings_);
    problem_.sampling.cold_cache = !recorded && is_cuda();  // unless [measure] says otherwise
    read_settings(settings_, problem_);
    const NamedConfigurations named = read_named(settings_);
    settings_.finish();

    if (json_.require("KernelSpecification") != nullptr) {
      if (const auto kernel = json_.object("KernelSpecification")) {
        read_kernel(*kernel, recorded, baseline);
      }
    }
    std::vector<std::string> known;
    for (const search::Parameter& p : problem_.parameters) known.push_back(p.name);
    set_named(problem_, named, {{known}}, mistakes_);
    settle_budget(problem_);
    return std::move(problem_);
  }

 private:
  void read_kernel(const JsonReader& kernel, std::optional<TableReader>& recorded,
                   const std::vector<BaselineEntry>& baseline) {
    if (problem_.name.empty()) kernel.text("KernelName", problem_.name);
    if (problem_.name.empty()) problem_.name = std::filesystem::path(problem_.file).stem().string();
    std::string language;
    kernel.text("Language", language);
    if (recorded) {
      replay(*recorded, baseline);
    } else if (language == "C++" || language == "C") {
      PlacedHost host = read_t1_host(kernel, names_, folder_);
      set_baseline(problem_, baseline, {names_}, mistakes_);
      if (mistakes_.empty()) check_baseline(problem_, {}, mistakes_);
      if (mistakes_.empty()) check_arguments(problem_, host, mistakes_);
      problem_.backend = std::move(host.backend);
    } else if (language == "CUDA") {
      PlacedCuda cuda = read_t1_cuda(kernel, names_, folder_);
      cuda.backend.figures = figures_of(problem_, cuda.backend, {}, mistakes_);
      set_baseline(problem_, baseline, {names_}, mistakes_);
      if (mistakes_.empty()) check_baseline(problem_, {}, mistakes_);
      if (mistakes_.empty()) check_uses(cuda, mistakes_);
      if (mistakes_.empty()) check_amounts(problem_, cuda, mistakes_);
      problem_.backend = std::move(cuda.backend);
    } else if (kernel.require("Language") != nullptr) {
      kernel.complain("Language",
                      "is " + in_quotes(language) +
                          ", for which there is no backend; there is one for 'CUDA', 'C++' and "
                          "'C'. The space of another can be searched in a recording of it: --set "
                          "recorded.file=SPACE.json.gz");
    }
  }

  bool is_cuda() const {
    const auto kernel = json_.find("KernelSpecification");
    return kernel != nullptr && kernel->is_object() &&
           kernel->value("Language", nlohmann::json()) == "CUDA";
  }

  void replay(TableReader& recorded, const std::vector<BaselineEntry>& baseline) {
    search::RecordedBackend backend;
    const auto recording = read_recorded(recorded, folder_, backend);
    problem_.backend = std::move(backend);
    if (recording) {
      complete_from_recording(problem_, *recording, false, baseline, recorded.place_of("file"),
                              mistakes_);
    }
  }

  JsonReader json_;
  TableReader settings_;
  std::filesystem::path folder_;
  Mistakes& mistakes_;
  search::Problem problem_;
  KnownNames names_;
};

}  // namespace

search::Problem read_t1_problem(std::string_view text, const std::string& path,
                                const std::vector<Override>& overrides) {
  const nlohmann::json json = parse(text, path);
  const JsonPlaces places(text);
  Mistakes mistakes(path);
  toml::table settings;
  apply_overrides(settings, overrides, mistakes);
  search::Problem problem = ProblemReader(json, places, path, settings, mistakes).read();
  mistakes.throw_if_any();
  return problem;
}

}  // namespace nightshift::kernels
