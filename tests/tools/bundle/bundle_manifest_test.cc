#include "tools/bundle/bundle_manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

namespace nightshift::tools {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

const std::string kHash(32, 'a');

BundleManifest manifest() {
  BundleManifest m;
  m.version = "0.1.0";
  m.root = "/home/me";
  m.problem_file = "k/problem.toml";
  m.problem_text = "files/k/problem.toml";
  m.overrides = {{"host.sizes.N", "8"}, {"a.b", "x=y"}};
  m.files = {{"claim.json", 10, kHash, false},
             {"files/k/problem.toml", 20, kHash, false},
             {"files/k/run.sh", 30, kHash, true}};
  return m;
}

void expect_refused(const json& object, const std::string& words) {
  EXPECT_THAT([&] { read_manifest(object.dump()); }, ThrowsMessage<BundleError>(HasSubstr(words)))
      << object.dump();
}

TEST(BundleManifest, IsReadAsItWasWritten) {
  EXPECT_EQ(read_manifest(to_json(manifest())), manifest());
}

TEST(BundleManifest, FilesAreFoundInWhateverOrderTheyStand) {
  json object = json::parse(to_json(manifest()));
  std::reverse(object["files"].begin(), object["files"].end());
  const BundleManifest read = read_manifest(object.dump());
  EXPECT_EQ(read, manifest());
  EXPECT_TRUE(find_file(read, "files/k/run.sh")->executable);
  EXPECT_EQ(find_file(read, "files/k"), nullptr);
}

TEST(BundleManifest, PathsThatMayLeaveTheBundleAreRefused) {
  for (const char* good : {"a", "a/b.c", "..a/b", "a b", "\xc3\xa4/x", "-x"}) {
    EXPECT_EQ(wrong_with_path(good), "") << good;
  }
  for (const std::string& bad :
       {std::string(), std::string("/a"), std::string("a/../b"), std::string(".."),
        std::string("a/."), std::string("a//b"), std::string("a/"), std::string("a\nb"),
        std::string("a\0b", 3), std::string("\xff"), std::string(256, 'a'), std::string(2049, '/'),
        std::string("\x1b[31m")}) {
    EXPECT_NE(wrong_with_path(bad), "") << bad;
    json object = json::parse(to_json(manifest()));
    if (bad != "\xff") {
      object["files"][2]["path"] = bad;
      expect_refused(object, "");
    }
  }
}

TEST(BundleManifest, WhatIsTwiceOrInsideOfAFileIsRefused) {
  json object = json::parse(to_json(manifest()));
  object["files"].push_back(object["files"][0]);
  expect_refused(object, "names 'claim.json' twice");
  object["files"].back()["path"] = "claim.json/more/x";
  // "claim.json-x" comes between the two in the order of bytes.
  object["files"].push_back(object["files"][0]);
  object["files"].back()["path"] = "claim.json-x";
  expect_refused(object, "names 'claim.json' as a file and 'claim.json/more/x' inside of it");
}

TEST(BundleManifest, SizesAreBoundedBeforeAnythingIsRead) {
  json object = json::parse(to_json(manifest()));
  object["files"][2]["bytes"] = std::uint64_t{1} << 63U;
  expect_refused(object, "'files/k/run.sh' is larger than 512 MiB");
  object["files"][2]["bytes"] = std::uint64_t{512} << 20U;
  for (int i = 0; i < 8; ++i) {
    object["files"].push_back(object["files"][2]);
    object["files"].back()["path"] = "files/" + std::to_string(i);
  }
  expect_refused(object, "more than 4 GiB of files");
  object["files"] = json::array();
  for (int i = 0; i <= 100'000; ++i) object["files"].push_back(0);
  expect_refused(object, "more than 100,000 files");
}

TEST(BundleManifest, EachMemberHasItsType) {
  const json whole = json::parse(to_json(manifest()));
  for (const auto& [key, value] : whole.items()) {
    json object = whole;
    object[key] = nullptr;
    expect_refused(object, key == "format" ? "is no manifest" : key);
    object.erase(key);
    expect_refused(object, key == "format" ? "is no manifest" : key);
  }
  json object = json::parse(to_json(manifest()));
  object["overrides"] = {"no equals sign"};
  expect_refused(object, "no 'KEY=VALUE'");
  object = json::parse(to_json(manifest()));
  object["files"][0]["executable"] = 1;
  expect_refused(object, "neither true nor false");
  object["files"][0].erase("hash");
  expect_refused(object, "'claim.json' has no 'hash'");
}

TEST(BundleManifest, WithoutAClaimOrAProblemItIsNone) {
  json object = json::parse(to_json(manifest()));
  object["files"].erase(0);
  expect_refused(object, "lacks 'claim.json', which is the claim");
  object = json::parse(to_json(manifest()));
  object["problem_text"] = "";  // then the problem file is a recording
  object["problem_file"] = "space.json";
  expect_refused(object, "lacks 'files/space.json', which is the problem");
}

TEST(BundleManifest, WhatIsNoJsonIsNone) {
  for (const char* text : {"", "{", "[]", "null", "{\"format\": \"nightshift bundle\"}"}) {
    EXPECT_THROW(read_manifest(text), BundleError) << text;
  }
  EXPECT_THROW(read_manifest(std::string(std::size_t{17} << 20U, ' ')), BundleError);
}

}  // namespace
}  // namespace nightshift::tools
