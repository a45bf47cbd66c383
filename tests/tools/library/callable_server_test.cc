#include "tools/library/callable_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

namespace nightshift {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class CallableServer : public ::testing::Test {
 protected:
  // Its answers to lines.
  std::vector<json> answers(std::string lines, const Objective& objective) {
    std::FILE* requests = ::fmemopen(lines.data(), lines.size(), "r");
    char* text = nullptr;
    std::size_t size = 0;
    std::FILE* out = ::open_memstream(&text, &size);
    serve_callable(space_.parts(), space_.defaults(), objective, requests, out);
    std::fclose(requests);
    std::fclose(out);
    std::vector<json> parsed;
    for (char* at = text; *at != '\0';) {
      char* end = std::strchr(at, '\n');
      parsed.push_back(json::parse(at, end));
      at = end + 1;
    }
    std::free(text);
    return parsed;
  }

  const Space space_{{{"a", {std::int64_t{1}, std::int64_t{2}}}, {"b", {1.0, 2.0}}}};
};

TEST_F(CallableServer, AnswersEachRequestWithTheSpacesOwnKindsOfValues) {
  std::vector<Configuration> called;
  const auto all = answers("{}\n{\"a\": 2, \"b\": 2}\n", [&](const Configuration& c) {
    called.push_back(c);
    return std::vector<double>{1.5, 2.5};
  });
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_EQ(all[1]["configuration"], json::parse(R"({"a": 2, "b": 2})"));  // as it was asked
  EXPECT_EQ(all[1]["figure"], json::parse("[1.5, 2.5]"));
  EXPECT_EQ(called[0], space_.defaults());
  EXPECT_EQ(called[1].at("a"), Value(std::int64_t{2}));
  EXPECT_EQ(called[1].at("b"), Value(2.0));
}

TEST_F(CallableServer, WhatIsThrownIsTheTrialsFailureAndTheNextIsServed) {
  int calls = 0;
  const auto all = answers("{}\n{}\n{}\nno request\n{}", [&](const Configuration&) {
    switch (++calls) {
      case 1:
        throw std::runtime_error("the sum is wrong \xff");
      case 2:
        throw 7;
      case 3:
        return std::vector<double>{};
      default:
        return std::vector<double>{1};
    }
  });
  ASSERT_THAT(all, SizeIs(4));
  EXPECT_THAT(all[0]["error"].get<std::string>(), HasSubstr("the sum is wrong"));
  EXPECT_THAT(all[1]["error"].get<std::string>(), HasSubstr("no exception"));
  EXPECT_THAT(all[2]["error"].get<std::string>(), HasSubstr("no figure"));
  EXPECT_EQ(all[3]["figure"], json::parse("[1.0]"));
}

TEST_F(CallableServer, RefusesWhatIsNotInTheSpace) {
  const auto all = answers("{\"a\": 3, \"b\": 1}\n{\"a\": [1], \"b\": 1}\n",
                           [](const Configuration&) { return std::vector<double>{1}; });
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_THAT(all[0]["error"].get<std::string>(), HasSubstr("not in the space"));
  EXPECT_TRUE(all[1].contains("error"));
}

}  // namespace
}  // namespace nightshift
