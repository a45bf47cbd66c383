#include "tools/study/resume.h"

#include "tools/cli/command.h"
#include "tools/cli/shared_options.h"
#include "tools/study/continuation.h"

namespace nightshift::tools {
namespace {

constexpr const char* kEpilogue = R"(
STUDY is the folder that `nightshift tune` named. What was measured is kept, what was under way when the
run ended is measured again. The study has its own copy of the problem file, not of sources that it names: where one of these,
the compiler or the machine has changed, it begins anew, and what it was is in STUDY/earlier/1. So does a study that ended
before any configuration was measured, once its problem file is mended.

Examples:
  nightshift resume studies/sgemm-20250101-180000
  nightshift resume studies/sgemm-20250101-180000 --budget 2h     two hours, with what was used before
  nightshift resume studies/sgemm-20250101-180000 --budget 800t --json > result.json
  nightshift resume studies/sgemm-20250101-180000 --devices cpu:5        on another core than before

Exit codes are those of `nightshift tune`: 0 an improvement was accepted, 3 none was; others as in
`nightshift --help`.)";

void declare(ArgumentParser& parser, ResumeOptions& o) {
  add_study(parser, o.study);
  add_budget(parser, o.overrides, "; counts what was used before");
  add_effort(parser, o.overrides, "; more than the study was begun with");
  parser.option("--devices LIST", o.devices,
                "Where to measure on this machine from now on, as for tune (where it was measured "
                "before)");
  add_nodes(parser, o.run.nodes.list, o.run.nodes.silence);
  add_wait(parser, o.run.wait);
  add_stop_times(parser, o.run.stop_times);
  add_json(parser, o.run.json, "As for tune");
  parser.check([&] {
    if (o.devices && !o.run.nodes.list.empty()) parser.error(kDevicesAndNodes);
  });
}

ExitCode run(const ResumeOptions& options) {
  const StudyFolder folder(options.study);
  Continuation how{options.overrides, options.devices, {}, options.run};
  take_mended_file(folder, how);
  return continue_study(folder, how);
}

}  // namespace

Command resume_command() {
  return make_command<ResumeOptions>(
      "resume", "Go on with a study; nothing measured is measured again", kEpilogue, declare, run);
}

}  // namespace nightshift::tools
