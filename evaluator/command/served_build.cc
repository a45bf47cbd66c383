#include "evaluator/command/served_build.h"

#include <filesystem>
#include <variant>

#include "evaluator/command/served_program.h"
#include "evaluator/command/server_words.h"
#include "evaluator/process/held_build.h"
#include "evaluator/process/outside_kills.h"
#include "search/value.h"

namespace nightshift::evaluator {
namespace {

namespace fs = std::filesystem;

std::string members_of(const ServedBuild& build) {
  std::string members = "\"do\": \"build\", " + build.asked +
                        ", \"artifact\": " + search::json_quoted(build.output) + build.members;
  if (build.gpu.architecture > 0) {
    members += ", \"target\": {\"architecture\": " + std::to_string(build.gpu.architecture) +
               ", \"multiprocessors\": " + std::to_string(build.gpu.multiprocessors) + "}";
  }
  return members;
}

std::string words_of(const search::TrialOutcome& failure, double limit) {
  if (const auto* late = std::get_if<search::TimedOut>(&failure);
      late != nullptr && late->phase == search::Phase::kBuild) {
    return "the build took longer than " + build_limit_text(limit) +
           (late->progressing ? " (it was still saying that it works)" : "");
  }
  const auto* told = std::get_if<search::BuildFailed>(&failure);
  return told != nullptr ? told->message : "the builder " + search::describe(failure);
}

}  // namespace

Variables with_temporary_folder(Variables environment, const std::string& folder) {
  for (const auto& [name, value] : environment) {
    if (name == "TMPDIR") return environment;
  }
  environment.emplace_back("TMPDIR", folder);
  return environment;
}

Variables served_environment(Variables environment, served::Role role, const std::string& folder) {
  Variables result = with_temporary_folder(std::move(environment), folder);
  Variables ours = {{"NIGHTSHIFT_PROTOCOL", std::to_string(served::kProtocol)},
                    {"NIGHTSHIFT_ROLE", std::string(name_of(role))}};
  if (role == served::Role::kBuild) ours.emplace_back("CUDA_VISIBLE_DEVICES", "");
  for (auto& variable : ours) {
    std::erase_if(result, [&](const auto& set) { return set.first == variable.first; });
    result.push_back(std::move(variable));
  }
  return result;
}

std::string asked_of(const search::Problem& problem, const search::Configuration& configuration) {
  std::string members = "\"configuration\": " + configuration.to_json();
  if (!problem.baseline.is_baseline()) {
    members += ", \"baseline\": " + search::resolved(problem, {}).to_json();
  }
  return members;
}

std::string build_served(ServedProgram& program, const ServedBuild& build, served::Texts& figures,
                         ProgressSink& progress) {
  const auto start = Clock::now();
  ServedProgram::Reply reply;
  for (int attempt = 0; attempt < 2; ++attempt) {
    fs::remove_all(build.output);
    fs::create_directories(build.output);
    reply = program.ask(members_of(build), build.limit - seconds_since(start), progress);
    const auto* failure = std::get_if<search::TrialOutcome>(&reply.result);
    const auto* crash = failure == nullptr ? nullptr : std::get_if<search::Crashed>(failure);
    // It was killed, or what it built before may have harmed it.
    const bool blameless = crash != nullptr && (!reply.fresh || was_killed(*crash));
    if (!blameless || seconds_since(start) > build.limit / 2) break;
  }
  if (const auto* failure = std::get_if<search::TrialOutcome>(&reply.result)) {
    const bool is_late = std::holds_alternative<search::TimedOut>(*failure);
    if (is_late && !reply.held.empty()) throw HeldBuild("the builder", reply.held, build.limit);
    return words_of(*failure, build.limit);
  }
  figures = std::get<served::Built>(reply.result).figures;
  return {};
}

}  // namespace nightshift::evaluator
