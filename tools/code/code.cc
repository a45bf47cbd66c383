#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "evaluator/machine_code.h"
#include "scheduler/errors.h"
#include "tools/cli/command.h"
#include "tools/cli/shared_options.h"
#include "tools/code/code_report.h"
#include "tools/compare/named_trial.h"
#include "tools/evaluator_program.h"
#include "tools/kernels/gpu_target.h"
#include "tools/machine_lack.h"
#include "tools/problem/journaled_problem.h"
#include "tools/problem/own_journal.h"
#include "tools/study_folder.h"
#include "tools/temporary_folder.h"
#include "tools/text/page.h"
#include "tools/usage_error.h"
#include "tools/ward.h"

namespace nightshift::tools {
namespace {

constexpr const char* kEpilogue = R"(
Builds the trial's configuration as the study would, and shows what became of it: the assembly of a
host kernel (by objdump), the SASS of CUDA kernels (by cuobjdump, which CUDA toolkits have), how many
instructions there are of each class, and of CUDA kernels what they take of registers and memory; with --ptx
the PTX that the compiler made on the way. With
--against only what differs is shown: - is of the other, + is of TRIAL. Targets of jumps and offsets to
data, which the linker chooses, are no difference, nor numbers of PTX's registers.

TRIAL is a number, `best` or `baseline`. What is built is today's source with today's compiler; where
the study measured other machine code, that is said. CUDA kernels are built for the GPU that the study
would run on here, without one for an H200 (sm_90), or for --architecture.

Examples:
  nightshift code studies/rmsnorm-20250101-180000 best --against baseline
  nightshift code studies/rmsnorm-20250101-180000 17 --ptx
  nightshift code studies/gemm-20250101-180000 best --architecture 100 --json)";

struct CodeOptions {
  std::string study;
  std::string trial;
  std::optional<std::string> against;
  std::optional<int> architecture;
  bool ptx = false;
  bool json = false;
};

void declare(ArgumentParser& parser, CodeOptions& o) {
  add_study(parser, o.study);
  parser.positional("TRIAL", o.trial, "Number of the trial, best or baseline");
  parser.option("--against TRIAL", o.against, "Shows how it differs from this one");
  add_architecture(parser, o.architecture, "Of CUDA kernels: ");
  parser.flag("--ptx", o.ptx, "Of CUDA kernels: the PTX instead of the machine code");
  add_json(parser, o.json);
}

CodeSide side_of(NamedTrial trial) {
  CodeSide side;
  side.name = std::move(trial.name);
  side.configuration = std::move(trial.configuration);
  side.measured = std::move(trial.measured);
  return side;
}

ipc::GpuTarget target_for(const search::Problem& problem, const scheduler::History& history,
                          const CodeOptions& options) {
  if (!std::holds_alternative<search::CudaBackend>(problem.backend)) return {};
  ipc::GpuTarget target =
      gpu_here(problem, history)
          .value_or(ipc::GpuTarget{"", kUsualArchitecture, kUsualMultiprocessors});
  if (options.architecture) target.architecture = *options.architecture;
  return target;
}

CodeListing listing_of(CodeKind kind, const evaluator::Disassembly& part) {
  switch (kind) {
    case CodeKind::kHost:
      return listing_of_objdump(part.code);
    case CodeKind::kPtx:
      return listing_of_ptx(part.code);
    case CodeKind::kSass:
      break;
  }
  return listing_of_cuobjdump(part.code, part.resources);
}

// Builds one side; what keeps it from being shown goes into the report.
void build(const ipc::ConfigureRequest& setting, CodeReport& report, CodeSide& side) {
  using evaluator::CodeForm;
  const CodeForm form = report.kind == CodeKind::kPtx ? CodeForm::kPtx : CodeForm::kMachine;
  evaluator::MachineCode code;
  try {
    code = evaluator::machine_code(setting, side.configuration, form);
  } catch (const std::runtime_error& error) {
    throw_where_lacking(setting.artifact_folder, error.what());
    throw;
  }
  if (!code.complaint.empty()) {
    throw_where_lacking(setting.artifact_folder, code.complaint);
    throw scheduler::StudyError(side.name + " cannot be built: " + code.complaint);
  }
  side.hash = code.hash;
  report.untold = code.untold;
  for (const evaluator::Disassembly& part : code.parts) {
    side.parts.push_back({part.name, part.bytes, listing_of(report.kind, part)});
  }
}

CodeReport looked_at(const CodeOptions& options) {
  const StudyFolder study(options.study);
  const scheduler::History history = load_own_history(study.path(), scheduler::Detail::kTrials);
  CodeReport report;
  report.study = study.shown();
  if (options.against)
    report.sides.push_back(side_of(trial_named(*options.against, study, history)));
  report.sides.push_back(side_of(trial_named(options.trial, study, history)));

  ipc::ConfigureRequest setting;
  setting.problem = problem_of(history);
  if (!search::is_kernel(setting.problem)) {
    throw UsageError(study.shown() +
                     " is no study of [host] or [cuda] kernels: a program or a "
                     "recording shows no machine code");
  }
  if (options.ptx && !std::holds_alternative<search::CudaBackend>(setting.problem.backend)) {
    throw UsageError("--ptx: " + study.shown() +
                     " is no study of CUDA kernels, which alone have PTX");
  }
  const TemporaryFolder folder;
  const WardOfAll ward({folder.path()});
  setting.artifact_folder = folder.artifacts();
  setting.scratch_folder = folder.scratch();
  setting.own_program = evaluator_program();
  setting.gpu = target_for(setting.problem, history, options);
  setting.measures = false;
  if (std::holds_alternative<search::CudaBackend>(setting.problem.backend)) {
    report.kind = options.ptx ? CodeKind::kPtx : CodeKind::kSass;
    report.built_for = "sm_" + std::to_string(setting.gpu.architecture);
  }
  for (CodeSide& side : report.sides) build(setting, report, side);
  return report;
}

ExitCode run(const CodeOptions& options) {
  const CodeReport report = looked_at(options);
  if (options.json) {
    print_json(code_json(report));
  } else {
    print_page(code_text(report));
  }
  return ExitCode::kSuccess;
}

}  // namespace

Command code_command() {
  return make_command<CodeOptions>(
      "code", "Show the machine code of a trial, and how it differs from another's", kEpilogue,
      declare, run);
}

}  // namespace nightshift::tools
