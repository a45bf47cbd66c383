#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "scheduler/errors.h"
#include "scheduler/journal/sqlite_journal.h"
#include "tests/scheduler/sample_study.h"

namespace nightshift::scheduler {
namespace {

using search::IdentityPart;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using tests::ScratchFolder;
using Kind = IdentityPart::Kind;

const IdentityPart kProgram{Kind::kProgram, "./it's a bench", "aa"};
const IdentityPart kCompiler{Kind::kCompiler, "c++", "g++ 12"};

StudyHeader header_of(search::Identity identity) {
  StudyHeader header = tests::sample_header();
  header.identity = std::move(identity);
  return header;
}

std::unique_ptr<SqliteJournal> make_study(const std::string& folder, search::Identity identity) {
  return SqliteJournal::create(folder, header_of(std::move(identity)), tests::sample_problem());
}

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const JournalError& error) {
    return error.what();
  }
  return "no error";
}

TEST(IdentityJournal, WhatAStudyIsMadeOfIsReadApartFromTheEnvironment) {
  const ScratchFolder scratch;
  make_study(scratch / "study", {kProgram, kCompiler});
  const History history = load_history(scratch / "study", Detail::kTrials);
  EXPECT_THAT(identity_of(history), ElementsAre(kProgram, kCompiler));
  EXPECT_EQ(history.header.environment, tests::sample_header().environment);
}

TEST(IdentityJournal, AStudyOfAnEarlierVersionIsMadeOfWhatIsNotKnown) {
  const ScratchFolder scratch;
  make_study(scratch / "study", {});
  EXPECT_THAT(identity_of(load_history(scratch / "study", Detail::kTrials)), IsEmpty());
}

TEST(IdentityJournal, ARemarkReplacesAPartOrAddsOne) {
  const ScratchFolder scratch;
  const IdentityPart newer{Kind::kCompiler, "c++", "g++ 13"};
  const IdentityPart more{Kind::kInput, "a\nb", "cc"};
  {
    const auto journal = make_study(scratch / "study", {kProgram, kCompiler});
    for (const IdentityPart& part : {newer, more}) {
      journal->remark(kIdentityRemark, identity_remark(part), 1);
    }
    journal->remark(kIdentityRemark, "no such part", 1);
    journal->end_turn();
  }
  EXPECT_THAT(identity_of(load_history(scratch / "study", Detail::kTrials)),
              ElementsAre(kProgram, newer, more));
}

class BegunAnew : public ::testing::Test {
 protected:
  BegunAnew() : journal_(make_study(folder_, {kProgram})) {
    tests::write_sample_trial(*journal_, 1);
    tests::write_sample_trial(*journal_, 2);
    journal_->end_turn();
  }
  void begin_anew() {
    journal_ = SqliteJournal::begin_anew(std::move(journal_), folder_, after_,
                                         header_of({kCompiler}), tests::sample_problem());
  }

  ScratchFolder scratch_;
  std::string folder_ = scratch_ / "study";
  std::string after_ = scratch_ / "study/earlier/it's 1";
  std::unique_ptr<SqliteJournal> journal_;
};

TEST_F(BegunAnew, TheEarlierStudyIsWholeAndTheNewOneEmpty) {
  begin_anew();
  const History now = load_history(folder_, Detail::kFull);
  EXPECT_THAT(now.trials, IsEmpty());
  EXPECT_THAT(identity_of(now), ElementsAre(kCompiler));
  const History earlier = load_history(after_, Detail::kFull);
  EXPECT_EQ(earlier.trials.size(), 2U);
  EXPECT_THAT(identity_of(earlier), ElementsAre(kProgram));
}

TEST_F(BegunAnew, TheNewOneIsWrittenUnderTheSameLock) {
  begin_anew();
  EXPECT_THAT(error_of([&] { SqliteJournal::open(folder_); }), HasSubstr("another run"));
  tests::write_sample_trial(*journal_, 1);
  journal_->commit_durably();
  journal_.reset();
  EXPECT_EQ(load_history(folder_, Detail::kTrials).trials.size(), 1U);
}

TEST_F(BegunAnew, TheEarlierOneCanGoOnAsAStudyOfItsOwn) {
  begin_anew();
  const auto earlier = SqliteJournal::open(after_);
  tests::write_sample_trial(*earlier, 3);
  earlier->commit_durably();
  EXPECT_EQ(load_history(after_, Detail::kTrials).trials.size(), 3U);
}

TEST_F(BegunAnew, NothingHappensWhileAnotherProgramReads) {
  sqlite3* reader = nullptr;
  ASSERT_EQ(sqlite3_open((folder_ + "/journal.sqlite").c_str(), &reader), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(reader, "BEGIN; SELECT * FROM study", nullptr, nullptr, nullptr),
            SQLITE_OK);
  EXPECT_THAT(error_of([&] { begin_anew(); }),
              HasSubstr("another program holds the file; close it"));
  EXPECT_FALSE(std::filesystem::exists(after_));
  EXPECT_EQ(load_history(folder_, Detail::kTrials).trials.size(), 2U);
  sqlite3_close(reader);
}

TEST_F(BegunAnew, WhereTheEarlierOneCannotBeKeptItStays) {
  std::filesystem::create_directories(scratch_ / "study/earlier");
  std::ofstream(after_) << "a file";
  EXPECT_THAT(error_of([&] { begin_anew(); }), HasSubstr("cannot be made"));
  EXPECT_EQ(load_history(folder_, Detail::kTrials).trials.size(), 2U);
}

}  // namespace
}  // namespace nightshift::scheduler
