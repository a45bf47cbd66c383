#include "tools/export/export_formats.h"

#include <array>
#include <nlohmann/json.hpp>
#include <variant>

#include "base/overloaded.h"
#include "problems/recorded_space.h"
#include "search/scoring.h"
#include "search/time_unit.h"
#include "tools/export/exports.h"
#include "tools/summary/summary_json.h"
#include "tools/text/page.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

// As another tuner calls what was tuned.
std::string kernel_name_of(const search::Problem& problem) {
  return std::visit(base::Overloaded{
                        [](const search::HostBackend& host) { return host.kernel.function; },
                        [&](const search::CommandBackend&) { return problem.name; },
                        [&](const search::RecordedBackend& recorded) {
                          try {
                            return problems::RecordedSpace::read(recorded.file).kernel_name();
                          } catch (const problems::RecordedSpaceError&) {
                            return problem.name;  // what the journal has is worth having without it
                          }
                        },
                        [](const search::CudaBackend& cuda) {
                          const std::string& kernel = cuda.launches.front().kernel;
                          return kernel.starts_with("::") ? kernel.substr(2) : kernel;
                        },
                    },
                    problem.backend);
}

void require_time(const search::Problem& problem) {
  const search::Objective primary = search::primary_objective(problem);
  if (search::per_second(primary.unit)) return;
  throw UsageError("KTT's results hold times, and the objective '" + primary.name + "' is in '" +
                   primary.unit + "'; t4, csv and kernel-tuner have it");
}

constexpr std::array kFormats = {
    ExportFormat{"json", "best configuration with its figures", true,
                 [](const ExportedStudy& s) { return json_text(best_json(s.summary, s.problem)); }},
    ExportFormat{"header", "the same as C macros", true,
                 [](const ExportedStudy& s) { return to_header(s.summary, s.problem, s.history); }},
    ExportFormat{"csv", "one row per trial", false,
                 [](const ExportedStudy& s) { return to_csv(s.history, s.summary, s.problem); }},
    ExportFormat{"t4", "all trials as T4 JSON of the auto-tuning community", false,
                 [](const ExportedStudy& s) { return to_t4(s.history, s.problem); }},
    ExportFormat{"kernel-tuner", "a cache that Kernel Tuner goes on from", false,
                 [](const ExportedStudy& s) {
                   return to_kernel_tuner(s.history, s.problem, kernel_name_of(s.problem));
                 }},
    ExportFormat{"ktt", "results as KTT writes them", false,
                 [](const ExportedStudy& s) {
                   require_time(s.problem);
                   return to_ktt(s.history, s.problem, kernel_name_of(s.problem));
                 }},
    ExportFormat{"ktt-xml", "the same as XML", false,
                 [](const ExportedStudy& s) {
                   require_time(s.problem);
                   return to_ktt_xml(s.history, s.problem, kernel_name_of(s.problem));
                 }},
    ExportFormat{"cubin", "CUDA kernels, compiled, for programs that launch them", true, to_cubin,
                 true},
    ExportFormat{"bundle", "a folder that `verify` needs", false, nullptr}};

}  // namespace

std::span<const ExportFormat> export_formats() { return kFormats; }

}  // namespace nightshift::tools
