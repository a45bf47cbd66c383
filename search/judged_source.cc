#include "search/judged_source.h"

#include <variant>

namespace nightshift::search {
namespace {

FlagParameter candidate_flag() {
  return {kCandidateParameter, std::string("-D") + kCandidateParameter + "={}"};
}

bool set_source(Problem& problem, const JudgedSource& judged) {
  if (auto* cuda = std::get_if<CudaBackend>(&problem.backend)) {
    cuda->kernel.file = judged.file;
    cuda->include_folders.insert(cuda->include_folders.end(), judged.folders.begin(),
                                 judged.folders.end());
    cuda->flag_parameters.push_back(candidate_flag());
    return true;
  }
  auto* host = std::get_if<HostBackend>(&problem.backend);
  if (host == nullptr) return false;
  host->kernel.file = judged.file;
  for (const std::string& folder : judged.folders) host->kernel.flags.push_back("-I" + folder);
  if (judged.opponent != 0) host->baseline = {};
  host->flag_parameters.push_back(candidate_flag());
  return true;
}

}  // namespace

bool set_judged_source(Problem& problem, const JudgedSource& judged) {
  const Configuration own = resolved(problem, {});
  if (!set_source(problem, judged)) return false;
  for (Parameter& parameter : problem.parameters) {
    parameter.values = {*own.find(parameter.name)};
    parameter.default_value.reset();
    parameter.active_when.reset();
    parameter.weights.clear();
  }
  Parameter which;
  which.name = kCandidateParameter;
  which.values = {judged.candidate};
  if (baseline_configuration(problem)) which.values = {judged.opponent, judged.candidate};
  problem.parameters.push_back(which);
  problem.baseline = own;
  problem.baseline.set(kCandidateParameter, which.values.front());
  problem.scheduling.starts.clear();
  problem.scheduling.starts_files.clear();
  problem.scheduling.warm_start.clear();
  problem.scheduling.expected.clear();
  problem.acceptance.canary = {};
  return true;
}

}  // namespace nightshift::search
