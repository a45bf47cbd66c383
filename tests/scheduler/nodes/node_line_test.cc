#include "scheduler/nodes/node_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <span>

#include "scheduler/nodes/base64.h"
#include "scheduler/nodes/parcel.h"
#include "tests/scheduler/sample_study.h"

namespace nightshift::scheduler {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

node::Bytes bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

std::string why_refused(const std::string& line) {
  try {
    (void)agent_line(line);
  } catch (const LineError& error) {
    return error.what();
  }
  return "";
}

const search::IdentityPart kDriver{search::IdentityPart::Kind::kDriver, "n", "550.54"};

TEST(NodeLine, IsReadAsItWasWritten) {
  node::Start start{5, 1, 9, 2, 3, true, false, bytes_of("\x00\xff ask")};
  const std::string line = line_of(HeadLine(start));
  EXPECT_EQ(line.back(), '\n');
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  const auto read = std::get<node::Start>(head_line(line.substr(0, line.size() - 1)));
  EXPECT_EQ(read.job, 5U);
  EXPECT_EQ(read.attempt, 2U);
  EXPECT_TRUE(read.fresh);
  EXPECT_EQ(read.request, start.request);

  const std::string recall = line_of(HeadLine(node::Recall{6}));
  EXPECT_EQ(std::get<node::Recall>(head_line(recall.substr(0, recall.size() - 1))).job, 6U);
  const std::string forget = line_of(HeadLine(node::Forget{6, "abc"}));
  EXPECT_EQ(std::get<node::Forget>(head_line(forget.substr(0, forget.size() - 1))).artifact, "abc");
  node::Ended back;
  back.begun = false;
  const std::string ended = line_of(AgentLine(back));
  EXPECT_FALSE(std::get<node::Ended>(agent_line(ended.substr(0, ended.size() - 1))).begun);

  node::Found found{2, {{"n", "GPU-1", "H", {1, 2}, {"GPU-1", 90, 132}, 0, "me", {kDriver}}}};
  const std::string other = line_of(AgentLine(found));
  const auto again = std::get<node::Found>(agent_line(other.substr(0, other.size() - 1)));
  EXPECT_EQ(again.devices.at(0).gpu, found.devices.at(0).gpu);
  EXPECT_EQ(again.devices.at(0).cores, found.devices.at(0).cores);
  EXPECT_EQ(again.devices.at(0).made_of, found.devices.at(0).made_of);

  const node::Surveyed surveyed{"problem/survey-0", {0, 1}, {{kDriver}, {}}, "x"};
  const std::string third = line_of(AgentLine(surveyed));
  const auto learnt = std::get<node::Surveyed>(agent_line(third.substr(0, third.size() - 1)));
  EXPECT_EQ(learnt.devices, surveyed.devices);
  EXPECT_EQ(learnt.made_of, surveyed.made_of);
  EXPECT_EQ(learnt.error, surveyed.error);
}

TEST(NodeLine, PartsOfAMachineAreOnesThatAJournalCanKeep) {
  const std::string good =
      line_of(AgentLine(node::Found{1, {{"n", "cpu:1", "x", {}, {}, 0, "", {kDriver}}}}));
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string line = good;
    line.replace(line.find(from), from.size(), to);
    return why_refused(line.substr(0, line.size() - 1));
  };
  EXPECT_EQ(with("550.54", "535.1"), "");
  EXPECT_THAT(with("driver n", "weather n"), HasSubstr("no machine has such a part"));
  EXPECT_THAT(with("driver n", "driver"), HasSubstr("no machine has such a part"));
  EXPECT_THAT(with("550.54", "550\\ndriver x"), HasSubstr("no machine has such a part"));
}

TEST(NodeLine, AnythingElseIsRefusedWithTheReason) {
  EXPECT_THAT(why_refused("noise"), HasSubstr("no JSON"));
  EXPECT_THAT(why_refused("[]"), HasSubstr("no object"));
  EXPECT_THAT(why_refused("{}"), HasSubstr("\"say\" is missing"));
  EXPECT_THAT(why_refused(R"({"say":"start"})"), HasSubstr("nobody says \"start\""));
  EXPECT_THAT(why_refused(R"({"say":"said","text":1})"), HasSubstr("\"text\" is not a text"));
  EXPECT_THAT(why_refused(R"({"say":"said","text":"","x":1})"), HasSubstr("nobody knows"));
  EXPECT_THAT(why_refused(R"({"say":"failed","study":-1,"device":0,"reason":""})"),
              HasSubstr("\"study\" is not a whole number"));
  EXPECT_THAT(why_refused(R"({"say":"piece","parcel":"a","data":"A","last":true})"),
              HasSubstr("\"data\" is not base64"));
}

TEST(NodeLine, OtherVersionsAndMachinesAreNamed) {
  const node::Hello mine = own_hello();
  EXPECT_THAT(why_not_together(mine, mine, "ssh n"), IsEmpty());
  node::Hello other = mine;
  other.program = "9.9";
  EXPECT_THAT(why_not_together(mine, other, "ssh n"), HasSubstr("ssh n has nightshift 9.9"));
  other = mine;
  ++other.layout;
  EXPECT_THAT(why_not_together(mine, other, "ssh n"), HasSubstr("another build"));
  other.machine = "aarch64";
  EXPECT_THAT(why_not_together(mine, other, "ssh n"), HasSubstr("is on aarch64"));
}

TEST(Parcel, AFolderComesAsItWas) {
  namespace fs = std::filesystem;
  const tests::ScratchFolder folder;
  fs::create_directories(folder / "from/deep");
  std::ofstream(folder / "from/deep/data") << std::string(200000, 'x');
  std::ofstream(folder / "from/run") << "#!/bin/sh";
  fs::permissions(folder / "from/run", fs::perms::owner_exec, fs::perm_options::add);

  ArrivingParcels arriving;
  const auto pieces = pieces_of("p", packed(folder / "from"));
  EXPECT_THAT(pieces, SizeIs(5));
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    EXPECT_EQ(arriving.add(pieces[i]), i + 1 == pieces.size());
  }
  unpack(arriving.take("p"), folder / "to");
  EXPECT_EQ(fs::file_size(folder / "to/deep/data"), 200000U);
  EXPECT_NE(fs::status(folder / "to/run").permissions() & fs::perms::owner_exec, fs::perms::none);
  EXPECT_FALSE(fs::exists(folder / "to.new"));
  EXPECT_THROW(arriving.take("p"), LineError);
}

TEST(Parcel, NothingLeavesItsFolder) {
  const tests::ScratchFolder folder;
  const auto evil = from_base64("AQEAAAAEAAAALi4vYgAFAAAAaGVsbG8=");  // "../b"
  ASSERT_TRUE(evil);
  EXPECT_THROW(unpack(*evil, folder / "to"), LineError);
  EXPECT_TRUE(std::filesystem::is_empty(folder / "."));
  EXPECT_THROW(unpack(bytes_of("no parcel"), folder / "to"), LineError);
}

}  // namespace
}  // namespace nightshift::scheduler
