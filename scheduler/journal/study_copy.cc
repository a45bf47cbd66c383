#include "scheduler/journal/file/journal_database.h"
#include "scheduler/journal/set_aside.h"
#include "scheduler/journal/sqlite_journal.h"
#include "scheduler/journal/sqlite_schema.h"
#include "scheduler/journal/study_tables.h"

namespace nightshift::scheduler {

void copy_study(const std::string& folder, const std::string& to) {
  read_journal(kStudyJournal, folder, file_system_at(folder), [&](SqliteDatabase& database) {
    expect_whole(database);
    discard_copy(to);  // of a first attempt
    copy_journal(database, to);
  });
}

}  // namespace nightshift::scheduler
