#include "scheduler/nodes/base64.h"

#include <gtest/gtest.h>

#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace nightshift::scheduler {
namespace {

std::vector<std::byte> bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

TEST(Base64, KnownAnswers) {  // RFC 4648, section 10
  for (const auto& [plain, text] :
       {std::pair("", ""), std::pair("f", "Zg=="), std::pair("fo", "Zm8="),
        std::pair("foo", "Zm9v"), std::pair("foobar", "Zm9vYmFy")}) {
    EXPECT_EQ(to_base64(bytes_of(plain)), text);
    EXPECT_EQ(from_base64(text), bytes_of(plain));
  }
  for (const char* wrong : {"Z", "Zg=", "Zh==", "Zg==Zg==", "Zm9 ", "====", "Z==="}) {
    EXPECT_EQ(from_base64(wrong), std::nullopt) << wrong;
  }
}

}  // namespace
}  // namespace nightshift::scheduler
