#include "tools/table/table_identity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nightshift::tools {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

// A project with a problem file and, in it, a batch of one shape.
TableBatch batch_in(const std::string& project) {
  TableBatch batch;
  batch.folder = project + "/batches/night";
  batch.problem_file = project + "/kernels/p.toml";
  TableStudy study;
  study.problem_file = batch.problem_file;
  study.shape = {{{"N", 64}}, 1};
  batch.studies.push_back(study);
  return batch;
}

PartsOfFiles parts_in(const std::string& project, const std::string& hash = "ab") {
  return {{project + "/kernels/p.toml",
           {{"compiler c++", "12.2"},
            {"file /usr/share/x.h", "ef"},
            {"file " + project + "/include/k.h", "cd"},
            {"source " + project + "/kernels/k.cc", hash}}}};
}

std::string hash_in(const std::string& project, const std::string& hash = "ab") {
  return identities_of(batch_in(project), parts_in(project, hash), "all")("N=64");
}

TEST(TableIdentity, StaysWhereTheProjectMoves) {
  EXPECT_EQ(hash_in("/home/one"), hash_in("/srv/two/p"));
  EXPECT_NE(hash_in("/home/one"), hash_in("/home/one", "ac")) << "another source";
}

TEST(TableIdentity, StaysWhereTheBatchAloneMoves) {
  TableBatch batch = batch_in("/home/one");
  PartsOfFiles parts = parts_in("/home/one");
  std::erase_if(parts.begin()->second, [](const auto& part) { return part.second == "cd"; });
  const std::string before = identities_of(batch, parts, "all")("N=64");
  batch.folder = "/scratch/night";
  EXPECT_EQ(identities_of(batch, parts, "all")("N=64"), before);
}

TEST(TableIdentity, ThatOfEarlierVersionsIsByAbsolutePaths) {
  const auto earlier = [](const std::string& project) {
    return earlier_identities_of(batch_in(project), parts_in(project), "all")("N=64");
  };
  EXPECT_EQ(earlier("/home/one"), earlier("/home/one"));
  EXPECT_NE(earlier("/home/one"), earlier("/home/two"));
  EXPECT_NE(earlier("/home/one"), hash_in("/home/one"));
}

TEST(TableIdentity, FilesAreCalledByTheirPathsInTheProject) {
  const PartsOfTable parts = joined_parts(batch_in("/home/one"), parts_in("/home/one"));
  EXPECT_THAT(parts, Contains(Pair("source k.cc", "ab")));
  EXPECT_THAT(parts, Contains(Pair("file ../include/k.h", "cd")));
  EXPECT_THAT(parts, Contains(Pair("file /usr/share/x.h", "ef")));
  EXPECT_THAT(parts, Contains(Pair("compiler c++", "12.2")));
}

TEST(TableIdentity, OnlyWhatIsAnotherOneHasChanged) {
  const PartsOfTable before = joined_parts(batch_in("/home/one"), parts_in("/home/one"));
  EXPECT_THAT(changed_parts(before, batch_in("/two"), parts_in("/two")), IsEmpty());
  EXPECT_THAT(changed_parts(before, batch_in("/two"), parts_in("/two", "ac")),
              ElementsAre("source k.cc"));
  const PartsOfTable of_earlier = parts_in("/home/one").begin()->second;
  EXPECT_THAT(changed_parts(of_earlier, batch_in("/home/one"), parts_in("/home/one")), IsEmpty());
}

}  // namespace
}  // namespace nightshift::tools
