#include "tools/problem/own_journal.h"

#include <filesystem>
#include <map>
#include <set>
#include <stdexcept>

#include "problems/problem_file.h"
#include "scheduler/errors.h"
#include "scheduler/journal/batch_journal.h"
#include "tools/problem/journaled_problem.h"
#include "tools/text/format.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

bool is_of(const scheduler::History& history, const scheduler::BatchStudyTerms& terms) {
  return history.header.problem_file == terms.problem &&
         telling_settings(history.header.overrides) == telling_settings(terms.overrides);
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

}  // namespace

std::map<std::string, std::string> telling_settings(
    const std::vector<problems::Override>& overrides) {
  static const std::set<std::string> kSettled = {"search.warm_start", kStarts, kStartsFile,
                                                 kMultiprocessors};
  std::map<std::string, std::string> settings;
  for (const auto& [key, value] : overrides) {
    if (!key.starts_with("budget.") && !kSettled.contains(key)) settings[key] = value;
  }
  return settings;
}

std::vector<scheduler::BatchStudyTerms> terms_in(const scheduler::BatchRecord& record) {
  std::vector<scheduler::BatchStudyTerms> terms;
  for (const scheduler::BatchStudyRecord& study : record.studies) terms.push_back(study.terms);
  return terms;
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

void refuse_batch(const StudyFolder& folder, const std::string& command, const std::string& rest) {
  if (!scheduler::holds_batch(folder.path()) || scheduler::holds_study(folder.path())) return;
  const scheduler::BatchRecord record = scheduler::load_batch(folder.path());
  std::string first;
  for (const scheduler::BatchStudyRecord& study : record.studies) {
    const bool has_journal = scheduler::holds_study(folder.path() + "/" + study.terms.name);
    if (first.empty() && has_journal) first = study.terms.name;
  }
  const std::string all = "`nightshift batch run " + shell_word(folder.shown()) + "`";
  if (first.empty()) {
    throw UsageError(folder.shown() + " is a batch, of which no study has begun; " + all +
                     " begins them");
  }
  const std::string study = shell_word(folder.shown() + "/" + first);
  throw UsageError(folder.shown() + " is a batch: name one of its studies, as in " +
                   (command.empty() ? study + "; " + all + " goes on with all of them"
                                    : "`" + command + " " + study + " " + rest + "`"));
}

scheduler::History load_own_history(const std::string& folder, scheduler::Detail detail) {
  const StudyFolder study(folder);
  refuse_batch(study);
  scheduler::History history = scheduler::load_history(study.path(), detail);
  const std::filesystem::path path = study.path();
  const std::string batch = path.parent_path().string();
  if (!scheduler::holds_batch(batch)) return history;
  scheduler::BatchRecord record;
  try {
    record = scheduler::load_batch(batch);
  } catch (const scheduler::JournalError&) {
    return history;  // the batch says nothing of its studies
  }
  const std::vector<scheduler::BatchStudyTerms> all = terms_in(record);
  for (const scheduler::BatchStudyTerms& own : all) {
    if (own.name == path.filename()) expect_own_journal(history, study, own, all);
  }
  return history;
}

}  // namespace nightshift::tools
