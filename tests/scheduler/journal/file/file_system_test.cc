#include "scheduler/journal/file/file_system.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "scheduler/errors.h"
#include "scheduler/journal/file/journal_database.h"
#include "scheduler/journal/sqlite_schema.h"
#include "tests/scheduler/sample_study.h"

namespace nightshift::scheduler {
namespace {

using enum FileSystemKind;
using tests::ScratchFolder;

TEST(FileSystem, NetworksAndWhatNothingIsKnownOfAreNotLocal) {
  for (const std::uint64_t nfs_smb_lustre_gpfs_fuse :
       {0x6969ULL, 0xfe534d42ULL, 0x0bd00bd0ULL, 0x47504653ULL, 0x65735546ULL}) {
    EXPECT_EQ(kind_of_file_system(nfs_smb_lustre_gpfs_fuse), kNetwork);
  }
  for (const std::uint64_t ext4_xfs_tmpfs_btrfs_overlay :
       {0xef53ULL, 0x58465342ULL, 0x01021994ULL, 0x9123683eULL, 0x794c7630ULL}) {
    EXPECT_EQ(kind_of_file_system(ext4_xfs_tmpfs_btrfs_overlay), kLocal);
  }
}

TEST(FileSystem, OfAFolderThatIsNotThereIsThatOfTheOneAbove) {
  EXPECT_EQ(file_system_at("/proc/no/such/folder"), kLocal);
  EXPECT_EQ(file_system_at("/dev/shm/no/such/folder"), kLocal);
}

// A journal of a study made as on such a file system, with one remark.
class OnFileSystem : public ::testing::TestWithParam<FileSystemKind> {
 protected:
  OnFileSystem() {
    publish_database(kStudyJournal, draft_database(kStudyJournal, folder_), folder_, GetParam());
    remark("first");
  }
  void remark(const char* text, FileSystemKind kind = GetParam()) const {
    write(*open_for_writing(kStudyJournal, folder_, kind), text);
  }
  static void write(SqliteDatabase& database, const char* text) {
    SqliteStatement row(database, "INSERT INTO remarks VALUES(NULL,?,?,?,?)");
    row.bind("what").bind(text).bind_real(1).insert_row();
  }
  std::uint64_t remarks(FileSystemKind kind = GetParam()) const {
    std::uint64_t count = 0;
    read_journal(kStudyJournal, folder_, kind, [&](SqliteDatabase& database) {
      count = database.number("SELECT count(*) FROM remarks");
    });
    return count;
  }
  bool has(const char* suffix) const {
    return std::filesystem::exists(kStudyJournal.file_in(folder_) + suffix);
  }

  ScratchFolder scratch_;
  std::string folder_ = scratch_ / ".";
};

TEST_P(OnFileSystem, WhatIsWrittenIsReadBesideTheWriter) {
  const auto writer = open_for_writing(kStudyJournal, folder_, GetParam());
  write(*writer, "second");
  EXPECT_EQ(remarks(), 2U);
  write(*writer, "third");
  EXPECT_EQ(remarks(), 3U);
}

TEST_P(OnFileSystem, WhatIsNotCommittedIsNotRead) {
  const auto writer = open_for_writing(kStudyJournal, folder_, GetParam());
  writer->execute("BEGIN IMMEDIATE");
  write(*writer, "second");
  EXPECT_EQ(remarks(), 1U);
  writer->execute("COMMIT");
  EXPECT_EQ(remarks(), 2U);
}

TEST_P(OnFileSystem, OnlyALocalOneSharesMemory) {
  const auto writer = open_for_writing(kStudyJournal, folder_, GetParam());
  write(*writer, "second");
  EXPECT_EQ(has("-shm"), GetParam() == kLocal);
  EXPECT_EQ(writer->text("PRAGMA journal_mode"), GetParam() == kLocal ? "wal" : "truncate");
}

TEST_P(OnFileSystem, AJournalThatWasMovedGoesOnAsItsNewPlaceHasIt) {
  const FileSystemKind other = GetParam() == kLocal ? kNetwork : kLocal;
  EXPECT_EQ(remarks(other), 1U);
  remark("second", other);
  const auto writer = open_for_writing(kStudyJournal, folder_, other);
  EXPECT_EQ(writer->text("PRAGMA journal_mode"), other == kLocal ? "wal" : "truncate");
  EXPECT_EQ(remarks(other), 2U);
}

INSTANTIATE_TEST_SUITE_P(Kinds, OnFileSystem, ::testing::Values(kLocal, kNetwork));

}  // namespace
}  // namespace nightshift::scheduler
