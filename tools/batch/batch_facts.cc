#include "tools/batch/batch_facts.h"

#include <filesystem>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "problems/problem_file.h"
#include "scheduler/errors.h"
#include "scheduler/journal/batch_journal.h"
#include "scheduler/journal/sqlite_journal.h"
#include "scheduler/summary/batch_time.h"
#include "scheduler/summary/summary.h"
#include "tools/document/document_writers.h"
#include "tools/output_file.h"
#include "tools/problem/journaled_problem.h"
#include "tools/report/study_report.h"
#include "tools/study/study_parts.h"
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

// --- Whose a journal is ---

using Settings = std::map<std::string, std::string>;

// What tells studies of one problem file from each other: budgets change, and what a study learns
// from and multiprocessors are settled when it begins.
Settings telling(const std::vector<problems::Override>& overrides) {
  static const std::set<std::string> kSettled = {"search.warm_start", kStarts, kStartsFile,
                                                 kMultiprocessors};
  Settings settings;
  for (const auto& [key, value] : overrides) {
    if (!key.starts_with("budget.") && !kSettled.contains(key)) settings[key] = value;
  }
  return settings;
}

bool is_of(const scheduler::History& history, const scheduler::BatchStudyTerms& terms) {
  return history.header.problem_file == terms.problem &&
         telling(history.header.overrides) == telling(terms.overrides);
}

// False too where the file cannot be read, or is described by a program: it may be gone by now.
bool is_called_otherwise(const scheduler::History& history,
                         const scheduler::BatchStudyTerms& terms) {
  try {
    return problems::read_problem(terms.problem, terms.overrides).name !=
           history.header.problem_name;
  } catch (const std::exception&) {
    return false;
  }
}

// Empty: the journal is that of `own`, or that study has been changed since.
std::string other_owner(const scheduler::History& history, const scheduler::BatchStudyTerms& own,
                        const std::vector<scheduler::BatchStudyTerms>& all) {
  if (is_of(history, own)) return "";
  for (const scheduler::BatchStudyTerms& other : all) {
    if (other.name != own.name && is_of(history, other)) return "the study " + other.name;
  }
  const scheduler::StudyHeader& header = history.header;
  if (header.problem_file == own.problem || !is_called_otherwise(history, own)) return "";
  return "a study of " + header.problem_name + " (" + header.problem_file + ")";
}

std::vector<scheduler::BatchStudyTerms> terms_in(const scheduler::BatchRecord& record) {
  std::vector<scheduler::BatchStudyTerms> terms;
  for (const scheduler::BatchStudyRecord& study : record.studies) terms.push_back(study.terms);
  return terms;
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

void expect_own_journal(const scheduler::History& history, const StudyFolder& folder,
                        const scheduler::BatchStudyTerms& own,
                        const std::vector<scheduler::BatchStudyTerms>& all) {
  const std::string owner = other_owner(history, own, all);
  if (owner.empty()) return;
  throw scheduler::JournalError("the journal " + folder.shown() +
                                "/journal.sqlite is damaged: it is that of " + owner + ", not of " +
                                own.name + "; put it back where it was, or remove " +
                                folder.shown() + " to measure the study anew");
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
