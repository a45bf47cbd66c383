#include "evaluator/process/confinement.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

namespace nightshift::evaluator {
namespace {

namespace fs = std::filesystem;

// What a confined child tries: each of its own, so that none shows by another's failure.
class ConfinementTest : public ::testing::Test {
 protected:
  ConfinementTest() {
    std::string name = (fs::temp_directory_path() / "nightshift-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    fs::create_directories(folder_ + "/own");
    std::ofstream(folder_ + "/file") << "text";
  }
  ~ConfinementTest() override { fs::remove_all(folder_); }

  // 0: it could; else errno. -1: the kernel cannot hold `what`.
  int tries(const char* what, const std::function<bool()>& act) {
    const pid_t child = ::fork();
    if (child == 0) {
      const std::string done = confine({{folder_ + "/own", "/dev/null", folder_ + "/missing"}});
      if (done.find(what) == std::string::npos) ::_exit(255);
      errno = 0;
      ::_exit(act() ? 0 : errno);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status));
    return WEXITSTATUS(status) == 255 ? -1 : WEXITSTATUS(status);
  }
  bool writes(const std::string& name) const {
    std::FILE* file = std::fopen((folder_ + "/" + name).c_str(), "w");
    return file != nullptr && std::fclose(file) == 0;
  }

  std::string folder_;
};

// What a kernel cannot hold is said, once a test.
void expect_held(int got, int error) {
  if (got == -1) GTEST_SKIP() << "this kernel cannot hold it";
  EXPECT_EQ(got, error);
}

TEST_F(ConfinementTest, WritesOnlyWhereItMay) {
  expect_held(tries("files", [this] { return writes("file"); }), EACCES);
  expect_held(tries("files", [this] { return writes("new"); }), EACCES);
  expect_held(tries("files", [this] { return writes("own/new"); }), 0);
  expect_held(tries("files", [this] { return std::ofstream("/dev/null").good(); }), 0);
  EXPECT_FALSE(fs::exists(folder_ + "/new"));
  EXPECT_TRUE(fs::exists(folder_ + "/own/new"));
}

TEST_F(ConfinementTest, RemovesAndMovesNothingOfOthers) {
  const std::string file = folder_ + "/file";
  expect_held(tries("files", [&] { return ::unlink(file.c_str()) == 0; }), EACCES);
  expect_held(tries("files", [&] { return ::truncate(file.c_str(), 0) == 0; }), EACCES);
  expect_held(tries("files", [&] { return ::mkdir((folder_ + "/made").c_str(), 0700) == 0; }),
              EACCES);
  expect_held(
      tries("files", [&] { return ::rename(file.c_str(), (folder_ + "/own/f").c_str()) == 0; }),
      EACCES);
  EXPECT_EQ(fs::file_size(file), 4U);
}

TEST_F(ConfinementTest, StillReads) {
  expect_held(tries("files", [this] { return std::ifstream(folder_ + "/file").good(); }), 0);
}

TEST_F(ConfinementTest, HasNoNetworkAndKeepsLocalSockets) {
  for (const int family : {AF_INET, AF_INET6}) {
    for (const int type : {SOCK_STREAM, SOCK_DGRAM}) {
      expect_held(tries("network", [=] { return ::socket(family, type, 0) >= 0; }), EACCES);
    }
  }
  expect_held(tries("network", [] { return ::socket(AF_UNIX, SOCK_STREAM, 0) >= 0; }), 0);
}

TEST_F(ConfinementTest, SendsNoSignalToWhoWasThereBefore) {
  const pid_t other = ::fork();
  if (other == 0) {
    for (;;) ::pause();
  }
  const int got = tries("signals", [=] { return ::kill(other, SIGTERM) == 0; });
  const int own = tries("signals", [] { return ::raise(0) == 0; });
  EXPECT_EQ(::kill(other, 0), 0);
  ::kill(other, SIGKILL);
  ::waitpid(other, nullptr, 0);
  expect_held(got, EPERM);
  expect_held(own, 0);
}

// What it starts is held as it is.
TEST_F(ConfinementTest, HoldsWhatItStarts) {
  const std::string command = "echo x > " + folder_ + "/file";
  expect_held(tries("files", [&] { return std::system((command + " 2> /dev/null").c_str()) != 0; }),
              0);
  std::string text;
  std::ifstream(folder_ + "/file") >> text;
  EXPECT_EQ(text, "text");
}

}  // namespace
}  // namespace nightshift::evaluator
