#include <filesystem>
#include <optional>
#include <set>

#include "problems/problem_file.h"
#include "search/scoring.h"
#include "tools/export/export_formats.h"
#include "tools/export/exports.h"
#include "tools/kernels/gpu_target.h"
#include "tools/kernels/kernel_builds.h"
#include "tools/kernels/kernel_file.h"
#include "tools/problem/journaled_problem.h"
#include "tools/text/format.h"
#include "tools/version.h"

namespace nightshift::tools {
namespace {

// All of a problem that sizes may change besides what is launched: the space, and the baseline.
std::string space_text(const search::Problem& problem) {
  std::string text = search::resolved(problem, {}).to_json();
  for (const search::Expression& constraint : problem.constraints) text += "\n" + constraint.text();
  for (const search::Parameter& parameter : problem.parameters) {
    text += "\n" + parameter.name + (parameter.active_when ? parameter.active_when->text() : "");
    for (const search::Value& value : parameter.values) text += " " + search::to_text(value);
  }
  return text;
}

// Whether a configuration that is in the space for these sizes is so for all.
bool is_space_for_any_sizes(const ExportedStudy& s) {
  const auto& cuda = std::get<search::CudaBackend>(s.problem.backend);
  if (cuda.cases.size() != 1) return false;
  try {
    for (const auto& [name, size] : cuda.cases.front()) {
      const search::Problem other =
          problem_of(s.history, {{"cuda.sizes." + name, std::to_string(size + 1)}});
      if (space_text(other) != space_text(s.problem)) return false;
    }
  } catch (const problems::ProblemFileError&) {
    return false;  // where it is not even a problem
  }
  return true;
}

std::string claim_text(const ExportedStudy& s) {
  const search::Objective objective = search::judged_objective(s.problem);
  if (!s.summary.accepted) {
    return "NOT CONFIRMED: " + format_change(objective, s.summary.ratio) + " against the default";
  }
  return format_change(objective, s.summary.ratio, s.summary.ratio_interval) +
         " against the default";
}

std::vector<std::pair<std::string, std::string>> notes_of(const ExportedStudy& s) {
  namespace fs = std::filesystem;
  std::vector<std::pair<std::string, std::string>> notes = {
      {"version", version()},
      {"problem_file", fs::path(s.history.header.problem_file).filename().string()},
      {"study_of", format_date(s.history.header.created)},
      {"claim", claim_text(s)}};
  for (const search::IdentityPart& part : scheduler::identity_of(s.history)) {
    notes.emplace_back("made_of", search::key_of(part) + " " + part.value);
  }
  return notes;
}

std::vector<std::int64_t> numbers_of(const search::CudaBackend::Sizes& sizes) {
  std::vector<std::int64_t> numbers;
  for (const auto& [name, size] : sizes) numbers.push_back(size);
  return numbers;
}

}  // namespace

std::string to_cubin(const ExportedStudy& s) {
  require_cuda_kernels(s.problem, s.folder.shown());
  KernelBuilds builds(gpu_of_study(s.problem, s.history, s.architecture));
  const bool any_sizes = is_space_for_any_sizes(s);
  const std::string artifacts = s.architecture ? "" : s.folder.artifacts();
  const std::string best_hash = s.architecture ? "" : s.summary.best->artifact;
  const std::string default_hash = s.architecture ? "" : s.summary.baseline_artifact;
  KernelFile file;
  file.problem = s.problem.name;
  file.notes = notes_of(s);
  file.architecture = builds.gpu().architecture;
  file.variants = builds.variants(
      {s.problem, s.summary.best->configuration, "best", any_sizes, best_hash, artifacts});
  for (const auto& [name, size] : file.variants.front().plan.sizes) file.sizes.push_back(name);
  for (std::size_t i = 0; i < file.variants.size(); ++i) {
    file.rows.push_back({numbers_of(file.variants[i].plan.sizes), i});
  }
  auto defaults = builds.variants({s.problem, {}, "default", any_sizes, default_hash, artifacts});
  if (defaults.front().plan.for_any_sizes && file.variants.front().plan.for_any_sizes) {
    file.otherwise = std::to_string(file.variants.size());
  }
  for (KernelVariant& variant : defaults) file.variants.push_back(std::move(variant));
  for (const std::string& role : builds.changed()) {
    s.notices.push_back(
        "the machine code of '" + role +
        "' as it is built here today is not what was measured: `nightshift recheck " +
        s.folder.shown() + "` measures it again");
  }
  return kernel_file_bytes(file);
}

}  // namespace nightshift::tools
