#include <string>

#include "tools/batch/batch_requests.h"
#include "tools/cli/argument_parser.h"
#include "tools/cli/command.h"
#include "tools/slurm/slurm_programs.h"
#include "tools/submit/submission.h"
#include "tools/text/format.h"
#include "tools/text/page.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

constexpr const char* kEpilogue = R"(
Cancels the Slurm job of a batch (scancel). One that runs stops in good order: what is being measured
may end within 20 s, and nothing that was measured is lost. The same `nightshift submit` goes on.
Studies are cancelled by `nightshift batch cancel`.

Examples:
  nightshift cancel night
  nightshift cancel 4711)";

struct CancelOptions {
  std::string what;
};

void declare(ArgumentParser& parser, CancelOptions& o) {
  parser.positional("BATCH", o.what, "Folder of a batch, its name, or a job's number");
}

ExitCode run(const CancelOptions& options) {
  if (is_job_number(options.what)) {
    cancel_job({options.what, ""});
    print_page("job " + options.what + " is cancelled\n");
    return ExitCode::kSuccess;
  }
  const std::string folder = batch_folder(options.what);
  const auto standing = job_standing(folder);
  if (!standing) {
    throw UsageError(folder + " was never submitted: Ctrl-C or SIGTERM stops a batch that runs");
  }
  if (standing->is_cut_off()) {
    expect_over(*standing, folder);
    print_page(paragraph(job_text(*standing), 0));
    return ExitCode::kSuccess;
  }
  const std::string number = standing->submission.job.number;
  if (standing->queued.empty() && standing->unknown.empty()) {
    print_page("job " + number + " has ended already\n");
    return ExitCode::kSuccess;
  }
  cancel_job(standing->submission.job);
  if (standing->found) keep_submission(folder, standing->submission);
  print_page("job " + number + " is cancelled\n");
  return ExitCode::kSuccess;
}

}  // namespace

Command cancel_command() {
  return make_command<CancelOptions>("cancel", "Cancel the Slurm job of a batch", kEpilogue,
                                     declare, run);
}

}  // namespace nightshift::tools
