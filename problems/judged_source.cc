#include "problems/judged_source.h"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <variant>

namespace nightshift::problems {
namespace {

search::FlagParameter candidate_flag() {
  return {kCandidateParameter, std::string("-D") + kCandidateParameter + "={}"};
}

void set_source(search::CudaBackend& cuda, const JudgedSource& judged) {
  cuda.kernel.file = judged.source;
  cuda.include_folders.insert(cuda.include_folders.end(), judged.folders.begin(),
                              judged.folders.end());
  cuda.flag_parameters.push_back(candidate_flag());
}

void set_source(search::HostBackend& host, const JudgedSource& judged) {
  host.kernel.file = judged.source;
  for (const std::string& folder : judged.folders) host.kernel.flags.push_back("-I" + folder);
  if (judged.opponent != 0) host.baseline = {};
  host.flag_parameters.push_back(candidate_flag());
}

// As it stands where {name} would be replaced.
std::string literal(const std::string& text) {
  std::string escaped;
  for (const char c : text) escaped += c == '{' ? std::string("{{") : std::string(1, c);
  return escaped;
}

// The same command in the folder of the configuration's candidate.
void move_command(std::vector<std::string>& words, const JudgedSource& judged) {
  if (words.empty()) return;
  std::vector<std::string> moved = {"sh", "-c", "cd \"$0\" && exec \"$@\"",
                                    literal(judged.source) + "/{" + kCandidateParameter + "}"};
  moved.insert(moved.end(), words.begin(), words.end());
  words = std::move(moved);
}

void set_source(search::CommandBackend& command, const JudgedSource& judged) {
  command.inputs.clear();  // of the problem's own folder
  if (command.mode == search::CommandBackend::Mode::kServer) {
    command.environment.emplace_back(kCandidatesVariable, literal(judged.source));
    return;
  }
  if (judged.opponent != 0) {
    command.baseline_argv.clear();
    command.baseline_build.clear();
  }
  for (std::vector<std::string>* words :
       {&command.argv, &command.build, &command.baseline_argv, &command.baseline_build}) {
    move_command(*words, judged);
  }
}

bool is_served(const search::Problem& problem) {
  const auto* command = std::get_if<search::CommandBackend>(&problem.backend);
  return command != nullptr && command->mode == search::CommandBackend::Mode::kServer;
}

bool set_source(search::Problem& problem, const JudgedSource& judged) {
  return std::visit(
      [&](auto& backend) {
        constexpr bool is_recorded =
            std::is_same_v<std::remove_reference_t<decltype(backend)>, search::RecordedBackend>;
        if constexpr (!is_recorded) set_source(backend, judged);
        return !is_recorded;
      },
      problem.backend);
}

}  // namespace

std::string included_source(std::string_view text, const std::vector<std::string>& options) {
  const std::string define = std::string("-D") + kCandidateParameter + "=";
  const auto given = std::ranges::find_if(
      options, [&](const std::string& option) { return option.starts_with(define); });
  if (given == options.end()) return {};
  constexpr std::string_view kOwn = "#else\n", kInclude = "#include \"";
  const std::string chosen =
      std::string(kCandidateParameter) + " == " + given->substr(define.size()) + "\n";
  std::size_t at = text.find(chosen);
  at = at == std::string_view::npos ? text.find(kOwn) + kOwn.size() : at + chosen.size();
  if (!text.substr(std::min(at, text.size())).starts_with(kInclude)) return {};
  text.remove_prefix(at + kInclude.size());
  return std::string(text.substr(0, text.find('"')));
}

bool set_judged_source(search::Problem& problem, const JudgedSource& judged) {
  const search::Configuration own = search::resolved(problem, {});
  if (!set_source(problem, judged)) return false;
  for (search::Parameter& parameter : problem.parameters) {
    parameter.values = {*own.find(parameter.name)};
    parameter.default_value.reset();
    parameter.active_when.reset();
    parameter.weights.clear();
  }
  search::Parameter which;
  which.name = kCandidateParameter;
  which.values = {judged.candidate};
  std::int64_t baseline = judged.candidate;  // of one that is no configuration
  if (search::baseline_configuration(problem)) {
    which.values = {judged.opponent, judged.candidate};
    baseline = judged.opponent;
  } else if (is_served(problem)) {
    baseline = judged.opponent;  // told with each request, and none of those that are explored
  }
  problem.parameters.push_back(which);
  problem.baseline = own;
  problem.baseline.set(kCandidateParameter, baseline);
  search::Configuration candidate = own;
  candidate.set(kCandidateParameter, judged.candidate);
  problem.scheduling.starts = {candidate};
  problem.budget.trials = 1;  // the candidate; the opponent is known
  problem.scheduling.starts_files.clear();
  problem.scheduling.warm_start.clear();
  problem.scheduling.expected.clear();
  problem.acceptance.canary = {};
  return true;
}

}  // namespace nightshift::problems
