#include "tools/text/junit.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>

#include "tools/text/markup.h"

namespace nightshift::tools {

std::string junit_suite(const std::string& name, const std::vector<JunitCase>& cases,
                        double seconds) {
  constexpr std::array<const char*, 4> kElements = {"", "error", "failure", "skipped"};
  std::array<std::size_t, 4> counts{};
  std::string body;
  for (const JunitCase& one : cases) {
    const auto outcome = static_cast<std::size_t>(one.outcome);
    ++counts[outcome];
    const std::string inner = outcome == 0 ? ""
                                           : fmt::format("<{} message=\"{}\"/>", kElements[outcome],
                                                         html_text(one.message));
    body += fmt::format("  <testcase classname=\"{}\" name=\"{}\">{}</testcase>\n",
                        html_text(one.group), html_text(one.name), inner);
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"{}\" tests=\"{}\" "
      "errors=\"{}\" failures=\"{}\" skipped=\"{}\" time=\"{:.1f}\">\n{}</testsuite>\n",
      html_text(name), cases.size(), counts[1], counts[2], counts[3], seconds, body);
}

}  // namespace nightshift::tools
