#include "scheduler/journal/moved_study.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "scheduler/journal/batch_journal.h"
#include "scheduler/journal/sqlite_journal.h"
#include "tests/scheduler/sample_study.h"

namespace nightshift::scheduler {
namespace {

namespace fs = std::filesystem;

constexpr const char* kProblem = "name = \"scale\"\nbudget = 1\n";

// A project with a problem and two studies of it, and a batch of both.
class MovedStudyTest : public ::testing::Test {
 protected:
  MovedStudyTest() { write("p/problem.toml", kProblem); }

  std::string path(const std::string& name) const { return scratch_ / name; }
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories(fs::path(path(name)).parent_path());
    std::ofstream(path(name)) << text;
  }
  void make_study(const std::string& folder) const {
    StudyHeader header = tests::sample_header();
    header.problem_file = path("p/problem.toml");
    header.problem_text = kProblem;
    header.identity = {{search::IdentityPart::Kind::kSource, path("p/scale.cc"), "1"},
                       {search::IdentityPart::Kind::kProgram, "/usr/bin/env", "2"}};
    header.overrides = {{"search.warm_start", "[\"" + path("p/studies/b") + "\"]"}};
    const auto journal = SqliteJournal::create(path(folder), header, tests::sample_problem());
    journal->remark(kIdentityRemark, "file " + path("p/scale.h") + "\n3", 1);
    journal->end_turn();
  }
  void make_batch() const {
    BatchJournal journal(path("p/batches/night"), "night");
    journal.studies({terms()});
    journal.commit();
  }
  BatchStudyTerms terms() const {
    BatchStudyTerms terms;
    terms.name = "a";
    terms.problem = path("p/problem.toml");
    terms.overrides = {{"search.warm_start", "[\"" + path("p/batches/night/b") + "\"]"}};
    return terms;
  }
  void copy(const std::string& from, const std::string& to) const {
    fs::create_directories(fs::path(path(to)).parent_path());
    fs::copy(path(from), path(to), fs::copy_options::recursive);
  }
  void move(const std::string& from, const std::string& to) const {
    fs::create_directories(fs::path(path(to)).parent_path());
    fs::rename(path(from), path(to));
  }
  StudyHeader header(const std::string& folder) const {
    return load_history(path(folder), Detail::kHead).header;
  }
  std::string problem_of(const std::string& folder) const { return header(folder).problem_file; }

  tests::ScratchFolder scratch_;
};

TEST_F(MovedStudyTest, WhereItWasMadeNothingMoves) {
  make_study("p/studies/a");
  EXPECT_EQ(problem_of("p/studies/a"), path("p/problem.toml"));
  fs::remove(path("p/problem.toml"));
  EXPECT_EQ(problem_of("p/studies/a"), path("p/problem.toml"));
}

TEST_F(MovedStudyTest, ACopiedProjectHasItsOwnFiles) {
  make_study("p/studies/a");
  fs::create_directories(path("p/studies/b"));
  copy("p", "elsewhere/q");
  const StudyHeader now = header("elsewhere/q/studies/a");
  EXPECT_EQ(now.problem_file, path("elsewhere/q/problem.toml"));
  EXPECT_EQ(now.identity.at(0).name, path("elsewhere/q/scale.cc"));
  EXPECT_EQ(now.identity.at(1).name, "/usr/bin/env");
  EXPECT_EQ(now.overrides.at(0).second, "[\"" + path("elsewhere/q/studies/b") + "\"]");
  const History history = load_history(path("elsewhere/q/studies/a"), Detail::kHead);
  EXPECT_EQ(identity_of(history).back().name, path("elsewhere/q/scale.h"));
}

TEST_F(MovedStudyTest, ACopiedProjectWhoseFileWasEditedHasItsOwnFiles) {
  make_study("p/studies/a");
  copy("p", "q");
  write("q/problem.toml", "# quicker\nname   = \"scale\"\nbudget = 2\nother = 3\n");
  EXPECT_EQ(problem_of("q/studies/a"), path("q/problem.toml"));
}

TEST_F(MovedStudyTest, AFileWithoutANameIsKnownByMostOfItsLines) {
  write("p/problem.toml", "one\ntwo\nthree\n");
  make_study("p/studies/a");
  copy("p", "q");
  write("q/problem.toml", "one\ntwo\nfour\n");
  EXPECT_EQ(problem_of("q/studies/a"), path("q/problem.toml"));
  write("q/problem.toml", "one\nfour\nfive\n");
  EXPECT_EQ(problem_of("q/studies/a"), path("p/problem.toml"));
}

TEST_F(MovedStudyTest, AStudyMovedAwayHasItsProblemWhereItWas) {
  make_study("p/studies/a");
  move("p/studies/a", "archive/a");
  EXPECT_EQ(problem_of("archive/a"), path("p/problem.toml"));
}

TEST_F(MovedStudyTest, AStudyMovedToAnotherProjectHasItsProblemWhereItWas) {
  make_study("p/studies/a");
  write("other/problem.toml", "name = \"another\"\nbudget = 1\n");
  move("p/studies/a", "other/studies/a");
  EXPECT_EQ(problem_of("other/studies/a"), path("p/problem.toml"));
}

TEST_F(MovedStudyTest, AMovedProjectHasItsFilesWhereItIs) {
  make_study("p/studies/a");
  move("p", "q");
  EXPECT_EQ(problem_of("q/studies/a"), path("q/problem.toml"));
}

TEST_F(MovedStudyTest, AProblemOutsideOfWhatWasMovedStaysWhereItIs) {
  make_study("work/studies/a");
  copy("work", "copy");
  EXPECT_EQ(problem_of("copy/studies/a"), path("p/problem.toml"));
}

TEST_F(MovedStudyTest, AMovedBatchLearnsFromItsOwnStudies) {
  make_batch();
  fs::create_directories(path("p/batches/night/b"));
  move("p/batches/night", "x/night");
  const BatchStudyTerms now = load_batch(path("x/night")).studies.at(0).terms;
  EXPECT_EQ(now.problem, path("p/problem.toml"));
  EXPECT_EQ(now.overrides.at(0).second, "[\"" + path("x/night/b") + "\"]");
}

TEST_F(MovedStudyTest, ABatchOfACopiedProjectHasItsProblems) {
  make_batch();
  copy("p", "q");
  EXPECT_EQ(load_batch(path("q/batches/night")).studies.at(0).terms.problem,
            path("q/problem.toml"));
}

TEST_F(MovedStudyTest, ABatchMayBeMovedTwice) {
  make_batch();
  move("p", "q");
  {
    const BatchRecord record = load_batch(path("q/batches/night"));
    BatchJournal journal(path("q/batches/night"), "night");
    journal.studies({record.studies.at(0).terms});
    journal.commit();
  }
  move("q", "r");
  EXPECT_EQ(load_batch(path("r/batches/night")).studies.at(0).terms.problem,
            path("r/problem.toml"));
}

TEST_F(MovedStudyTest, FoldersThatAreNotThereStayAsTheyWere) {
  const MovedFolder moved("/work/p/studies/a", path("p/studies/a"));
  EXPECT_EQ(moved.folders("['/work/p/gone', \"/other\", 'relative', '"),
            "['/work/p/gone', \"/other\", 'relative', '");
}

TEST_F(MovedStudyTest, WhatBothPlacesEndWithHasMovedAlong) {
  const MovedFolder moved("/work/p/studies/a", "/copy/q/studies/a/");
  EXPECT_EQ(moved.beside("/work/p/src/x.cc"), "/copy/q/src/x.cc");
  EXPECT_EQ(moved.beside("/work/people"), "/work/people");
  EXPECT_FALSE(MovedFolder("", "/copy/q").has_moved());
  EXPECT_FALSE(MovedFolder("/copy/q", "/copy/./q/").has_moved());
}

// As python/ describes it, and as a TOML file with [python] has it.
class MovedDescriptionTest : public MovedStudyTest {
 protected:
  std::string described(const std::string& folder, const std::string& gap) const {
    return "name = \"f\"\nconstraints = [\"" + path(folder) + "\" != F]\n\n[command]\nargv = [" +
           gap + "\"/usr/bin/python3\"," + gap + "\"-m\"," + gap + "\"nightshift\"," + gap +
           "\"serve\"," + gap + "\"" + path(folder) + "/f.py\"," + gap + "'{\"F\": [\"" +
           path("p") + "/f.py\"]}'" + gap + "]\ndirectory = \"" + path(folder) + "\"\ninputs = ['" +
           path(folder) + "/f.py', \"" + path("p/gone.py") +
           "\"]\n\n[command.environment]\nPYTHONPATH = \"" + path(folder) +
           "\"\n\n[parameters]\nF = [\"" + path("p") + "/f.py\"]\n";
  }
};

TEST_F(MovedDescriptionTest, TheTextThatAPythonFileDescribesNamesWhatHasMovedAlong) {
  write("p/f.py", "");
  fs::create_directories(path("p/studies/a"));
  copy("p", "q");
  const MovedFolder moved(path("p/studies/a"), path("q/studies/a"));
  for (const std::string gap : {"\n  ", " "}) {
    std::string expected = described("q", gap);
    const std::string constraint = "constraints = [\"";
    expected.replace(expected.find(constraint) + constraint.size(), path("q").size(), path("p"));
    EXPECT_EQ(moved.described(described("p", gap)), expected);
  }
}

TEST_F(MovedDescriptionTest, ATextThatSomebodyWroteIsAsItIs) {
  fs::create_directories(path("p/studies/a"));
  copy("p", "q");
  const MovedFolder moved(path("p/studies/a"), path("q/studies/a"));
  for (const std::string& text :
       {"[command]\nargv = [\"" + path("p/f") + "\"]\ndirectory = \"" + path("p") + "\"\n",
        "name = \"" + path("p") + "\"\n", std::string("[command]\nargv = [\"a"), std::string()}) {
    EXPECT_EQ(moved.described(text), text);
  }
}

}  // namespace
}  // namespace nightshift::scheduler
