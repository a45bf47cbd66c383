#include "tools/serve/line_channels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tools/serve/service_request.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// A client of the socket, which never blocks.
class Client {
 public:
  explicit Client(const std::string& path)
      : fd_(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    EXPECT_EQ(::connect(fd_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  }
  void write(std::string_view text) {
    EXPECT_EQ(::send(fd_.get(), text.data(), text.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(text.size()));
  }
  std::string read() {
    std::string all(4096, '\0');
    const ssize_t count = ::read(fd_.get(), all.data(), all.size());
    all.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    return all;
  }
  bool is_cut_off() {
    pollfd one{fd_.get(), POLLIN, 0};
    char byte = 0;
    return ::poll(&one, 1, 0) > 0 && ::recv(fd_.get(), &byte, 1, MSG_PEEK) <= 0;
  }
  void ends_writing() { ::shutdown(fd_.get(), SHUT_WR); }
  int fd() const { return fd_.get(); }
  void close() { fd_ = {}; }

 private:
  ipc::UniqueFd fd_;
};

class LineChannelsTest : public ::testing::Test {
 protected:
  LineChannelsTest() {
    std::string name = (std::filesystem::temp_directory_path() / "nightshift-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    path_ = folder_ + "/socket";
  }
  ~LineChannelsTest() override { std::filesystem::remove_all(folder_); }

  static std::vector<std::string> texts(const std::vector<LineChannels::Line>& lines) {
    std::vector<std::string> all;
    for (const auto& line : lines) all.push_back(line.text);
    return all;
  }

  std::string folder_, path_;
};

TEST_F(LineChannelsTest, EachClientHasAChannelOfItsOwn) {
  LineChannels channels(false, path_);
  Client one(path_), two(path_);
  const auto both = channels.take_new();
  ASSERT_THAT(both, SizeIs(2));
  EXPECT_THAT(channels.take_new(), IsEmpty());
  one.write("a\nb\n");
  two.write("c\n");
  const auto lines = channels.take();
  EXPECT_THAT(texts(lines), ElementsAre("a", "b", "c"));
  EXPECT_EQ(lines[0].from, both[0]);
  EXPECT_EQ(lines[2].from, both[1]);
  channels.send(both[1], "to two\n");
  channels.flush(false);
  EXPECT_EQ(one.read(), "");
  EXPECT_EQ(two.read(), "to two\n");
}

TEST_F(LineChannelsTest, ALineIsTakenWhenItIsWhole) {
  LineChannels channels(false, path_);
  Client client(path_);
  (void)channels.take_new();
  client.write("half");
  EXPECT_THAT(channels.take(), IsEmpty());
  client.write(" and half\nthe last one has no end");
  EXPECT_THAT(texts(channels.take()), ElementsAre("half and half"));
  client.ends_writing();
  EXPECT_THAT(texts(channels.take()), ElementsAre("the last one has no end"));
}

TEST_F(LineChannelsTest, WhoHasAskedAllIsStillTold) {
  LineChannels channels(false, path_);
  Client client(path_);
  const auto channel = channels.take_new().at(0);
  client.write("a\n");
  client.ends_writing();
  EXPECT_THAT(channels.take(), SizeIs(1));
  EXPECT_THAT(channels.take(), IsEmpty());
  channels.send(channel, "answer\n");
  channels.flush(false);
  EXPECT_EQ(client.read(), "answer\n");
}

TEST_F(LineChannelsTest, WhoAsksNoMoreAndIsOwedNothingIsLetGo) {
  LineChannels channels(false, path_);
  Client client(path_), asking(path_);
  const auto channel = channels.take_new().at(0);
  client.write("a\n");
  client.ends_writing();
  EXPECT_THAT(channels.take(), SizeIs(1));
  channels.let_go({channel});
  EXPECT_FALSE(client.is_cut_off());
  channels.send(channel, "answer\n");
  channels.let_go({});
  EXPECT_FALSE(client.is_cut_off()) << "it has not been told yet";
  channels.flush(false);
  channels.let_go({});
  EXPECT_EQ(client.read(), "answer\n");
  EXPECT_TRUE(client.is_cut_off());
  EXPECT_FALSE(asking.is_cut_off());
}

TEST_F(LineChannelsTest, WhoIsGoneIsForgotten) {
  LineChannels channels(false, path_);
  Client client(path_);
  const auto channel = channels.take_new().at(0);
  client.close();
  (void)channels.take();
  channels.send(channel, "to nobody\n");
  channels.flush(true);
}

// Of a line that is too long its beginning is taken, so that it can be refused.
TEST_F(LineChannelsTest, ALineIsBounded) {
  LineChannels channels(false, path_);
  Client client(path_);
  (void)channels.take_new();
  const std::string chunk(std::size_t{64} << 10, 'x');
  std::size_t sent = 0;
  while (sent < kMostLine + 10 * chunk.size()) {
    const ssize_t count = ::send(client.fd(), chunk.data(), chunk.size(), MSG_NOSIGNAL);
    if (count > 0) sent += static_cast<std::size_t>(count);
    EXPECT_THAT(channels.take(), IsEmpty());
  }
  client.write("\nnext\n");
  const auto lines = texts(channels.take());
  ASSERT_THAT(lines, SizeIs(2));
  EXPECT_EQ(lines[0].size(), kMostLine + 1);
  EXPECT_EQ(lines[1], "next");
}

TEST_F(LineChannelsTest, WhoDoesNotReadIsCutOff) {
  LineChannels channels(false, path_);
  Client lazy(path_), other(path_);
  const auto both = channels.take_new();
  ASSERT_THAT(both, SizeIs(2));
  const std::string line(std::size_t{1} << 20, 'x');
  for (std::size_t kept = 0; kept <= LineChannels::kMostKept + 2 * line.size();
       kept += line.size()) {
    channels.send(both[0], line);
    channels.flush(false);
  }
  while (!lazy.read().empty()) {
  }
  EXPECT_TRUE(lazy.is_cut_off());
  channels.send(both[1], "still here\n");
  channels.flush(false);
  EXPECT_EQ(other.read(), "still here\n");
}

TEST_F(LineChannelsTest, TheSocketIsThisUsersAloneAndGoesWithTheService) {
  {
    const LineChannels channels(false, path_);
    EXPECT_TRUE(channels.is_open());
    struct stat there {};
    ASSERT_EQ(::stat(path_.c_str(), &there), 0);
    EXPECT_EQ(there.st_mode & 0777, 0600U);
    EXPECT_THROW(LineChannels(false, path_), UsageError);  // somebody serves there
  }
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(LineChannelsTest, ASocketThatWasLeftBehindIsReplaced) {
  {
    const ipc::UniqueFd killed(::socket(AF_UNIX, SOCK_STREAM, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path_.copy(address.sun_path, sizeof address.sun_path - 1);
    ASSERT_EQ(::bind(killed.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  }
  LineChannels channels(false, path_);
  const Client client(path_);
  EXPECT_THAT(channels.take_new(), SizeIs(1));
}

TEST_F(LineChannelsTest, WhatIsNoSocketStays) {
  std::ofstream(path_) << "a letter";
  EXPECT_THROW(LineChannels(false, path_), UsageError);
  EXPECT_TRUE(std::filesystem::exists(path_));
  EXPECT_THROW(LineChannels(false, folder_ + "/" + std::string(200, 'x')), UsageError);
}

}  // namespace
}  // namespace nightshift::tools
