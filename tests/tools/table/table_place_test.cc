#include "tools/table/table_place.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "scheduler/journal/batch_journal.h"
#include "tests/problems/scratch_folder.h"
#include "tests/tools/table/formats/told_table.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

using ::testing::HasSubstr;

class TablePlaces : public ::testing::Test {
 protected:
  TablePlaces() {
    scheduler::BatchJournal journal(folder_.path("night"), "night");
    journal.begin_run(1e9, {});
    scheduler::BatchStudyTerms terms;
    terms.name = "gemm-M1";
    terms.problem = "../p/gemm.toml";
    journal.studies({terms});
    journal.end_run("completed", "", 1e9 + 1);
    journal.commit();
  }
  // A table in that folder of the batch.
  std::string table(const std::string& in, const std::string& kind = "") {
    TableDocument d = tests::told_table();
    if (!kind.empty()) d.kinds = {kind};
    std::filesystem::create_directories(folder_.path(in));
    return folder_.write(in + "/table.json", table_json(d).dump());
  }
  problems::ScratchFolder folder_;
};

TEST_F(TablePlaces, ATableStandsInItsBatch) {
  const std::string file = table("night/table");
  for (const std::string& word :
       {file, folder_.path("night/table"), folder_.path("night/table/")}) {
    const auto place = table_at(word);
    ASSERT_TRUE(place) << word;
    EXPECT_EQ(place->batch, folder_.path("night"));
    EXPECT_EQ(place->family, "");
    EXPECT_EQ(place->kind, "");
  }
}

TEST_F(TablePlaces, OfAFamilyItsFolderSaysWhich) {
  EXPECT_EQ(table_at(table("night/table-gemm"))->family, "gemm");
  EXPECT_EQ(table_at(table("night/table-..-p-gemm.toml"))->family, "../p/gemm.toml");
}

TEST_F(TablePlaces, OfAKindItStandsFurtherDown) {
  const auto place = table_at(table("night/table/A-GPU", "A GPU"));
  ASSERT_TRUE(place);
  EXPECT_EQ(place->batch, folder_.path("night"));
  EXPECT_EQ(place->kind, "A GPU");
}

TEST_F(TablePlaces, OtherFilesAndFoldersAreNoTables) {
  EXPECT_FALSE(table_at(folder_.path("night")));
  EXPECT_FALSE(table_at(folder_.path("nowhere")));
  EXPECT_FALSE(table_at(folder_.write("best.json", "{}")));
}

TEST_F(TablePlaces, ATableElsewhereIsRefused) {
  const std::string file = table("elsewhere");
  try {
    table_at(file);
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("stands in no batch's folder"));
  }
  EXPECT_THROW(table_at(folder_.write("elsewhere/table.json", "{}")), UsageError);
}

}  // namespace
}  // namespace nightshift::tools
