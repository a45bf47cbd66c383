#include "tools/export/export.h"

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

#include "base/overloaded.h"
#include "problems/recorded_space.h"
#include "scheduler/journal/sqlite_journal.h"
#include "scheduler/summary/summary.h"
#include "search/scoring.h"
#include "search/time_unit.h"
#include "tools/bundle/bundle_writer.h"
#include "tools/cli/command.h"
#include "tools/cli/shared_options.h"
#include "tools/export/exports.h"
#include "tools/output_file.h"
#include "tools/problem/journaled_problem.h"
#include "tools/study_folder.h"
#include "tools/summary/summary_json.h"
#include "tools/text/format.h"
#include "tools/text/page.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

constexpr const char* kEpilogue = R"(
Examples:
  nightshift export studies/sgemm-20250101-180000 --format header --output best.h
  nightshift export studies/sgemm-20250101-180000 --format json | jq .configuration
  nightshift export studies/sgemm-20250101-180000 --format t4 --output space.json   `tune` replays it
  nightshift export studies/sgemm-20250101-180000 --format bundle --output sgemm.bundle

Exit code 3 where json or header are asked for and no configuration could be measured; others as in
`nightshift --help`.)";

void declare(ArgumentParser& parser, ExportOptions& o) {
  add_study(parser, o.study);
  parser.required_option(
      "--format NAME", o.format,
      one_of<ExportFormat>({{"t4", ExportFormat::kT4},
                            {"csv", ExportFormat::kCsv},
                            {"json", ExportFormat::kJson},
                            {"header", ExportFormat::kHeader},
                            {"kernel-tuner", ExportFormat::kKernelTuner},
                            {"ktt", ExportFormat::kKtt},
                            {"ktt-xml", ExportFormat::kKttXml},
                            {"bundle", ExportFormat::kBundle}}),
      "json: best configuration with its figures; header: the same as C macros; "
      "csv: one row per trial; t4: all trials as T4 JSON of the auto-tuning "
      "community; kernel-tuner: a cache that Kernel Tuner goes on from; ktt, "
      "ktt-xml: results as KTT writes them; bundle: a folder that `verify` needs");
  parser.option("--output FILE", o.output,
                "File to write (standard output); of a bundle the folder, which must be new");
  parser.check([&] {
    if (o.format == ExportFormat::kBundle && o.output.empty()) {
      parser.error("--format bundle: expected the folder to write as --output");
    }
  });
}

bool needs_best(ExportFormat format) {
  return format == ExportFormat::kJson || format == ExportFormat::kHeader;
}

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

std::string rendered(ExportFormat format, const scheduler::History& history,
                     const scheduler::StudySummary& summary, const search::Problem& problem) {
  switch (format) {
    case ExportFormat::kT4:
      return to_t4(history, problem);
    case ExportFormat::kCsv:
      return to_csv(history, summary, problem);
    case ExportFormat::kHeader:
      return to_header(summary, problem, history);
    case ExportFormat::kKernelTuner:
      return to_kernel_tuner(history, problem, kernel_name_of(problem));
    case ExportFormat::kKtt:
      require_time(problem);
      return to_ktt(history, problem, kernel_name_of(problem));
    case ExportFormat::kKttXml:
      require_time(problem);
      return to_ktt_xml(history, problem, kernel_name_of(problem));
    case ExportFormat::kJson:
    case ExportFormat::kBundle:  // see bundled()
      break;
  }
  return json_text(best_json(summary, problem));
}

// What was written, for people: standard output has nothing else to say.
ExitCode bundled(const ExportOptions& options, const BundledStudy& study) {
  const WrittenBundle written = write_bundle(study, options.output);
  for (const std::string& notice : written.notices) {
    std::fprintf(stderr, "nightshift: %s\n", notice.c_str());
  }
  std::printf("%s: %s, %s bytes; `nightshift verify %s` there, and elsewhere\n",
              options.output.c_str(), count_of(written.files, "file").c_str(),
              format_count(written.bytes).c_str(), shell_word(options.output).c_str());
  return ExitCode::kSuccess;
}

ExitCode run(const ExportOptions& options) {
  const StudyFolder folder(options.study);
  const scheduler::History history =
      scheduler::load_history(folder.path(), scheduler::Detail::kTrials);
  // Only a bundle takes the sources along.
  const search::Problem problem =
      options.format == ExportFormat::kBundle ? problem_of(history) : told_problem(history);
  const scheduler::StudySummary summary = scheduler::summarise(history, problem);
  if (options.format == ExportFormat::kBundle) {
    return bundled(options, {folder, history, problem, summary});
  }
  if (needs_best(options.format)) {
    if (!summary.best) {
      std::fprintf(stderr, "nightshift: %s has no configuration that could be measured\n",
                   folder.shown().c_str());
      return ExitCode::kNoImprovement;
    }
    if (!summary.accepted) {
      std::fprintf(stderr,
                   "nightshift: the best configuration of %s was not confirmed as an improvement\n",
                   folder.shown().c_str());
    }
  }
  const std::string text = rendered(options.format, history, summary, problem);
  if (options.output.empty()) {
    std::fputs(text.c_str(), stdout);
  } else {
    write_output(options.output, text);
  }
  return ExitCode::kSuccess;
}

}  // namespace

Command export_command() {
  return make_command<ExportOptions>("export", "Write results in a form for other programs",
                                     kEpilogue, declare, run);
}

}  // namespace nightshift::tools
