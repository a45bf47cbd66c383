#pragma once

#include <utility>
#include <vector>

#include "tests/tools/told_batch.h"
#include "tools/batch/report/batch_report.h"

namespace nightshift::tests {

inline tools::BatchReport report_of(const ToldBatch& batch,
                                    std::vector<tools::BatchStudyFacts> facts = {}) {
  return tools::make_batch_report(batch.record(), "batches/night", kBatchNow, std::move(facts));
}

// Of the studies of ToldBatch.
inline std::vector<tools::BatchStudyFacts> told_facts() {
  std::vector<tools::BatchStudyFacts> facts(6);
  facts[0].change = "time 50.00 % lower (2.00 times as good)";
  facts[0].interval = "[48.00 %, 52.00 %]";
  facts[0].configuration = "TILE=4";
  facts[0].best_trial = 17;
  facts[0].differs = "TILE=4 (not 1)";
  facts[0].baseline = "time 10.00 ms [9.90, 10.10] ms";
  facts[0].best = "time 5.000 ms [4.90, 5.10] ms";
  facts[0].failures = {{"crashed", 20, 3, "killed by SIGSEGV while measuring"}};
  facts[0].page = "a b/report.html";
  facts[5].headline = "No improvement accepted; best seen: time 10.00 % higher";
  facts[5].why = "no trial beat the baseline";
  facts[5].notices = {"a device left the study: gpu:1 was lost"};
  return facts;
}

}  // namespace nightshift::tests
