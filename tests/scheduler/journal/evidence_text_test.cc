#include "scheduler/journal/evidence_text.h"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

#include "tests/scheduler/sample_study.h"

namespace nightshift::scheduler {
namespace {

search::Verdict again(const search::Verdict& verdict) {
  search::Verdict read;
  evidence_from_json(evidence_to_json(verdict), read);
  return read;
}

TEST(EvidenceText, EverythingThatIsWrittenIsRead) {
  const search::Verdict verdict = tests::sample_verdict(5);
  EXPECT_EQ(tests::evidence_of(again(verdict)), tests::evidence_of(verdict));
  EXPECT_EQ(again(verdict).looks, verdict.looks) << "to the last digit, infinities too";
  EXPECT_EQ(again(verdict).devices, verdict.devices);
  EXPECT_EQ(tests::evidence_of(again({})), tests::evidence_of({}));
}

TEST(EvidenceText, ConfidenceIsThatOfTheVerdictsInterval) {
  search::Verdict verdict = tests::sample_verdict(5);
  verdict.interval.confidence = 0.998;
  EXPECT_EQ(again(verdict).interval.confidence, 0.998);
  // Journals of before have no other than 95 %.
  std::string text = evidence_to_json(verdict);
  const std::string member = ",\"confidence\":0.998";
  text.erase(text.find(member), member.size());
  search::Verdict read;
  evidence_from_json(text, read);
  EXPECT_EQ(read.interval.confidence, 0.95);
}

TEST(EvidenceText, TextsOfAnyBytesSurviveAsText) {
  search::Verdict verdict;
  verdict.shape = "\xff\x01 \"\\";
  verdict.devices = {{"n\xc3", 1, 0, 0, 0}};
  EXPECT_EQ(again(verdict).devices.size(), 1U);
  EXPECT_NE(again(verdict).shape.find("\\"), std::string::npos);
}

TEST(EvidenceText, WhatIsNoEvidenceIsRefused) {
  const std::string good = evidence_to_json(tests::sample_verdict(5));
  for (std::size_t length = 0; length < good.size(); ++length) {
    search::Verdict verdict;
    EXPECT_THROW(evidence_from_json(good.substr(0, length), verdict), std::invalid_argument)
        << length;
  }
  for (const char* text :
       {"null", "[]", "{}", "7", R"({"looks": 1})", R"({"looks":[],"devices":[],"shape":""})",
        R"({"looks":[{"pairs":"x"}],"devices":[],"heterogeneity":{},"shape":""})"}) {
    search::Verdict verdict;
    EXPECT_THROW(evidence_from_json(text, verdict), std::invalid_argument) << text;
  }
}

TEST(EvidenceText, AChangedKindOfValueIsRefused) {
  const std::string good = evidence_to_json(tests::sample_verdict(5));
  for (const auto& [from, to] :
       {std::pair(R"("depends":true)", R"("depends":1)"),
        std::pair(R"("shape":")", R"("shape":7,"x":")"), std::pair(R"([-0.1,0.3])", R"([-0.1])"),
        std::pair(R"("voided":1)", R"("voided":[1])"),
        std::pair(R"("p":0.001)", R"("p":"small")")}) {
    std::string text = good;
    ASSERT_NE(text.find(from), std::string::npos) << from;
    text.replace(text.find(from), std::string(from).size(), to);
    search::Verdict verdict;
    EXPECT_THROW(evidence_from_json(text, verdict), std::invalid_argument) << to;
  }
}

TEST(EvidenceText, ListsOfDevicesSurvive) {
  const std::vector<std::string> devices = {"n/cpu:1", "", "it's \"x\""};
  EXPECT_EQ(devices_from_json(devices_to_json(devices)), devices);
  EXPECT_EQ(devices_to_json({}), "[]");
  for (const char* text : {"", "null", "{}", "[1]", R"(["a")"}) {
    EXPECT_THROW(devices_from_json(text), std::invalid_argument) << text;
  }
}

}  // namespace
}  // namespace nightshift::scheduler
