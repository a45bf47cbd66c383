#include "tools/batch/batch_facts.h"

#include <filesystem>
#include <utility>
#include <vector>

#include "scheduler/errors.h"
#include "scheduler/journal/batch_journal.h"
#include "scheduler/journal/sqlite_journal.h"
#include "scheduler/summary/batch_time.h"
#include "scheduler/summary/summary.h"
#include "tools/document/document_writers.h"
#include "tools/output_file.h"
#include "tools/problem/journaled_problem.h"
#include "tools/problem/own_journal.h"
#include "tools/report/study_report.h"
#include "tools/study_folder.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

namespace fs = std::filesystem;

std::string write_page(const std::string& page, const std::string& bytes,
                       const std::string& beside) {
  try {
    check_output(page);
  } catch (const UsageError&) {
    return "";  // a folder that is read only: the batch's page does without the link
  }
  return keep_output(page, bytes) ? fs::path(page).lexically_relative(beside).string() : "";
}

BatchStudyFacts read_study(const StudyFolder& folder, const BatchPages& pages,
                           scheduler::BatchStudyRecord& study,
                           const std::vector<scheduler::BatchStudyTerms>& all) {
  if (!scheduler::holds_study(folder.path())) {
    BatchStudyFacts facts;
    facts.unread = why_gone(folder, study);
    return facts;
  }
  try {
    const scheduler::History history =
        scheduler::load_history(folder.path(), scheduler::Detail::kTrials);
    expect_own_journal(history, folder, study.terms, all);
    const search::Problem problem = problem_for_telling(history);
    const scheduler::StudySummary summary = scheduler::summarise(history, problem);
    study.claim = claim_of(summary);
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

bool had_journal(const scheduler::BatchStudyRecord& study) {
  return study.state == scheduler::BatchStudyState::kCompleted || study.claim ||
         (study.progress && study.progress->trials > 0);
}

std::string why_gone(const StudyFolder& folder, const scheduler::BatchStudyRecord& study) {
  if (!had_journal(study) || scheduler::holds_study(folder.path())) return "";
  return "the journal " + folder.shown() + "/journal.sqlite is gone, and with it what " +
         study.terms.name +
         " measured; put it back, or `nightshift batch run` measures the study " + "anew";
}

std::vector<std::string> unread_journals(const std::string& folder,
                                         const scheduler::BatchRecord& record) {
  const std::vector<scheduler::BatchStudyTerms> all = terms_in(record);
  std::vector<std::string> unread(all.size());
  for (std::size_t s = 0; s < all.size(); ++s) {
    const StudyFolder study(folder + "/" + all[s].name);
    if (!record.studies[s].began) continue;
    if (!scheduler::holds_study(study.path())) {
      unread[s] = why_gone(study, record.studies[s]);
      continue;
    }
    try {
      expect_own_journal(scheduler::load_history(study.path(), scheduler::Detail::kHead), study,
                         all[s], all);
    } catch (const scheduler::JournalError& error) {
      unread[s] = error.what();
    }
  }
  return unread;
}

BatchReport read_batch_report(const std::string& folder, double wall, const BatchPages& pages) {
  const StudyFolder batch(folder);
  scheduler::BatchRecord record = scheduler::load_batch(batch.path());
  const std::vector<scheduler::BatchStudyTerms> all = terms_in(record);
  std::vector<BatchStudyFacts> facts;
  for (scheduler::BatchStudyRecord& study : record.studies) {
    pages.progress(std::to_string(facts.size() + 1) + " of " +
                   std::to_string(record.studies.size()));
    facts.push_back(
        read_study(StudyFolder(batch.path() + "/" + study.terms.name), pages, study, all));
  }
  const double now = scheduler::now_in(record, wall);
  return make_batch_report(std::move(record), batch.shown(), now, std::move(facts));
}

}  // namespace nightshift::tools
