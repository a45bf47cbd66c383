#include "problems/readers/toml/toml_command.h"

#include <algorithm>
#include <stdexcept>
#include <system_error>

#include "base/bounded_regex.h"
#include "problems/readers/expression_text.h"
#include "problems/readers/problem/own_figures.h"
#include "problems/readers/problem/problem_cases.h"
#include "search/figures/own_figure.h"
#include "search/time_unit.h"

namespace nightshift::problems {
namespace {

using search::CommandBackend;
using search::FigureRule;
using Mode = CommandBackend::Mode;

constexpr std::string_view kVisibleDevices = "CUDA_VISIBLE_DEVICES";

class CommandReader {
 public:
  CommandReader(TableReader& table, search::Target target,
                std::vector<search::Objective>& objectives,
                const std::vector<std::string>& parameters,
                std::vector<search::FlagParameter> flags)
      : table_(table), target_(target), objectives_(objectives), parameters_(parameters) {
    backend_.flag_parameters = std::move(flags);
  }

  PlacedCommand read(const std::filesystem::path& folder) {
    table_.choice("mode", backend_.mode,
                  {{"per-trial", Mode::kPerTrial}, {"server", Mode::kServer}});
    builds_ = table_.has("build");
    if (table_.require("argv")) read_argv("argv", backend_.argv);
    read_argv("baseline_argv", backend_.baseline_argv);
    read_environment("environment", backend_.environment);
    read_directory(folder);
    read_build(folder);
    check_flags();
    check_mode();
    if (backend_.mode == Mode::kPerTrial) backend_.runs = 0;
    table_.integer("runs", backend_.runs);
    read_candidates();
    int cores = 0;
    if (table_.integer("cores", cores) && target_ == search::Target::kGpus) {
      table_.error("cores", "belongs to device = 'cpu'; a program on a GPU has all cores");
    }
    read_figures();
    search::CaseTerms cases;
    read_named_cases(table_, cases);
    if (table_.has("cases") && backend_.protocol != 2) {
      table_.error("cases", "belong to a server of protocol = 2, which gives figures of each");
    }
    table_.finish();
    return {std::move(backend_), std::move(used_), cores, std::move(cases)};
  }

 private:
  static constexpr std::string_view kArtifact = "artifact";

  void read_build(const std::filesystem::path& folder) {
    read_argv("build", backend_.build);
    read_argv("baseline_build", backend_.baseline_build);
    read_environment("build_environment", backend_.build_environment);
    read_inputs(folder);
    if (!builds_) {
      const std::string why = "belongs to a program with a 'build'";
      for (const char* key : {"baseline_build", "build_environment"}) {
        if (table_.has(key)) table_.error(key, why);
      }
      return;
    }
    const auto is_artifact = [](const std::string& name) { return name == kArtifact; };
    if (std::any_of(parameters_.begin(), parameters_.end(), is_artifact)) {
      table_.error("build",
                   "makes {artifact} the folder of what is built: no parameter can have "
                   "that name");
    }
    require_artifact("argv", backend_.argv, backend_.environment);
    require_artifact("build", backend_.build, backend_.build_environment);
    require_artifact("baseline_build", backend_.baseline_build, backend_.build_environment);
  }

  using Variables = std::vector<std::pair<std::string, std::string>>;

  void require_artifact(std::string_view key, const std::vector<std::string>& words,
                        const Variables& variables) const {
    const auto names_it = [](const std::string& word) {
      return word.find("{artifact}") != std::string::npos;
    };
    const bool named = std::any_of(words.begin(), words.end(), names_it) ||
                       std::any_of(variables.begin(), variables.end(),
                                   [&](const auto& variable) { return names_it(variable.second); });
    if (words.empty() || named) return;
    table_.error(key,
                 "does not say {artifact}, the folder that 'build' fills and 'argv' runs from");
  }

  // Options stand in a build alone, all in one place.
  void check_flags() {
    const auto has_word = [](const std::vector<std::string>& words) {
      return std::ranges::find(words, search::kFlagsWord) != words.end();
    };
    const auto& flags = backend_.flag_parameters;
    if (has_word(backend_.build) || has_word(backend_.baseline_build)) {
      for (const search::FlagParameter& flag : flags) used_.push_back(flag.parameter);
    } else if (!flags.empty()) {
      table_.error(builds_ ? "build" : "argv",
                   "leaves out the options that " + in_quotes(flags.front().parameter) +
                       " makes: write the word {flags} into command.build");
    }
  }

  void check_mode() {
    table_.choice("requests", backend_.numbered, {{"plain", false}, {"numbered", true}});
    table_.integer("protocol", backend_.protocol);
    table_.boolean("builds", backend_.builds);
    if (backend_.builds && backend_.protocol != 2) {
      table_.error("builds", "belongs to a server of protocol = 2");
    }
    if (backend_.numbered && backend_.protocol == 2) {
      table_.error("requests", "belongs to protocol 1; in protocol 2 every request has a number");
    }
    if (backend_.mode != Mode::kServer) {
      if (backend_.protocol == 2) table_.error("protocol", "belongs to mode 'server'");
      if (backend_.numbered) table_.error("requests", "of that kind belong to mode 'server'");
      return;
    }
    if (table_.has("baseline_argv")) {
      table_.error("baseline_argv",
                   "belongs to mode 'per-trial'; a server is asked for its "
                   "baseline with the empty object {}");
    }
    if (builds_) {
      table_.error("build",
                   "belongs to mode 'per-trial'; a server builds what it is asked for, ahead with "
                   "protocol = 2 and builds = true");
    }
  }

  // What a build or a program reads may be a file or a folder with all that is in it.
  void read_inputs(const std::filesystem::path& folder) {
    std::vector<std::string> names;
    table_.strings("inputs", names);
    for (const std::string& name : names) {
      const std::filesystem::path path = (folder / name).lexically_normal();
      std::error_code error;
      const bool needed = table_.diagnostics().needs_files();
      if (name.empty() || (needed && !std::filesystem::exists(path, error))) {
        table_.error("inputs",
                     "names " + in_quotes(name) + ", which is not there (" + path.string() + ")");
      } else {
        backend_.inputs.push_back(path.string());
      }
    }
  }

  void read_candidates() {
    if (!table_.strings("candidates", backend_.candidates)) return;
    if (backend_.mode == Mode::kServer) {
      table_.error("candidates", "belongs to mode 'per-trial'");
    }
    for (const std::string& pattern : backend_.candidates) {
      const std::filesystem::path path(pattern);
      const bool leads_out = std::ranges::find(path, "..") != path.end();
      if (pattern.empty() || path.is_absolute() || leads_out) {
        table_.error("candidates", "names " + in_quotes(pattern) +
                                       ": expected names of files in the program's folder");
      }
    }
  }

  // {NAME} is a placeholder only without blanks, so that { print } can be written.
  void check_placeholders(const LocatedString& text, bool of_build = false) {
    if (backend_.mode == Mode::kServer || (of_build && text.text == search::kFlagsWord)) return;
    for (std::size_t open = text.text.find('{'); open != std::string::npos;
         open = text.text.find('{', open + 1)) {
      const std::size_t close = text.text.find('}', open);
      if (close == std::string::npos) return;
      const std::string name = text.text.substr(open + 1, close - open - 1);
      const bool known =
          std::find(parameters_.begin(), parameters_.end(), name) != parameters_.end();
      if (known) used_.push_back(name);
      if (known || !is_name(name) || (builds_ && name == kArtifact)) continue;
      table_.diagnostics().add(text.at(open),
                               "{" + name + "} names no parameter" + suggestion(name, parameters_));
    }
  }

  void read_argv(std::string_view key, std::vector<std::string>& target) {
    if (!table_.strings(key, target)) return;
    if (target.empty() || target.front().empty()) {
      table_.error(key, "must begin with the program to run");
    }
    for (const toml::node& element : *table_.take(key)->as_array()) {
      check_placeholders(located_string(element), builds_ && key.ends_with("build"));
    }
  }

  void read_environment(std::string_view key, Variables& variables) {
    auto table = table_.subtable(key);
    if (!table) return;
    for (const auto& [variable, node] : table->table()) {
      const std::string name(variable.str());
      const auto value = scalar(node);
      const std::string text = value ? search::to_text(*value) : "";
      if (name.empty() || name.find('=') != std::string::npos ||
          name.find('\0') != std::string::npos) {
        table->error(name, "is no name of an environment variable");
      } else if (!value || text.find('\0') != std::string::npos) {
        table->error(name, "must be a text or a number, not " + describe(node));
      } else if (name == kVisibleDevices && target_ == search::Target::kGpus) {
        table->error(name,
                     "is set by us where device = 'gpu': the program sees the GPU that it is "
                     "measured on; `--devices` selects others");
      } else {
        if (node.is_string()) check_placeholders(located_string(node));
        variables.emplace_back(name, text);
      }
    }
  }

  void read_directory(const std::filesystem::path& folder) {
    std::string name = ".";
    table_.string("directory", name);
    std::filesystem::path directory = (folder / name).lexically_normal();
    if (!directory.has_filename()) directory = directory.parent_path();  // without the final slash
    backend_.directory = directory.string();
    std::error_code error;
    if (!table_.diagnostics().needs_files() || std::filesystem::is_directory(directory, error)) {
      return;
    }
    if (table_.has("directory")) {
      table_.error("directory", "names " + directory.string() + ", which is no folder");
    } else {  // of a study, whose problem has moved since
      table_.diagnostics().add(table_.location(),
                               "command.directory, the folder of the problem, is " +
                                   directory.string() + ", which is no folder any more");
    }
  }

  void read_figures() {
    std::vector<TableReader> tables = table_.subtables("figure");
    if (tables.empty()) {
      backend_.figures.assign(objectives_.size(), FigureRule{});
      return;
    }
    std::vector<std::string> names, described;
    for (const search::Objective& objective : objectives_) names.push_back(objective.name);
    backend_.figures.resize(names.size());
    for (TableReader& table : tables) {
      std::string name = names.size() == 1 ? names.front() : "";
      if (names.size() > 1) table.require("objective");
      table.string("objective", name);
      const auto found = std::find(names.begin(), names.end(), name);
      const FigureRule rule =
          read_rule(table, found == names.end()
                               ? nullptr
                               : &objectives_[static_cast<std::size_t>(found - names.begin())]);
      if (name.empty()) continue;
      if (found == names.end()) {
        table.error("objective", in_quotes(name) + " is no objective" + suggestion(name, names));
      } else if (std::find(described.begin(), described.end(), name) != described.end()) {
        table.error("objective", in_quotes(name) + " has a figure already");
      } else {
        described.push_back(name);
        backend_.figures[static_cast<std::size_t>(found - names.begin())] = rule;
      }
    }
    for (const std::string& name : names) {
      if (std::find(described.begin(), described.end(), name) != described.end()) continue;
      table_.diagnostics().add(
          table_.location(),
          "objective " + in_quotes(name) + " has no figure; add a [[command.figure]] for it");
    }
  }

  FigureRule read_rule(TableReader& table, search::Objective* objective) {
    using Source = FigureRule::Source;
    FigureRule rule;
    const search::OwnFigureRule* const measured = read_source(table, rule);
    table.string("key", rule.key);
    if (measured != nullptr) {
      if (table.has("key")) table.error("key", "has no meaning for what is measured");
      rule.key = measured->name;
      const std::string wrong =
          objective != nullptr ? settle_measured(*objective, *measured, backend_) : "";
      if (!wrong.empty()) table.error("source", wrong);
    }
    if (rule.source == Source::kRegex) {
      if (backend_.mode == Mode::kServer) {
        table.error("source", "must be 'json' or 'wall-time': a server answers with JSON");
      }
      if (table.require("key")) check_regex(table, rule.key);
    }
    if (rule.source == Source::kWallTime) {
      if (table.has("key")) table.error("key", "has no meaning for wall time");
      if (objective != nullptr && search::find_time_unit(objective->unit) == nullptr) {
        table.error("source", "is wall time, but the unit of " + in_quotes(objective->name) +
                                  " is " + in_quotes(objective->unit) +
                                  "; it must be 's', 'ms', 'us' or 'ns'");
      }
    }
    table.finish();
    return rule;
  }

  // What is measured has its figure's own name as the source; nullptr for the rest.
  static const search::OwnFigureRule* read_source(TableReader& table, FigureRule& rule) {
    using Source = FigureRule::Source;
    std::vector<std::pair<std::string_view, std::string_view>> sources = {
        {"json", "json"}, {"regex", "regex"}, {"wall-time", "wall-time"}};
    for (const search::OwnFigureRule& own : search::own_figure_rules()) {
      if (!own.of_command.empty()) sources.emplace_back(own.name, own.name);
    }
    std::string_view name = "json";
    table.choice("source", name, sources);
    if (name == "regex") rule.source = Source::kRegex;
    if (name == "wall-time") rule.source = Source::kWallTime;
    const search::OwnFigureRule* const measured =
        search::find_own_figure(name, &search::OwnFigureRule::of_command);
    if (measured != nullptr) rule.source = Source::kMeasured;
    return measured;
  }

  static void check_regex(const TableReader& table, const std::string& pattern) {
    try {
      const base::BoundedRegex regex(pattern);
      if (regex.group_count() == 0) {
        table.error("key", "needs a group (...) around the number");
      }
    } catch (const std::invalid_argument& error) {
      table.error("key", in_quotes(pattern) + " " + error.what());
    }
  }

  TableReader& table_;
  const search::Target target_;
  std::vector<search::Objective>& objectives_;
  const std::vector<std::string>& parameters_;
  CommandBackend backend_;
  std::vector<std::string> used_;
  bool builds_ = false;
};

}  // namespace

search::Target read_command_target(TableReader& command) {
  search::Target target = search::Target::kCores;
  command.choice("device", target,
                 {{"cpu", search::Target::kCores}, {"gpu", search::Target::kGpus}});
  return target;
}

PlacedCommand read_command(TableReader& command, search::Target target,
                           std::vector<search::Objective>& objectives,
                           const std::vector<std::string>& parameters,
                           std::vector<search::FlagParameter> flags,
                           const std::filesystem::path& folder) {
  return CommandReader(command, target, objectives, parameters, std::move(flags)).read(folder);
}

void check_uses(const toml::table& root, const PlacedCommand& command, Diagnostics& diagnostics) {
  const toml::table* parameters = root["parameters"].as_table();
  if (command.backend.mode == Mode::kServer || parameters == nullptr) return;
  const std::string places = command.backend.build.empty()
                                 ? "command.argv or command.environment"
                                 : "command.argv, command.environment, command.build or "
                                   "command.build_environment";
  for (const auto& [key, node] : *parameters) {
    const std::string name(key.str());
    if (std::ranges::find(command.used, name) != command.used.end()) continue;
    diagnostics.add(
        location_of(key.source()),
        "parameter " + in_quotes(name) + " is used nowhere: write {" + name + "} into " + places);
  }
}

}  // namespace nightshift::problems
