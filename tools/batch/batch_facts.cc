#include "tools/batch/batch_facts.h"

#include <filesystem>
#include <stdexcept>
#include <utility>
#include <vector>

#include "scheduler/errors.h"
#include "scheduler/journal/batch_journal.h"
#include "scheduler/journal/sqlite_journal.h"
#include "scheduler/summary/summary.h"
#include "tools/document/document_writers.h"
#include "tools/output_file.h"
#include "tools/problem/journaled_problem.h"
#include "tools/report/study_report.h"
#include "tools/study_folder.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

namespace fs = std::filesystem;

std::string write_page(const std::string& page, const std::string& bytes,
                       const std::string& beside) {
  try {
    write_output(page, bytes);
    return fs::path(page).lexically_relative(beside).string();
  } catch (const std::runtime_error&) {  // UsageError, OutputError
    return "";  // a folder that is read only: the batch's page does without the link
  }
}

BatchStudyFacts read_study(const StudyFolder& folder, const BatchPages& pages,
                           scheduler::BatchStudyRecord& study) {
  if (!scheduler::holds_study(folder.path())) return {};
  try {
    const scheduler::History history =
        scheduler::load_history(folder.path(), scheduler::Detail::kTrials);
    const search::Problem problem = problem_for_telling(history);
    const scheduler::StudySummary summary = scheduler::summarise(history, problem);
    study.claim = claim_of(summary, problem);
    BatchStudyFacts facts = facts_of(history, problem, summary);
    if (!pages.folder.empty()) {
      facts.page =
          write_page(folder.page(), to_html(document_of(history, problem, folder)), pages.folder);
    }
    return facts;
  } catch (const scheduler::JournalError& error) {
    BatchStudyFacts facts;
    facts.unread = error.what();
    return facts;
  }
}

}  // namespace

BatchReport read_batch_report(const std::string& folder, double now, const BatchPages& pages) {
  const StudyFolder batch(folder);
  scheduler::BatchRecord record = scheduler::load_batch(batch.path());
  std::vector<BatchStudyFacts> facts;
  for (scheduler::BatchStudyRecord& study : record.studies) {
    pages.progress(std::to_string(facts.size() + 1) + " of " +
                   std::to_string(record.studies.size()));
    facts.push_back(read_study(StudyFolder(batch.path() + "/" + study.terms.name), pages, study));
  }
  return make_batch_report(std::move(record), batch.shown(), now, std::move(facts));
}

}  // namespace nightshift::tools
