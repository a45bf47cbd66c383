#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scheduler/journal/batch_record.h"
#include "scheduler/journal/history.h"
#include "scheduler/summary/batch_summary.h"
#include "scheduler/summary/batch_time.h"
#include "scheduler/summary/summary.h"
#include "search/problem.h"
#include "tools/document/document.h"

namespace nightshift::tools {

// What the report of a batch knows of one of its studies beyond the batch's own record.
struct BatchStudyFacts {
  std::string unread;  // why its journal could not be read; empty where it was
  std::string headline, why;
  std::string change;          // "time 58.80 % lower (2.43 times as good)"; empty without a claim
  std::string interval;        // of the claim
  std::string configuration;   // the best
  std::string differs;         // what of it is not as in the baseline
  std::string baseline, best;  // their figures, with intervals
  bool has_macros = true;      // the best is of use to a build as a header
  std::uint64_t best_trial = 0;
  struct Failures {
    std::string kind;
    std::uint64_t count = 0, example = 0;  // a trial
    std::string what_happened;             // to it
  };
  std::vector<Failures> failures;  // the most first
  std::vector<Block> front;        // of several objectives
  std::vector<std::string> notices;
  std::string page;  // its own report, relative to the batch's page; empty: there is none
};
BatchStudyFacts facts_of(const scheduler::History& history, const search::Problem& problem,
                         const scheduler::StudySummary& summary);
// What its journal says a study claims; nullopt: nothing.
std::optional<scheduler::BatchClaim> claim_of(const scheduler::StudySummary& summary);

// All that the report of a batch tells. Claims of the record
// are those of the studies' own journals where these could be read.
struct BatchReport {
  scheduler::BatchRecord record;
  std::string folder;                  // as the user would type it
  double now = 0;                      // Unix seconds
  std::vector<BatchStudyFacts> facts;  // by study of the record
  scheduler::BatchSummary summary;     // of the record
  scheduler::BatchTime time;           // of the record
};
BatchReport make_batch_report(scheduler::BatchRecord record, std::string folder, double now,
                              std::vector<BatchStudyFacts> facts);

}  // namespace nightshift::tools
