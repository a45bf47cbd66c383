#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace nightshift::scheduler {

// What is known of a table's rows beforehand, so that rows that are gone are missed.
enum class RowsOf : std::uint8_t {
  kOther,     // nothing, or somebody else says it
  kCounted,   // the seal has their number
  kNumbered,  // likewise; and their keys are 1, 2, 3, ...
};

struct TableDefinition {
  const char* name;
  const char* sql;
  RowsOf rows = RowsOf::kOther;
};

// A kind of journal: one SQLite file in a folder of its own, a lock beside it, and what messages
// call things. {} in a command stands for the folder.
struct JournalForm {
  const char* noun;               // what it is the record of: "study"
  const char* file;               // "journal.sqlite"
  const char* lock;               // "journal.lock"
  const char* option;             // that names the folder: "--study"
  const char* starts;             // the command that makes one
  const char* goes_on;            // and the one that goes on with it
  const char* goes_on_elsewhere;  // likewise, with its folder behind it
  std::uint32_t application_id;   // PRAGMA application_id
  std::uint32_t version;          // PRAGMA user_version
  std::uint32_t oldest;           // that is read as well, and goes on as it is
  std::uint32_t sealed_since;     // the first one with a seal, see row_counts.h
  std::span<const TableDefinition> tables;
  const char* views;

  std::string file_in(const std::string& folder) const { return folder + "/" + file; }
  std::string lock_in(const std::string& folder) const { return folder + "/" + lock; }
  std::string to_start(const std::string& folder) const;
  std::string to_go_on(const std::string& folder) const;
};

}  // namespace nightshift::scheduler
