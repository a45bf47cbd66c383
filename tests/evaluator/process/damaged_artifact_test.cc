// Artifacts that are gone, torn or changed are told from candidates that fail.
#include "evaluator/process/damaged_artifact.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <functional>

#include "base/content_hash.h"
#include "base/file_text.h"
#include "evaluator/cuda/launch/artifact_pack.h"
#include "evaluator/process/artifact_tree.h"
#include "tests/evaluator/evaluator_setup.h"

namespace nightshift::evaluator {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

// Empty where there is none.
std::string damage(const std::function<void()>& look) {
  try {
    look();
  } catch (const DamagedArtifact& e) {
    EXPECT_THAT(e.what(), HasSubstr(e.name()));
    return e.what();
  }
  return "";
}

TEST(DamagedArtifact, AFileIsWhatItsNameSays) {
  const TemporaryFolder folder;
  const std::string name = base::content_hash("code"), path = folder.write(name, "code");
  EXPECT_EQ(damage([&] { expect_content(path); }), "");
  folder.write(name, "cod");
  EXPECT_THAT(damage([&] { expect_content(path); }), HasSubstr("has changed in " + folder.path()));
  fs::remove(path);
  EXPECT_THAT(damage([&] { expect_content(path); }), HasSubstr("is gone from " + folder.path()));
}

TEST(DamagedArtifact, APackHasACheckOfItsBytes) {
  const TemporaryFolder folder;
  cuda::ArtifactPack pack;
  pack.modules.push_back({{"scale"}, {"_Z5scale"}, "machine code"});
  const std::string bytes = cuda::pack(pack);
  const std::string path = folder.write("f00", bytes);
  EXPECT_EQ(cuda::load_pack(path).modules.front().cubin, "machine code");
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string flipped = bytes;
    flipped[i] = static_cast<char>(flipped[i] ^ 1);
    folder.write("f00", flipped);
    EXPECT_NE(damage([&] { cuda::load_pack(path); }), "") << "byte " << i;
  }
  fs::remove(path);
  EXPECT_THAT(damage([&] { cuda::load_pack(path); }), HasSubstr("is gone"));
}

TEST(DamagedArtifact, PacksOfEarlierVersionsHaveNone) {
  cuda::ArtifactPack pack;
  pack.modules.push_back({{"scale"}, {"_Z5scale"}, "machine code"});
  const std::string bytes = cuda::pack(pack);
  const std::size_t check = bytes.find(" check ");
  ASSERT_NE(check, std::string::npos);
  const std::string before = bytes.substr(0, check) + bytes.substr(bytes.find('\n', check));
  EXPECT_EQ(cuda::unpack(before).modules.front().cubin, "machine code");
}

class DamagedTree : public ::testing::Test {
 protected:
  DamagedTree() {
    const std::string built = folder_.make_folder("built");
    fs::create_directory(built + "/empty");
    folder_.write("built/run", "program");
    folder_.write("built/a name\nof two lines", "data");
    fs::create_symlink("run", built + "/link");
    const TreeContent content = content_of_tree(built);
    place_ = folder_.make_folder("artifacts") + "/" + content.hash;
    keep_tree(built, content, place_);
    link_ = folder_.path() + "/artifacts/as-it-is-run";
    fs::create_directory_symlink(content.hash, link_);
  }
  std::string damage_seen() {
    return damage([&] { watch_.expect_whole(link_); });
  }

  TemporaryFolder folder_;
  std::string place_, link_;
  TreeWatch watch_;
};

TEST_F(DamagedTree, WhatIsWholeIsUsed) {
  EXPECT_EQ(damage_seen(), "");
  EXPECT_EQ(damage_seen(), "");
}

TEST_F(DamagedTree, AProgramMayAddFilesOfItsOwn) {
  base::write_whole_file(place_ + "/log", "a run");
  EXPECT_EQ(damage_seen(), "");
}

TEST_F(DamagedTree, WhatChangesLaterIsSeen) {
  EXPECT_EQ(damage_seen(), "");
  base::write_whole_file(place_ + "/run", "progran");
  EXPECT_THAT(damage_seen(), AllOf(HasSubstr("as-it-is-run"), HasSubstr("has changed")));
}

TEST_F(DamagedTree, WithoutItsListItIsWhatItsNameSaysAndTheListIsMadeAgain) {
  const std::string list =
      folder_.path() + "/artifacts/files-" + fs::path(place_).filename().string();
  ASSERT_TRUE(fs::remove(list));
  EXPECT_EQ(damage_seen(), "");
  EXPECT_TRUE(fs::is_regular_file(list));
  base::write_whole_file(place_ + "/log", "a run");
  EXPECT_EQ(damage_seen(), "") << "by the list";
  fs::remove(list);
  base::write_whole_file(place_ + "/run", "another");
  EXPECT_THAT(damage_seen(), HasSubstr("has changed"));
}

TEST_F(DamagedTree, APipeOfAProgramIsItsOwnAffair) {
  ASSERT_EQ(::mkfifo((place_ + "/pipe").c_str(), 0600), 0);
  EXPECT_EQ(damage_seen(), "");
  base::write_whole_file(place_ + "/run", "another");
  EXPECT_THAT(damage_seen(), HasSubstr("has changed"));
  const std::string built = folder_.make_folder("anew");
  folder_.write("anew/run", "program");
  const TreeContent content = content_of_tree(built);
  keep_tree(built, content, folder_.path() + "/artifacts/" + content.hash);
}

TEST_F(DamagedTree, WhatIsRemovedIsSeen) {
  for (const char* name : {"run", "link", "empty", "a name\nof two lines"}) {
    const std::string aside = folder_.path() + "/aside";
    fs::rename(place_ + "/" + name, aside);
    EXPECT_THAT(damage_seen(), HasSubstr("has changed")) << name;
    fs::rename(aside, place_ + "/" + name);
    EXPECT_EQ(damage_seen(), "") << name;
  }
  fs::remove_all(place_);
  EXPECT_THAT(damage_seen(), HasSubstr("is gone"));
  fs::remove(link_);
  EXPECT_THAT(damage_seen(), HasSubstr("is gone"));
}

// On other nodes, and in studies of earlier versions.
// What a program added cannot be told from what was changed, and it is built again.
TEST_F(DamagedTree, WithoutItsListNothingMayHaveBeenAdded) {
  for (const auto& entry : fs::directory_iterator(folder_.path() + "/artifacts")) {
    if (entry.path().filename().string().starts_with("files-")) fs::remove(entry.path());
  }
  base::write_whole_file(place_ + "/log", "a run");
  EXPECT_THAT(damage_seen(), HasSubstr("has changed"));
  fs::remove_all(place_);
  EXPECT_THAT(damage_seen(), HasSubstr("is gone"));
}

}  // namespace
}  // namespace nightshift::evaluator
