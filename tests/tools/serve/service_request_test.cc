#include "tools/serve/service_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <variant>

namespace nightshift::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

BadRequest refused(std::string_view line) {
  const ServiceRequest request = parse_request(line);
  const auto* bad = std::get_if<BadRequest>(&request);
  EXPECT_NE(bad, nullptr) << line;
  return bad == nullptr ? BadRequest{} : *bad;
}

CandidateRequest candidate(std::string_view line) {
  const ServiceRequest request = parse_request(line);
  const auto* bad = std::get_if<BadRequest>(&request);
  EXPECT_EQ(bad, nullptr) << line << ": " << bad->error;
  return bad == nullptr ? std::get<CandidateRequest>(request) : CandidateRequest{};
}

TEST(ServiceRequest, ASourceIsAClaimOfTheClientWithoutAName) {
  const CandidateRequest request = candidate(R"({"id": "7", "source": "void f() {}"})");
  EXPECT_EQ(request.id, "7");
  EXPECT_EQ(request.client, "");
  EXPECT_EQ(request.problem, "");
  EXPECT_EQ(request.stage, Stage::kHoldOut);
  EXPECT_THAT(request.files, ElementsAre(Pair("", "void f() {}")));
  EXPECT_EQ(request.priority, 0);
  EXPECT_EQ(request.weight, 1);
  EXPECT_FALSE(request.deadline);
  EXPECT_FALSE(request.most_time);
}

TEST(ServiceRequest, EveryMemberIsRead) {
  const CandidateRequest request = candidate(
      R"({"ask": "judge", "id": "a", "client": "c", "problem": "p", "stage": "screen",
          "path": "/x/y.cu", "priority": -3, "weight": 2.5, "deadline": 60, "seconds": 10})");
  EXPECT_EQ(request.client, "c");
  EXPECT_EQ(request.problem, "p");
  EXPECT_EQ(request.stage, Stage::kScreen);
  EXPECT_EQ(request.path, "/x/y.cu");
  EXPECT_EQ(request.priority, -3);
  EXPECT_EQ(request.weight, 2.5);
  EXPECT_EQ(request.deadline, 60);
  EXPECT_EQ(request.most_time, 10);
}

TEST(ServiceRequest, EachStageHasItsName) {
  for (const Stage stage : {Stage::kCheck, Stage::kScreen, Stage::kConfirm, Stage::kHoldOut}) {
    const std::string line =
        R"({"id": "1", "source": "x", "stage": ")" + std::string(name_of(stage)) + "\"}";
    EXPECT_EQ(candidate(line).stage, stage);
  }
}

TEST(ServiceRequest, MainIsTheFirstOfSeveralFiles) {
  const auto files = [](const std::string& more) {
    return candidate(R"({"id": "1", "files": {"b.h": "B", "sub/a.cu": "A"})" + more + "}").files;
  };
  EXPECT_THAT(files(""), ElementsAre(Pair("b.h", "B"), Pair("sub/a.cu", "A")));
  EXPECT_THAT(files(R"(, "main": "sub/a.cu")"),
              ElementsAre(Pair("sub/a.cu", "A"), Pair("b.h", "B")));
}

TEST(ServiceRequest, OtherAsksHaveTheirMembers) {
  const auto cancel =
      std::get<CancelRequest>(parse_request(R"({"ask": "cancel", "id": "7", "client": "c"})"));
  EXPECT_EQ(cancel.id, "7");
  EXPECT_EQ(cancel.client, "c");
  const auto settle =
      std::get<SettleRequest>(parse_request(R"({"ask": "settle", "client": "c", "problem": "p"})"));
  EXPECT_EQ(settle.client, "c");
  EXPECT_EQ(settle.problem, "p");
  EXPECT_TRUE(std::holds_alternative<StatusRequest>(parse_request(R"({"ask": "status"})")));
}

TEST(ServiceRequest, WhatIsWrongIsNamedBesideTheId) {
  struct Case {
    const char* line;
    const char* words;
  };
  const Case cases[] = {
      {R"({"id": "q", "source": "x", "file": "y"})", "nothing is called 'file' here"},
      {R"({"id": "q"})", "expected one of 'source', 'files' and 'path'"},
      {R"({"id": "q", "source": "x", "path": "y"})", "expected one of 'source'"},
      {R"({"id": "q", "source": 7})", "'source' must be a text"},
      {R"({"id": "q", "source": "x", "stage": "claims"})", "'stage' must be check, screen"},
      {R"({"id": "q", "source": "x", "weight": 0})", "'weight' must be a number from 0.001"},
      {R"({"id": "q", "source": "x", "weight": "1"})", "'weight' must be a number"},
      {R"({"id": "q", "source": "x", "deadline": -1})", "'deadline' must be a number from 0"},
      {R"({"id": "q", "source": "x", "seconds": 1e300})", "'seconds' must be a number"},
      {R"({"id": "q", "source": "x", "priority": 1001})", "'priority' must be a number"},
      {R"({"id": "q", "files": {}})", "'files' must be an object of 1 to 64"},
      {R"({"id": "q", "files": ["x"]})", "'files' must be an object"},
      {R"({"id": "q", "files": {"a": 1}})", "the text of 'a' is none"},
      {R"({"id": "q", "files": {"a": "A"}, "main": "b"})", "'main' is none of the files"},
      {R"({"id": "q", "files": {"a/b": "B", "a": "A"}})", "'a' is a file and a folder"},
      {R"({"id": "q", "ask": "judges"})", "'ask' must be judge, cancel, settle or status"},
      {R"({"id": "q", "ask": "status", "source": "x"})", "nothing is called 'source' here"},
  };
  for (const auto& [line, words] : cases) {
    const BadRequest bad = refused(line);
    EXPECT_EQ(bad.id, "q") << line;
    EXPECT_THAT(bad.error, HasSubstr(words)) << line;
  }
}

TEST(ServiceRequest, NoFileIsWrittenOutsideOfItsFolder) {
  for (const char* name : {"/etc/x", "../x", "a/../x", "a//b", ".", "", "a/", "a\\nb", "a\\\"b"}) {
    const std::string line = std::string(R"({"id": "1", "files": {")") + name + R"(": "x"}})";
    EXPECT_THAT(refused(line).error, HasSubstr("is no plain relative name")) << name;
  }
}

TEST(ServiceRequest, WhatIsNoRequestHasNoId) {
  for (const char* line : {"", "7", "[]", "{", R"({"id": "1")", "\xff\xfe", "null"}) {
    const BadRequest bad = refused(line);
    EXPECT_EQ(bad.id, "") << line;
    EXPECT_THAT(bad.error, HasSubstr("a JSON object a line")) << line;
  }
  EXPECT_THAT(refused(R"({"source": "x"})").error, HasSubstr("'id' is missing"));
  EXPECT_THAT(refused(R"({"ask": "cancel"})").error, HasSubstr("'id' is missing"));
  EXPECT_THAT(refused(R"({"id": 7, "source": "x"})").error, HasSubstr("'id' must be a text"));
}

TEST(ServiceRequest, SizesAndDepthAreBounded) {
  EXPECT_THAT(refused(std::string(kMostLine + 1, ' ')).error, HasSubstr("longer than 4 MiB"));
  EXPECT_THAT(refused(R"({"id": "q", "files": {"a": [[[[1]]]]}})").error,
              HasSubstr("deeper than 4 levels"));
  EXPECT_THAT(refused(std::string(100'000, '[')).error, HasSubstr("deeper than 4 levels"));
  EXPECT_THAT(refused(R"({"id": ")" + std::string(201, 'i') + R"("})").error,
              HasSubstr("'id' is longer than 200 bytes"));
  std::string files = R"({"id": "q", "files": {)";
  for (int i = 0; i < 65; ++i) files += (i ? ",\"" : "\"") + std::to_string(i) + R"(": "x")";
  EXPECT_THAT(refused(files + "}}").error, HasSubstr("1 to 64 names"));
}

// Whoever has many requests open has to know which one was refused.
TEST(ServiceRequest, WhatNoNumberHoldsIsRefusedByNameAndWithItsId) {
  for (const char* number : {"1e999", "-1e999", "1E+400", "123456e99999"}) {
    for (const bool id_first : {true, false}) {
      const std::string priority = std::string(R"("priority": )") + number;
      const std::string id = R"("id": "a\"1e999", "source": "1e999 \\")";
      const BadRequest bad =
          refused("{" + (id_first ? id + ", " + priority : priority + ", " + id) + "}");
      EXPECT_EQ(bad.id, "a\"1e999") << number;
      EXPECT_THAT(bad.error, HasSubstr("'priority' must be a number")) << number;
    }
  }
  EXPECT_EQ(candidate(R"({"id": "a", "source": "x", "weight": 1e-3, "seconds": 5e2})").most_time,
            500);
}

TEST(ServiceRequest, WhatIsNestedTooDeepIsRefusedWithItsId) {
  const BadRequest bad = refused(R"({"files": {"a": [[[[1]]]]}, "id": "7"})");
  EXPECT_EQ(bad.id, "7");
  EXPECT_THAT(bad.error, HasSubstr("nested deeper"));
}

}  // namespace
}  // namespace nightshift::tools
