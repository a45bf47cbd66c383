#include "tools/bundle/bundle_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/scheduler/sample_study.h"

namespace nightshift::tools {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A bundle with a claim, a problem and a script.
class BundleFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    manifest_.version = "0.1.0";
    manifest_.root = "/home/me";
    manifest_.problem_file = "problem.toml";
    manifest_.problem_text = "files/problem.toml";
    manifest_.files = {put_file(bundle_, "claim.json", "{}", false),
                       put_file(bundle_, "files/bin/run.sh", "#!/bin/sh\n", true),
                       put_file(bundle_, "files/problem.toml", "name = \"x\"\n", false)};
    put_file(bundle_, kManifest, to_json(manifest_), false);
  }

  void expect_refused(const std::string& words) {
    EXPECT_THAT([&] { copy_files(bundle_, manifest_of(bundle_), places_); },
                ThrowsMessage<BundleError>(HasSubstr(words)));
  }

  const tests::ScratchFolder folder_;
  const std::string bundle_ = folder_ / "made.bundle";
  const CopyPlaces places_{folder_ / "tree", folder_ / "top"};
  BundleManifest manifest_;
};

TEST_F(BundleFiles, CopiesLieUnderTheRootThatTheyCameFrom) {
  const BundleManifest read = manifest_of(bundle_);
  EXPECT_EQ(read, manifest_);
  copy_files(bundle_, read, places_);
  EXPECT_EQ(text_of(folder_ / "tree/home/me/problem.toml"), "name = \"x\"\n");
  EXPECT_EQ(text_of(folder_ / "top/claim.json"), "{}");
  const auto may = [&](const char* name) { return fs::status(folder_ / name).permissions(); };
  EXPECT_NE(may("tree/home/me/bin/run.sh") & fs::perms::owner_exec, fs::perms::none);
  EXPECT_EQ(may("tree/home/me/problem.toml") & fs::perms::owner_exec, fs::perms::none);
}

TEST_F(BundleFiles, BitsThatWereLostOnTheWayAreRestored) {
  fs::permissions(bundle_ + "/files/bin/run.sh", fs::perms::owner_read);
  copy_files(bundle_, manifest_of(bundle_), places_);
  EXPECT_NE(fs::status(folder_ / "tree/home/me/bin/run.sh").permissions() & fs::perms::owner_exec,
            fs::perms::none);
}

TEST_F(BundleFiles, NothingIsWrittenOfABundleWithMoreInIt) {
  std::ofstream(bundle_ + "/files/bin/more") << "x";
  expect_refused("'files/bin/more', a file, is not in the manifest");
  EXPECT_FALSE(fs::exists(folder_ / "tree"));
  EXPECT_FALSE(fs::exists(folder_ / "top"));
}

TEST_F(BundleFiles, OtherBytesOfTheSameNumberAreRefused) {
  std::ofstream(bundle_ + "/claim.json") << "[]";
  expect_refused("'claim.json' has the hash ");
}

TEST_F(BundleFiles, AHugeFileIsRefusedByItsSizeAlone) {
  fs::resize_file(bundle_ + "/claim.json", std::uintmax_t{1} << 40U);  // without a block
  expect_refused("'claim.json' has 1099511627776 bytes, and the manifest says 2");
  fs::resize_file(fs::path(bundle_) / kManifest, std::uintmax_t{1} << 40U);
  expect_refused("'manifest.json' is larger than what is taken");
}

TEST_F(BundleFiles, LinksAreNotFollowed) {
  fs::rename(bundle_ + "/claim.json", folder_ / "claim.json");
  fs::create_symlink(folder_ / "claim.json", bundle_ + "/claim.json");
  expect_refused("'claim.json' is a symbolic link, which no bundle has");
  fs::rename(fs::path(bundle_) / kManifest, folder_ / "m");
  fs::create_symlink(folder_ / "m", fs::path(bundle_) / kManifest);
  expect_refused("'manifest.json' cannot be read");
}

TEST_F(BundleFiles, AFolderInTheNameOfAFileIsRefused) {
  fs::remove(bundle_ + "/claim.json");
  fs::create_directory(bundle_ + "/claim.json");
  expect_refused("'claim.json' is a folder, which no bundle has");
}

TEST_F(BundleFiles, DevicesAreNotOpened) {
  fs::remove(bundle_ + "/claim.json");
  if (::mknod((bundle_ + "/claim.json").c_str(), S_IFCHR | 0600, makedev(1, 5)) != 0) {
    GTEST_SKIP() << "devices can be made by root alone";
  }
  expect_refused("'claim.json' is a device, which no bundle has");
}

TEST_F(BundleFiles, ANameThatNoManifestMayHaveIsNotWritten) {
  EXPECT_THAT([&] { put_file(bundle_, "files/a\nb", "", false); },
              ThrowsMessage<UsageError>(HasSubstr("has a control character in its path")));
}

}  // namespace
}  // namespace nightshift::tools
