#include "tools/export/export.h"

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/summary/summary.h"
#include "tools/bundle/bundle_writer.h"
#include "tools/cli/command.h"
#include "tools/cli/shared_options.h"
#include "tools/output_file.h"
#include "tools/problem/journaled_problem.h"
#include "tools/problem/own_journal.h"
#include "tools/study_folder.h"
#include "tools/summary/measured_elsewhere.h"
#include "tools/text/format.h"
#include "tools/text/page.h"

namespace nightshift::tools {
namespace {

constexpr const char* kEpilogue = R"(
Examples:
  nightshift export studies/sgemm-20250101-180000 --format header --output best.h
  nightshift export studies/sgemm-20250101-180000 --format t4 --output space.json   `tune` replays it
  nightshift export studies/sgemm-20250101-180000 --format cubin --output sgemm.kernels
  nightshift export studies/sgemm-20250101-180000 --format bundle --output sgemm.bundle

Exit code 3 where json, header or cubin are asked for and no configuration could be measured, or the best one
failed when it was confirmed; others as in
`nightshift --help`.)";

void declare(ArgumentParser& parser, ExportOptions& o) {
  add_study(parser, o.study);
  std::vector<std::pair<std::string, const ExportFormat*>> words;
  std::string help;
  for (const ExportFormat& format : export_formats()) {
    words.emplace_back(format.name, &format);
    help += (help.empty() ? "" : "; ") + std::string(format.name) + ": " + std::string(format.what);
  }
  parser.required_option("--format NAME", o.format, one_of(words), help);
  parser.option("--output FILE", o.output,
                "File to write (standard output); of a bundle the folder, which must be new");
  add_architecture(parser, o.architecture, "Of cubin: ");
  parser.check([&] {
    if (o.format == nullptr) return;
    if (o.format->is_bundle() && o.output.empty()) {
      parser.error("--format bundle: expected the folder to write as --output");
    }
    if (o.format->is_binary && o.output.empty()) {
      parser.error("--format cubin: expected the file to write as --output");
    }
    if (o.architecture && !o.format->is_binary)
      parser.error("--architecture is for --format cubin");
  });
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

// False, and why on standard error, where there is nothing to be used.
bool is_there_a_best(const StudyFolder& folder, const scheduler::StudySummary& summary) {
  const std::string& study = folder.shown();
  if (!summary.best) {
    std::fprintf(stderr, "nightshift: %s has no configuration that could be measured\n",
                 study.c_str());
    return false;
  }
  if (summary.failed_when_confirmed) {
    std::fprintf(stderr,
                 "nightshift: the best configuration of %s failed when it was confirmed: it is not "
                 "to be used\n",
                 study.c_str());
    return false;
  }
  if (!summary.accepted) {
    std::fprintf(stderr,
                 "nightshift: the best configuration of %s was not confirmed as an improvement\n",
                 study.c_str());
  }
  return true;
}

ExitCode run(const ExportOptions& options) {
  const StudyFolder folder(options.study);
  const scheduler::History history = load_own_history(folder.path(), scheduler::Detail::kTrials);
  const bool needs_sources = options.format->is_bundle() || options.format->is_binary;
  const search::Problem problem = needs_sources ? problem_of(history) : told_problem(history);
  const scheduler::StudySummary summary = scheduler::summarise(history, problem);
  if (options.format->is_bundle()) {
    expect_measured_here(problem, folder);  // a bundle holds what measures it
    return bundled(options, {folder, history, problem, summary});
  }
  if (options.format->needs_best && !is_there_a_best(folder, summary))
    return ExitCode::kNoImprovement;
  std::vector<std::string> notices;
  const std::string text =
      options.format->written({history, summary, problem, folder, options.architecture, notices});
  for (const std::string& notice : notices)
    std::fprintf(stderr, "nightshift: %s\n", notice.c_str());
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
