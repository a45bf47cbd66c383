#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "scheduler/clock.h"
#include "scheduler/errors.h"
#include "scheduler/journal/batch_journal.h"
#include "scheduler/journal/study_outline.h"
#include "scheduler/summary/batch_time.h"
#include "tools/batch/batch_facts.h"
#include "tools/batch/looked_at.h"
#include "tools/batch/report/batch_report.h"
#include "tools/batch/report/batch_status.h"
#include "tools/cli/argument_parser.h"
#include "tools/cli/command.h"
#include "tools/cli/shared_options.h"
#include "tools/serve/night_report.h"
#include "tools/serve/service_ledger.h"
#include "tools/study_folder.h"
#include "tools/submit/submission.h"
#include "tools/text/format.h"
#include "tools/text/page.h"

namespace nightshift::tools {
namespace {

constexpr const char* kEpilogue = R"(
DIR is a batch (or its name), a study, or a folder that contains some; without one it is batches/ and studies/.
What is found is told from the journals alone, also while it runs. One is told in detail; of several
those that run, and below them the others in a list, the newest first, twenty at most.

Examples:
  nightshift status
  nightshift status batches/night
  nightshift status --json | jq '.batches[0].queue'

Exit codes: 0 also where nothing is there without DIR, 5 where DIR has nothing.)";

constexpr std::size_t kMostListed = 20;

struct StatusOptions {
  std::vector<std::string> folders;
  bool json = false;
};

void declare(ArgumentParser& parser, StatusOptions& o) {
  parser.positionals("DIR", o.folders, "Batches, studies, or folders that contain some");
  add_json(parser, o.json, "Print one object: batches, studies, more");
}

// What was read of a batch or a study, or why it could not be.
struct Item {
  std::string folder;  // as the user would type it
  std::variant<scheduler::BatchRecord, scheduler::StudyOutline, std::string> what;
  bool runs = false;
  std::optional<JobStanding> job;   // of a batch that was submitted
  std::vector<std::string> unread;  // of a batch, see BatchView
};

Item read_item(const LookedAt& found) {
  Item item{StudyFolder(found.folder).shown(), {}, false, {}, {}};
  try {
    if (found.is_batch) {
      scheduler::BatchRecord record = scheduler::load_batch(found.folder);
      item.runs = record.writer.has_value();
      item.unread = unread_journals(found.folder, record);
      item.what = std::move(record);
      item.job = job_standing(found.folder);
    } else {
      scheduler::StudyOutline outline = scheduler::load_outline(found.folder);
      item.runs = outline.history.writer.has_value();
      item.what = std::move(outline);
    }
  } catch (const scheduler::JournalError& error) {
    item.what = std::string(error.what());
  }
  return item;
}

std::vector<LookedAt> find_all(const StatusOptions& options) {
  std::vector<LookedAt> all;
  std::vector<std::string> folders = options.folders;
  if (folders.empty()) folders = {"batches", "studies"};
  for (const std::string& folder : folders) {
    const std::vector<LookedAt> found = looked_at_or_named(folder);
    if (found.empty() && !options.folders.empty()) {
      throw scheduler::JournalError(
          folder + " holds no study and no batch: `nightshift tune PROBLEM --study " +
          shell_word(folder) + "` starts a study, `nightshift batch run FILE --batch " +
          shell_word(folder) + "` a batch");
    }
    all.insert(all.end(), found.begin(), found.end());
  }
  return all;
}

std::string detail_text(const Item& item, double wall, std::size_t columns) {
  if (const auto* record = std::get_if<scheduler::BatchRecord>(&item.what)) {
    if (holds_night(item.folder)) {
      return night_status_text(
          ServiceLedger(item.folder, 1),
          make_batch_report(*record, item.folder, scheduler::now_in(*record, wall), {}));
    }
    return batch_status_text({*record, item.folder, scheduler::now_in(*record, wall),
                              item.job ? job_text(*item.job) : "", item.unread},
                             columns);
  }
  if (const auto* outline = std::get_if<scheduler::StudyOutline>(&item.what)) {
    return study_status_text({*outline, item.folder});
  }
  return paragraph(one_line(std::get<std::string>(item.what)), 0);
}

std::vector<std::string> row_of(const Item& item, double wall) {
  if (const auto* record = std::get_if<scheduler::BatchRecord>(&item.what)) {
    return batch_status_row(
        {*record, item.folder, scheduler::now_in(*record, wall), "", item.unread});
  }
  if (const auto* outline = std::get_if<scheduler::StudyOutline>(&item.what)) {
    return study_status_row({*outline, item.folder});
  }
  return {item.folder, "", "cannot be read", one_line(std::get<std::string>(item.what))};
}

void print_text(const std::vector<Item>& items, std::size_t more) {
  const double wall = scheduler::SystemClock{}.wall_seconds();
  const std::size_t columns = page_width(STDOUT_FILENO).lines;
  std::string page;
  Rows rows;
  for (const Item& item : items) {
    if (!item.runs && items.size() > 1) {
      rows.push_back(row_of(item, wall));
    } else {
      page += (page.empty() ? "" : "\n") + detail_text(item, wall, columns);
    }
  }
  if (!rows.empty()) page += (page.empty() ? "" : "\nothers\n") + table(rows, page.empty() ? 0 : 2);
  if (more > 0) page += "... " + format_count(more) + " more, older\n";
  if (page.empty()) {
    page =
        "There is no batch in batches/ and no study in studies/; `nightshift tune PROBLEM` starts "
        "one.\n";
  }
  print_page(page);
}

void print_list(const std::vector<Item>& items, std::size_t more) {
  const double wall = scheduler::SystemClock{}.wall_seconds();
  nlohmann::ordered_json object = {{"batches", nlohmann::ordered_json::array()},
                                   {"studies", nlohmann::ordered_json::array()},
                                   {"unread", nlohmann::ordered_json::array()},
                                   {"more", more}};
  for (const Item& item : items) {
    if (const auto* record = std::get_if<scheduler::BatchRecord>(&item.what)) {
      nlohmann::ordered_json batch = batch_status_json(
          {*record, item.folder, scheduler::now_in(*record, wall), "", item.unread});
      batch["job"] = item.job ? job_json(*item.job) : nlohmann::ordered_json(nullptr);
      object["batches"].push_back(std::move(batch));
    } else if (const auto* outline = std::get_if<scheduler::StudyOutline>(&item.what)) {
      object["studies"].push_back(study_status_json({*outline, item.folder}));
    } else {
      object["unread"].push_back(
          {{"folder", item.folder}, {"reason", one_line(std::get<std::string>(item.what))}});
    }
  }
  print_json(object);
}

ExitCode run(const StatusOptions& options) {
  std::vector<LookedAt> found = find_all(options);
  const std::size_t more = found.size() > kMostListed ? found.size() - kMostListed : 0;
  std::ranges::stable_sort(found, std::greater(), &LookedAt::touched);
  found.resize(found.size() - more);
  std::vector<Item> items;
  for (const LookedAt& one : found) items.push_back(read_item(one));
  std::ranges::stable_sort(items, std::greater(), &Item::runs);
  if (items.size() == 1 && !options.json && std::holds_alternative<std::string>(items[0].what)) {
    throw scheduler::JournalError(std::get<std::string>(items[0].what));
  }
  options.json ? print_list(items, more) : print_text(items, more);
  return ExitCode::kSuccess;
}

}  // namespace

Command status_command() {
  return make_command<StatusOptions>("status", "Say how batches and studies stand", kEpilogue,
                                     declare, run);
}

}  // namespace nightshift::tools
