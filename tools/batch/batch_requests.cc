#include "tools/batch/batch_requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "base/nearest.h"
#include "problems/problem_file.h"
#include "scheduler/clock.h"
#include "scheduler/summary/batch_summary.h"
#include "tools/batch/batch_facts.h"
#include "tools/batch/batch_member.h"
#include "tools/check/check_report.h"
#include "tools/problem/problem_source.h"
#include "tools/study_folder.h"
#include "tools/text/batch_lines.h"
#include "tools/text/format.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

using scheduler::BatchRecord;
using scheduler::BatchRequest;
using scheduler::BatchStudyRecord;
using scheduler::BatchStudyState;

// A batch that runs looks ten times a second; it may be busy for a while.
constexpr auto kPatience = std::chrono::seconds(15);
constexpr auto kLook = std::chrono::milliseconds(50);

const std::string& name_of_study(const BatchStudyRecord& study) { return study.terms.name; }

std::string told(const std::string& folder, const BatchRequest& request) {
  const std::uint64_t number = scheduler::ask(folder, request);
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (scheduler::is_running(folder)) {
    if (const auto answer = scheduler::answer_to(folder, number)) return *answer + "\n";
    if (std::chrono::steady_clock::now() > until) {
      return "asked; the batch has not answered yet\n";
    }
    std::this_thread::sleep_for(kLook);
  }
  if (const auto answer = scheduler::answer_to(folder, number)) return *answer + "\n";
  return "asked; the batch does not run, and sees it when `nightshift batch run " + folder +
         "` goes on\n";
}

// Where the file of a batch has a mistake, those of its problems are told with it.
problems::BatchFile read_told(const std::vector<std::string>& paths) {
  try {
    return problems::read_batch(paths);
  } catch (const problems::ProblemFileError&) {
    if (paths.size() != 1 || !problems::is_batch_file(paths.front())) throw;
    throw UsageError(batch_mistakes(paths.front()));
  }
}

}  // namespace

std::string batch_folder(const std::string& batch) {
  for (const std::string& folder : {batch, "batches/" + batch}) {
    if (scheduler::holds_batch(folder)) return folder;
  }
  throw UsageError(batch + " is no batch: `nightshift batch run FILE` makes one under batches/");
}

AskedBatch asked_batch(const std::vector<std::string>& paths, const std::string& folder) {
  if (paths.size() == 1 && scheduler::holds_batch(paths.front())) {
    BatchRecord record = scheduler::load_batch(paths.front());
    AskedBatch asked{std::move(record.name), folder.empty() ? paths.front() : folder, {}, {}};
    for (BatchStudyRecord& study : record.studies) asked.studies.push_back(std::move(study.terms));
    return asked;
  }
  problems::BatchFile file = read_told(paths);
  AskedBatch asked{
      file.name, folder.empty() ? "batches/" + file.name : folder, {}, std::move(file.hooks)};
  for (const problems::BatchEntry& entry : file.studies) asked.studies.push_back(terms_of(entry));
  return asked;
}

std::string add_to_batch(const std::string& batch, std::vector<problems::BatchEntry> entries) {
  const std::string folder = batch_folder(batch);
  const BatchRecord record = scheduler::load_batch(folder);
  BatchRequest request;
  std::vector<std::string> taken;
  for (const BatchStudyRecord& study : record.studies) taken.push_back(study.terms.name);
  for (problems::BatchEntry& entry : entries) {
    (void)read_problem(entry.problem, entry.overrides);  // its mistakes are told here
    const std::string base = entry.name;
    for (int copy = 2; std::ranges::find(taken, entry.name) != taken.end(); ++copy) {
      entry.name = base + "-" + std::to_string(copy);
    }
    taken.push_back(entry.name);
    scheduler::BatchStudyTerms terms = terms_of(entry);
    terms.added = true;
    request.studies.push_back(std::move(terms));
  }
  return told(folder, request);
}

std::string ask_of_batch(const std::string& batch, BatchRequest::Kind kind,
                         std::vector<std::string> names) {
  const std::string folder = batch_folder(batch);
  const BatchRecord record = scheduler::load_batch(folder);
  if (names == std::vector<std::string>{"all"}) {
    names.clear();
    for (const BatchStudyRecord& study : record.studies) {
      const bool over = study.state == BatchStudyState::kCompleted ||
                        study.state == BatchStudyState::kFailed ||
                        study.state == BatchStudyState::kNotBegun;
      const bool rests =
          study.state == BatchStudyState::kPaused || study.state == BatchStudyState::kCancelled;
      const bool concerned = kind == BatchRequest::Kind::kGoOn ? rests : !rests;
      if (!over && concerned) names.push_back(study.terms.name);
    }
    if (names.empty()) return "no study is left for that\n";
  }
  std::vector<std::string> known;
  std::ranges::transform(record.studies, std::back_inserter(known), name_of_study);
  for (const std::string& name : names) {
    if (std::ranges::find(known, name) != known.end()) continue;
    const std::string meant = base::nearest(name, known);
    throw UsageError("the batch " + record.name + " has no study called " + name +
                     (meant.empty() ? "" : "; did you mean '" + meant + "'?"));
  }
  return told(folder, {kind, {}, std::move(names), 0, 0});
}

std::string batch_list(const std::string& batch, std::size_t columns) {
  const StudyFolder folder(batch_folder(batch));
  const BatchRecord record = scheduler::load_batch(folder.path());
  const double now = scheduler::SystemClock{}.unix_seconds();
  std::string text = study_table(record, scheduler::summarise(record, now), columns);
  const auto unread = unread_lines(record, unread_journals(folder.path(), record));
  if (!unread.empty()) text += "\nwhat went wrong\n";
  for (const std::string& line : unread) text += paragraph(line, 2);
  return text;
}

}  // namespace nightshift::tools
