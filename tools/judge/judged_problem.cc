#include "tools/judge/judged_problem.h"

#include <filesystem>
#include <system_error>
#include <variant>

#include "problems/judged_source.h"
#include "tools/problem/judged_file.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

namespace fs = std::filesystem;

std::string folder_of(const std::string& file) { return fs::path(file).parent_path().string(); }

}  // namespace

Field judged(const search::Problem& problem, const std::string& candidate,
             const std::string& folder) {
  Field field;
  field.problem = problem;
  std::error_code missing;
  const fs::path source = fs::canonical(candidate, missing);
  if (missing || !fs::is_regular_file(source)) {
    throw UsageError("judge: there is no file " + candidate);
  }
  const auto* cuda = std::get_if<search::CudaBackend>(&problem.backend);
  const auto* host = std::get_if<search::HostBackend>(&problem.backend);
  if (cuda == nullptr && host == nullptr) {
    throw UsageError("judge: candidates are C++ and CUDA C++ sources, and " + problem.file +
                     " is a [" + std::string(search::name_of(problem.backend)) + "] problem");
  }
  const std::string own = cuda != nullptr ? cuda->kernel.file : host->kernel.file;
  problems::JudgedSource sources;
  sources.source = folder + (cuda != nullptr ? "/judged.cu" : "/judged.cc");
  sources.folders = {source.parent_path().string(), folder_of(own)};
  write_judged_file(sources.source, own, {{sources.candidate, source.string()}});
  problems::set_judged_source(field.problem, sources);
  search::Configuration its = search::resolved(field.problem, {});
  its.set(problems::kCandidateParameter, sources.candidate);
  field.contenders = {{"the baseline", {}}, {candidate, its}};
  return field;
}

}  // namespace nightshift::tools
