#include "base/file_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <stdexcept>
#include <string>

namespace nightshift::base {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class FileText : public ::testing::Test {
 protected:
  FileText() : folder_(fs::path(testing::TempDir()) / "file_text_test") {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~FileText() override { fs::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  fs::path folder_;
};

TEST_F(FileText, IsReadAsItWasWritten) {
  const std::string bytes("a\0b\r\n\xff", 6);
  write_whole_file(path("f"), bytes);
  EXPECT_EQ(read_whole_file(path("f")), bytes);
  write_whole_file(path("f"), "");
  EXPECT_EQ(read_whole_file(path("f")), "");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1) << "nothing stays beside it";
}

TEST_F(FileText, WhatCannotBeReadOrWrittenIsNamed) {
  EXPECT_THAT([&] { read_whole_file(path("none")); },
              ThrowsMessage<std::runtime_error>(HasSubstr(path("none"))));
  EXPECT_THAT([&] { write_whole_file(path("none/f"), "a"); },
              ThrowsMessage<std::runtime_error>(HasSubstr(path("none/f"))));
  EXPECT_THAT([&] { read_whole_file(folder_.string()); },
              ThrowsMessage<std::runtime_error>(HasSubstr("is a folder")));
  EXPECT_EQ(text_if_there(path("none")), "");
  EXPECT_EQ(text_if_there(folder_.string()), "");
}

TEST_F(FileText, WhatWouldMakeUsWaitIsNoFile) {
  ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
  fs::create_symlink("/dev/zero", path("zero"));
  for (const std::string& name : {path("fifo"), path("zero")}) {
    EXPECT_EQ(not_a_file(name), "is no regular file") << name;
    EXPECT_EQ(text_if_there(name), "") << name;
    EXPECT_THAT([&] { read_whole_file(name); },
                ThrowsMessage<std::runtime_error>(HasSubstr(name + " is no regular file")));
  }
  EXPECT_EQ(not_a_file(folder_.string()), "is a folder");
  write_whole_file(path("f"), "a");
  EXPECT_EQ(not_a_file(path("f")), "");
  EXPECT_EQ(not_a_file(path("none")), "");
}

}  // namespace
}  // namespace nightshift::base
