#pragma once

#include <string>
#include <vector>

#include "tools/batch/report/batch_report.h"
#include "tools/batch/report/batch_rows.h"
#include "tools/serve/service_ledger.h"

namespace nightshift::tools {

// What is told of a night, whatever it is written as. `batch`: of the same folder. All pure.

struct NightSection {
  std::string title;
  Rows rows;  // the first has the headings; none: there is nothing to tell
};
// What was kept and what that comes to, verdicts and refusals by kind with an example of each,
// proposals and kept ones by the hour, and how devices spent their time.
std::vector<NightSection> night_sections(const ServiceLedger& ledger, const BatchReport& batch);

std::string night_headline(const ServiceLedger& ledger);
// How the night stands, and how many candidates wait for their answer.
std::vector<std::string> night_sentences(const ServiceLedger& ledger, const BatchReport& batch);

// Of a night in which something was kept: the time of the incumbent over that of the problem's own.
struct NightProgress {
  struct Step {
    double seconds = 0;  // since the night began
    double ratio = 1;    // product of the ratios that were kept until then
  };
  std::string name;
  std::vector<Step> steps;
};
std::vector<NightProgress> night_progress(const ServiceLedger& ledger, const BatchReport& batch);

}  // namespace nightshift::tools
