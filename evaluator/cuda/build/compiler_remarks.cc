#include "evaluator/cuda/build/compiler_remarks.h"

#include <algorithm>
#include <cstddef>

namespace nightshift::evaluator::cuda {
namespace {

// "ptxas info    : (C7511) Potential Performance Loss: wgmma.mma_async instructions are ..."
constexpr std::string_view kMark = "Potential Performance Loss:";
constexpr std::size_t kMostBytes = 1024;

// Printable, with one space where there are several.
std::string plain(std::string_view words) {
  std::string text;
  for (const char c : words) {
    const bool is_space = c == ' ' || c == '\t' || c == '\r';
    if (is_space && (text.empty() || text.back() == ' ')) continue;
    if (is_space || (c > ' ' && c <= '~')) text += is_space ? ' ' : c;
  }
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

// "(C7511)" before the mark, or nothing.
std::string_view number_before(std::string_view line) {
  const std::size_t begin = line.rfind('(');
  const std::size_t end = line.rfind(')');
  if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) return {};
  return line.substr(begin, end + 1 - begin);
}

}  // namespace

std::string performance_remarks(std::string_view output) {
  std::string remarks;
  while (!output.empty()) {
    const std::size_t end = std::min(output.find('\n'), output.size());
    const std::string_view line = output.substr(0, end);
    output.remove_prefix(std::min(end + 1, output.size()));
    const std::size_t mark = line.find(kMark);
    if (mark == std::string_view::npos) continue;
    std::string remark = plain(line.substr(mark + kMark.size()));
    const std::string number = plain(number_before(line.substr(0, mark)));
    if (!number.empty()) remark += (remark.empty() ? "" : " ") + number;
    if (remark.empty() || remarks.find(remark) != std::string::npos) continue;
    remarks += (remarks.empty() ? "" : "; ") + remark;
  }
  return remarks.substr(0, kMostBytes);
}

}  // namespace nightshift::evaluator::cuda
