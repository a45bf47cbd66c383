#include "problems/readers/toml/toml_problem.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <set>
#include <type_traits>
#include <utility>

#include "problems/judged_source.h"
#include "problems/problem_keys.h"
#include "problems/problem_reading.h"
#include "problems/readers/file_paths.h"
#include "problems/readers/overrides.h"
#include "problems/readers/problem/argument_types.h"
#include "problems/readers/problem/baseline.h"
#include "problems/readers/problem/baseline_level.h"
#include "problems/readers/problem/expected_cost.h"
#include "problems/readers/problem/own_figures.h"
#include "problems/readers/problem/problem_cases.h"
#include "problems/readers/problem/settings.h"
#include "problems/readers/recorded/recorded_problem.h"
#include "problems/readers/table_reader.h"
#include "problems/readers/table_text.h"
#include "problems/readers/toml/toml_command.h"
#include "problems/readers/toml/toml_cuda.h"
#include "problems/readers/toml/toml_host.h"
#include "problems/readers/toml/toml_include.h"
#include "problems/readers/toml/toml_merge.h"
#include "problems/readers/toml/toml_objectives.h"
#include "problems/readers/toml/toml_parameters.h"
#include "problems/readers/toml/toml_python.h"
#include "problems/readers/toml/toml_source_names.h"
#include "problems/readers/toml/toml_text.h"

namespace nightshift::problems {
namespace {

using Flags = std::vector<search::FlagParameter>;

class ProblemReader {
 public:
  ProblemReader(const toml::table& table, const std::string& path, bool was_accepted,
                Diagnostics& diagnostics)
      : root_(table, problem_file_keys(), "", diagnostics),
        folder_(folder_of(path)),
        was_accepted_(was_accepted),
        diagnostics_(diagnostics) {
    problem_.file = std::filesystem::absolute(path).lexically_normal().string();
  }

  search::Problem read() {
    if (root_.require("name")) root_.string("name", problem_.name);
    auto host = root_.subtable("host");
    auto cuda = root_.subtable("cuda");
    auto command = root_.subtable("command");
    auto recorded = root_.subtable("recorded");
    check_backend_count();
    std::vector<search::FlagParameter> flags;
    if (host) names_.cases = read_cases(*host, problem_.cases);
    if (cuda) read_names(*cuda);
    problem_.parameters =
        read_parameters(root_, names_, host || cuda || command ? &flags : nullptr);
    if (names_.parameters.empty() && !recorded) {
      diagnostics_.add(root_.location_of("parameters"),
                       "there are no parameters; list them under [parameters]");
    }
    check_conditions();
    read_constraints(recorded.has_value());
    read_objectives(root_, problem_, cuda ? set_cuda_defaults : host ? set_host_defaults : nullptr);
    const std::vector<BaselineEntry> baseline = read_baseline(root_);
    problem_.sampling.cold_cache = cuda.has_value();  // unless [measure] says otherwise
    // Known before the backend is read: it decides which settings there can be.
    if (cuda) problem_.target = search::Target::kGpus;
    if (command) problem_.target = read_command_target(*command);
    if (recorded) problem_.target = search::Target::kRecording;
    read_settings(root_, problem_);
    const NamedConfigurations named = read_named(root_, problem_.file);
    const auto judged = read_judged();
    const auto expected = read_expected(root_);
    root_.finish();
    if (host) finish_host(*host, flags, baseline);  // [cuda] may be there too, by mistake
    if (cuda) finish_cuda(*cuda, flags, baseline);
    if (command) finish_command(*command, std::move(flags), baseline);
    if (recorded) finish_recorded(*recorded, baseline);
    set_named(problem_, named, named_form(), diagnostics_);
    if (expected && diagnostics_.empty()) finish_expected(*expected);
    if (judged && diagnostics_.empty()) set_judged(*judged);
    if (!host && !cuda) check_trust();
    check_normalisation();
    if (diagnostics_.empty()) note_baseline_level();
    settle_budget(problem_);
    return std::move(problem_);
  }

 private:
  void check_backend_count() {
    int count = 0;
    SourceLocation last;
    for (const char* backend : {"host", "cuda", "command", "recorded"}) {
      if (!root_.has(backend)) continue;
      ++count;
      last = root_.location_of(backend);
    }
    if (count == 1) return;
    diagnostics_.add(last, count == 0 ? kNoBackend
                                      : "there is more than one of [host], [cuda], [command] and "
                                        "[recorded]");
  }

  void note_baseline_level() {
    std::string note = baseline_level_note(problem_);
    if (!note.empty()) problem_.notes.push_back(std::move(note));
  }

  std::optional<JudgedSource> read_judged() {
    auto table = root_.subtable("judged");
    if (!table || !table->require("source")) return std::nullopt;
    JudgedSource judged;
    std::string name;
    table->string("source", name);
    const std::filesystem::path place = (folder_ / name).lexically_normal();
    judged.source = place.string();
    std::error_code missing;
    const bool is_folder = root_.has("command") && std::filesystem::is_directory(place, missing);
    if (diagnostics_.needs_files() && !is_folder && !find_file(folder_, name)) {
      table->error("source", no_such_file(folder_, name));
    }
    table->integer("opponent", judged.opponent);
    table->integer("candidate", judged.candidate);
    if (judged.opponent == judged.candidate) table->error("candidate", "is the opponent itself");
    std::vector<std::string> folders;
    table->strings("folders", folders);
    for (const std::string& folder : folders) {
      judged.folders.push_back((folder_ / folder).lexically_normal().string());
    }
    table->finish();
    return judged;
  }

  void set_judged(const JudgedSource& judged) {
    if (set_judged_source(problem_, judged)) return;
    diagnostics_.add(root_.location_of("judged"),
                     "[judged] is for what is built or run, and not for recordings");
  }

  // What is asked of kernels (evaluator/README.md) nobody asks of programs: who relies on it is to
  // know.
  void check_trust() {
    if (was_accepted_ || problem_.sampling.trust != search::Trust::kNone) return;
    if (search::serves_frames(problem_)) return;  // its hello says whether it does so
    diagnostics_.add(root_.location_of("measure"),
                     "measure.trust = \"none\" is for [host] and [cuda] kernels and for programs "
                     "of protocol 2; of "
                     "what another program or a recording says nothing is doubted");
  }

  // The worst case is found by what the baseline takes in each, and not by one figure.
  void check_normalisation() {
    const bool given = problem_.scheduling.normalisation == search::Normalisation::kGiven;
    if (!given || !search::judges_worst(problem_.cases)) return;
    diagnostics_.add(root_.location_of("schedule"),
                     "schedule.normalisation is 'given', and aggregate = 'worst' needs the "
                     "baseline's figure of each case: leave one of them out");
  }

  // A served compiler is told values and is not given options.
  void check_flags(const search::CudaBackend& cuda,
                   const std::vector<search::FlagParameter>& flags) {
    if (cuda.compiler != search::CudaBackend::Compiler::kServed || flags.empty()) return;
    diagnostics_.add(root_.location_of("parameters"),
                     "parameter " + in_quotes(flags.front().parameter) +
                         " has a 'flag', which no served compiler is given: it is told the value");
  }

  void read_names(TableReader& cuda) {
    std::vector<std::string> parameters;
    if (const toml::table* table = root_.table()["parameters"].as_table()) {
      for (const auto& [key, node] : *table) parameters.emplace_back(key.str());
    }
    CudaNames read = read_cuda_names(cuda, parameters);
    names_ = std::move(read.names);
    problem_.cases = std::move(read.terms);
    dtype_ = read.dtype;
    has_cuda_ = true;
  }

  NamedForm named_form() const { return {names_, has_cuda_}; }

  // A recording's own parameters are not known yet; their names are checked when it was read.
  void read_constraints(bool recorded) {
    std::vector<std::string> texts;
    if (!root_.strings("constraints", texts)) return;
    for (const toml::node& element : *root_.take("constraints")->as_array()) {
      const LocatedString text = located_string(element);
      if (recorded) {
        late_constraints_.push_back(text);
      } else {
        read_constraint(text, problem_.parameters);
      }
    }
  }

  void read_constraint(const LocatedString& text,
                       const std::vector<search::Parameter>& parameters) {
    auto expressions = read_parameter_expressions(text, "constraint", names_, diagnostics_);
    if (!expressions.empty()) {
      check_comparisons("constraint " + in_quotes(text.text), expressions.front(), parameters,
                        text.location);
    }
    std::ranges::move(expressions, std::back_inserter(problem_.constraints));
  }

  // Whoever takes up a study has its space, whatever is thought of such conditions today.
  void check_comparisons(const std::string& what, const search::Expression& expression,
                         const std::vector<search::Parameter>& parameters,
                         const SourceLocation& location) {
    if (was_accepted_) return;
    problems::check_comparisons(expression, what, parameters, narrowed(location), location,
                                diagnostics_);
  }

  // Parameters whose values were set from outside of a condition's file.
  std::set<std::string> narrowed(const SourceLocation& condition) {
    const auto is_own = [&](const SourceLocation& place) {
      return place.file.empty() || place.file == diagnostics_.file();
    };
    std::set<std::string> names;
    const toml::table* parameters = root_.table()["parameters"].as_table();
    if (parameters == nullptr) return names;
    for (const auto& [key, node] : *parameters) {
      const toml::table* entry = node.as_table();
      const toml::node* values = entry ? entry->get("values") : nullptr;
      const SourceLocation place = location_of((values ? *values : node).source());
      const bool from_outside = place.line == 0 || (is_own(place) && !is_own(condition));
      if (from_outside) names.emplace(key.str());
    }
    return names;
  }

  void finish_expected(const LocatedString& text) {
    set_expected(problem_, text, names_, diagnostics_);
    if (problem_.scheduling.expected.empty()) return;
    check_comparisons("search.expected " + in_quotes(text.text),
                      problem_.scheduling.expected.front(), problem_.parameters, text.location);
  }

  void check_conditions() {
    for (const search::Parameter& parameter : problem_.parameters) {
      if (!parameter.active_when) continue;
      check_comparisons("condition of " + in_quotes(parameter.name), *parameter.active_when,
                        problem_.parameters, root_.location_of("parameters"));
    }
  }

  // Only when nothing else is wrong: what follows from another mistake is not reported as one.
  void settle_baseline(const std::vector<BaselineEntry>& entries, bool is_a_configuration) {
    set_baseline(problem_, entries, named_form(), diagnostics_);
    if (!is_a_configuration || !diagnostics_.empty()) return;
    check_baseline(problem_, root_.location_of("baseline"), diagnostics_);
  }

  // Studies of before go on as they were.
  template <class Kernels>
  void check_names(const TableReader& table, const Kernels& kernels,
                   const std::vector<PlacedName>& others) {
    if (was_accepted_) return;
    std::string compiler;
    if (const toml::node* node = table.table().get("compiler")) compiler = node->value_or("");
    const auto told = told_names(root_, table, compiler, kernels.flag_parameters);
    constexpr bool kIsCuda = std::is_same_v<Kernels, search::CudaBackend>;
    check_source_names(told, others, problem_.parameters, kernels.names, kIsCuda, diagnostics_);
    if constexpr (kIsCuda) check_definitions(told, kernels, diagnostics_);
    if (kernels.names == search::SourceNames::kConstants) {
      check_preprocessed(told, {kernels.kernel.file, kernels.reference.file}, diagnostics_);
    }
  }

  // A parameter of which no source is told changes nothing.
  void note_unseen(const TableReader& table, const search::HostBackend& host) {
    const bool any_way = host.names != search::SourceNames::kNone ||
                         host.kernel.function.find('<') != std::string::npos;
    if (was_accepted_ || any_way) return;
    std::string compiler;
    if (const toml::node* node = table.table().get("compiler")) compiler = node->value_or("");
    for (const PlacedName& told : told_names(root_, table, compiler, host.flag_parameters)) {
      if (std::ranges::find(names_.parameters, told.name) == names_.parameters.end()) continue;
      problem_.notes.push_back(in_quotes(told.name) +
                               " reaches nothing: with names = \"none\" a source is told of its " +
                               "parameters by template arguments alone, and " +
                               host.kernel.function + " has none, " + "function = \"NAME<" +
                               told.name + ">\"; without the key `names` they are macros");
    }
  }

  void finish_host(TableReader& table, Flags flags, const std::vector<BaselineEntry>& baseline) {
    PlacedHost host = read_host(table, names_, folder_);
    host.backend.flag_parameters = std::move(flags);
    check_names(table, host.backend, names_of(table, host.backend, host.arguments));
    note_unseen(table, host.backend);
    check_host_objectives(problem_, locations_of_objectives(root_, problem_), diagnostics_);
    settle_baseline(baseline, !table.has("baseline"));
    if (diagnostics_.empty()) check_arguments(problem_, host, diagnostics_, !was_accepted_);
    problem_.backend = std::move(host.backend);
  }

  void finish_cuda(TableReader& table, Flags flags, const std::vector<BaselineEntry>& baseline) {
    PlacedCuda cuda = read_cuda(table, names_, dtype_, folder_);
    for (std::string& note : cuda.notes) problem_.notes.push_back(std::move(note));
    check_flags(cuda.backend, flags);
    cuda.backend.flag_parameters = std::move(flags);
    check_names(table, cuda.backend,
                names_of(cuda.backend, cuda.arguments,
                         {{cuda.backend.launches, cuda.launches},
                          {cuda.backend.prepare, cuda.prepare},
                          {cuda.backend.reference_launches, cuda.reference_launches}}));
    cuda.backend.figures =
        figures_of(problem_, cuda.backend, locations_of_objectives(root_, problem_), diagnostics_);
    if (cuda.whole) check_uses(cuda, diagnostics_);
    settle_baseline(baseline, true);
    if (diagnostics_.empty()) check_amounts(problem_, cuda, diagnostics_, !was_accepted_);
    if (diagnostics_.empty() && !was_accepted_) check_argument_types(problem_, cuda, diagnostics_);
    problem_.backend = std::move(cuda.backend);
  }

  void finish_command(TableReader& table, Flags flags, const std::vector<BaselineEntry>& baseline) {
    PlacedCommand command = read_command(table, problem_.target, problem_.objectives,
                                         names_.parameters, std::move(flags), folder_);
    settle_cores(table, command.cores);
    problem_.backend = with_told_units(root_, problem_.objectives, command.backend);
    problem_.cases = std::move(command.cases);
    settle_baseline(baseline, search::baseline_configuration(problem_).has_value());
    // Only when nothing else is wrong, as a misspelt placeholder would be two mistakes.
    if (!was_accepted_ && diagnostics_.empty()) check_uses(root_.table(), command, diagnostics_);
  }

  void settle_cores(const TableReader& command, int cores) {
    const toml::table* schedule = root_.table()["schedule"].as_table();
    const bool scheduled = schedule != nullptr && schedule->contains("cores_per_device");
    if (cores > 0 && scheduled) {
      command.error("cores", "and schedule.cores_per_device say the same; keep one of them");
    }
    if (scheduled) return;
    problem_.scheduling.cores_per_device = cores;
    problem_.scheduling.fill_with_devices = cores > 0;
  }

  void finish_recorded(TableReader& table, const std::vector<BaselineEntry>& baseline) {
    search::RecordedBackend backend;
    const auto recording = read_recorded(table, folder_, backend);
    problem_.backend = std::move(backend);
    if (!recording) return;
    for (const search::Parameter& parameter : recording->parameters()) {
      names_.parameters.push_back(parameter.name);
    }
    for (const LocatedString& text : late_constraints_) {
      read_constraint(text, recording->parameters());
    }
    const bool says_direction = static_cast<bool>(root_.table()["objective"][0]["direction"]);
    complete_from_recording(problem_, *recording, {root_.has("objective"), says_direction},
                            baseline, table.location(), diagnostics_);
  }

  TableReader root_;
  std::filesystem::path folder_;
  const bool was_accepted_;
  Diagnostics& diagnostics_;
  search::Problem problem_;
  KnownNames names_;
  std::optional<search::ElementType> dtype_;  // of [cuda]
  bool has_cuda_ = false;
  std::vector<LocatedString> late_constraints_;
};

}  // namespace

search::Problem read_toml_problem(std::string_view text, const std::string& path,
                                  const std::vector<Override>& overrides,
                                  const TomlOrigin& origin) {
  toml::table table = parse_toml(text, path);
  Diagnostics diagnostics(path, origin.files, origin.was_accepted);
  if (!origin.was_accepted) {
    auto described = described_table(table, path, overrides, origin.describe);
    const bool is_described = described.has_value();
    if (is_described) table = *std::move(described);
    const bool included = include_tables(table, overrides, diagnostics);
    if ((is_described || included) && origin.whole != nullptr) {
      *origin.whole = text_of(table, path);
    }
  }
  apply_overrides(table, overrides, diagnostics);
  table.erase(kPython);  // overrides of what is in the table by now
  table.erase(kInclude);
  search::Problem problem = ProblemReader(table, path, origin.was_accepted, diagnostics).read();
  diagnostics.throw_if_any();
  return problem;
}

}  // namespace nightshift::problems
