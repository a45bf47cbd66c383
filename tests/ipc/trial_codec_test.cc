#include <gmock/gmock.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "ipc/messages.h"
#include "random_messages.h"

namespace nightshift::ipc {
namespace {

using testing::HasSubstr;

// Calls check(message) with random messages of every kind.
template <class Check>
void for_every_kind(std::uint64_t seeds, Check check) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomMessages random(seed);
    check(random.configure());
    check(ConfiguredReply{"an error " + std::to_string(seed)});
    check(random.build());
    check(random.built());
    check(random.evaluate());
    check(random.evaluated());
  }
}

template <class Message>
bool decodes(std::span<const std::byte> bytes) {
  try {
    (void)decode<Message>(bytes);
    return true;
  } catch (const DecodeError&) {
    return false;
  }
}

template <class Message>
std::string error_of(std::span<const std::byte> bytes) {
  try {
    (void)decode<Message>(bytes);
    return "none";
  } catch (const DecodeError& e) {
    return e.what();
  }
}

TEST(TrialCodec, ReadsBackWhatItWrote) {
  for_every_kind(200, [](const auto& message) {
    using Message = std::decay_t<decltype(message)>;
    const auto bytes = encode(message);
    EXPECT_EQ(encode(decode<Message>(bytes)), bytes);
  });
}

TEST(TrialCodec, RefusesEveryShorterMessage) {
  for_every_kind(20, [](const auto& message) {
    using Message = std::decay_t<decltype(message)>;
    const auto bytes = encode(message);
    for (std::size_t n = 0; n < bytes.size(); ++n) {
      ASSERT_FALSE(decodes<Message>(std::span(bytes).first(n))) << n << " of " << bytes.size();
    }
  });
}

TEST(TrialCodec, RefusesALongerMessage) {
  for_every_kind(50, [](const auto& message) {
    using Message = std::decay_t<decltype(message)>;
    auto bytes = encode(message);
    bytes.push_back(std::byte{0});
    EXPECT_FALSE(decodes<Message>(bytes));
  });
}

// Whatever the bytes, there is a message or a DecodeError; and a message is written as it was read.
TEST(TrialCodec, BearsAnyChangedByte) {
  std::mt19937_64 random(7);
  for_every_kind(50, [&](const auto& message) {
    using Message = std::decay_t<decltype(message)>;
    const auto good = encode(message);
    for (int i = 0; i < 50; ++i) {
      auto bytes = good;
      bytes[random() % bytes.size()] = static_cast<std::byte>(random());
      if (decodes<Message>(bytes)) {
        EXPECT_EQ(encode(decode<Message>(bytes)), bytes);
      }
    }
  });
}

TEST(TrialCodec, KeepsEveryOutcome) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const EvaluatedReply reply = RandomMessages(seed).evaluated();
    EXPECT_EQ(decode<EvaluatedReply>(encode(reply)).report, reply.report);
    EXPECT_EQ(decode<EvaluatedReply>(encode(reply)).damaged, reply.damaged);
  }
}

TEST(TrialCodec, KeepsConfigurationsWithTheirTypes) {
  BuildRequest m;
  m.configuration.set("flag", true);
  m.configuration.set("one", std::int64_t{1});
  m.configuration.set("real", 1.0);
  m.configuration.set("text", std::string("1"));
  const auto back = decode<BuildRequest>(encode(m)).configuration;
  EXPECT_TRUE(std::holds_alternative<bool>(*back.find("flag")));
  EXPECT_TRUE(std::holds_alternative<std::int64_t>(*back.find("one")));
  EXPECT_TRUE(std::holds_alternative<double>(*back.find("real")));
  EXPECT_TRUE(std::holds_alternative<std::string>(*back.find("text")));
  EXPECT_EQ(back.entries().front().first, "flag");
}

TEST(TrialCodec, KeepsWhatIsNotFinite) {
  EvaluatedReply m;
  m.report.outcome =
      search::Measured{{{{"time", {std::numeric_limits<double>::infinity(), std::nan("")}}}, {}}};
  const auto back = decode<EvaluatedReply>(encode(m));
  const auto& values =
      std::get<search::Measured>(back.report.outcome).measurement.figures.at(0).values;
  EXPECT_TRUE(std::isinf(values.at(0)));
  EXPECT_TRUE(std::isnan(values.at(1)));
}

TEST(TrialCodec, ParsesExpressionsAnew) {
  ConfigureRequest m;
  m.problem.constraints.push_back(search::Expression::parse("x * 2 == 8"));
  const auto back = decode<ConfigureRequest>(encode(m));
  const search::Value four = std::int64_t{4};
  EXPECT_TRUE(back.problem.constraints.at(0).holds([&](std::string_view) { return &four; }));
}

TEST(TrialCodec, RefusesWhatIsNoExpression) {
  ConfigureRequest m;
  m.problem.constraints.push_back(search::Expression::parse("x * 2 == 8"));
  auto bytes = encode(m);
  const std::string_view text = "x * 2 == 8";
  const auto at = std::search(bytes.begin(), bytes.end(), text.begin(), text.end(),
                              [](std::byte b, char c) { return b == static_cast<std::byte>(c); });
  ASSERT_NE(at, bytes.end());
  *at = static_cast<std::byte>('*');
  EXPECT_THAT(error_of<ConfigureRequest>(bytes), HasSubstr("no expression: '* * 2 == 8'"));
}

TEST(TrialCodec, RefusesAnEnumeratorOutOfRange) {
  auto bytes = encode(BuildRequest{});
  bytes[0] = std::byte{2};
  EXPECT_THAT(error_of<BuildRequest>(bytes), HasSubstr("enumerator"));
}

// Where the bytes of two messages differ that differ in their target alone.
std::size_t place_of_target(ConfigureRequest request) {
  request.problem.target = search::Target::kCores;
  const auto cores = encode(request);
  request.problem.target = search::Target::kGpus;
  const auto gpus = encode(request);
  return static_cast<std::size_t>(std::mismatch(cores.begin(), cores.end(), gpus.begin()).first -
                                  cores.begin());
}

TEST(TrialCodec, CarriesWhereAProblemRuns) {
  ConfigureRequest request;
  request.problem.backend = search::CommandBackend{};
  for (const auto target : {search::Target::kCores, search::Target::kGpus}) {
    request.problem.target = target;
    EXPECT_EQ(decode<ConfigureRequest>(encode(request)).problem.target, target);
  }
  auto bytes = encode(request);
  bytes[place_of_target(request)] = std::byte{3};
  EXPECT_THAT(error_of<ConfigureRequest>(bytes), HasSubstr("enumerator"));
}

TEST(TrialCodec, RefusesABackendThatCannotRunOnItsTarget) {
  using search::Target;
  for (const search::Backend& backend :
       {search::Backend(search::HostBackend{}), search::Backend(search::CommandBackend{}),
        search::Backend(search::RecordedBackend{}), search::Backend(search::CudaBackend{})}) {
    for (const Target target : {Target::kCores, Target::kGpus, Target::kRecording}) {
      ConfigureRequest request;
      request.problem.backend = backend;
      request.problem.target = target;
      EXPECT_EQ(decodes<ConfigureRequest>(encode(request)), search::can_run_on(backend, target))
          << search::name_of(backend) << " on " << search::name_of(target);
    }
  }
}

TEST(TrialCodec, RefusesAnAlternativeThatDoesNotExist) {
  auto bytes = encode(EvaluatedReply{});
  bytes[0] = std::byte{8};
  EXPECT_THAT(error_of<EvaluatedReply>(bytes), HasSubstr("alternative"));
}

TEST(TrialCodec, RefusesACountBeyondTheMessageBeforeMakingRoomForIt) {
  auto bytes = encode(ConfiguredReply{"abcd"});
  const std::uint32_t count = 0xffffffff;
  std::memcpy(bytes.data(), &count, sizeof count);
  EXPECT_THAT(error_of<ConfiguredReply>(bytes), HasSubstr("too early"));
}

TEST(TrialCodec, RefusesAnotherFormatOfTheFirstMessage) {
  auto bytes = encode(ConfigureRequest{});
  bytes[0] ^= std::byte{0x40};
  EXPECT_THAT(error_of<ConfigureRequest>(bytes), HasSubstr("build both from the same version"));
}

}  // namespace
}  // namespace nightshift::ipc
