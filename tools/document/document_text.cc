#include <algorithm>
#include <variant>

#include "tools/document/document_writers.h"
#include "tools/text/format.h"

namespace nightshift::tools {
namespace {

Rows lines_of(const Rows& rows) {
  Rows clean = rows;
  for (std::vector<std::string>& row : clean) std::ranges::transform(row, row.begin(), one_line);
  return clean;
}

// Rows of a table with the sentences of its last columns below each.
std::string told_table(Rows rows, std::size_t told, std::size_t indent) {
  Rows sentences;
  for (std::vector<std::string>& row : rows) {
    const auto first = row.end() - static_cast<std::ptrdiff_t>(std::min(told, row.size()));
    sentences.emplace_back(first, row.end());
    row.erase(first, row.end());
  }
  const std::string lines = table(rows, indent);
  std::string text;
  for (std::size_t r = 0, at = 0; r < rows.size(); ++r) {
    const std::size_t end = lines.find('\n', at) + 1;
    text += lines.substr(at, end - at);
    at = end;
    if (r == 0) continue;  // headings
    for (const std::string& sentence : sentences[r]) text += paragraph(sentence, indent + 2);
  }
  return text;
}

// Without blanks in empty lines.
std::string indented(const std::string& lines, std::size_t indent) {
  std::string text;
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', at), lines.size());
    if (end > at) text += block(lines.substr(at, end - at), indent);
    if (end == at) text += "\n";
    at = end + 1;
  }
  return text;
}

class TextWriter {
 public:
  explicit TextWriter(std::size_t indent) : TextWriter(indent, indent) {}
  TextWriter(std::size_t indent, std::size_t of_titles) : indent_(indent), titles_(of_titles) {}

  std::string operator()(const Paragraph& p) const { return paragraph(one_line(p.text), indent_); }
  std::string operator()(const Facts& f) const { return table(lines_of(f.rows), indent_); }
  std::string operator()(const Commands& c) const { return table(c.rows, indent_); }
  std::string operator()(const Verbatim& l) const { return indented(l.text, indent_); }
  std::string operator()(const Charts& c) const {
    return (c.lines.empty() ? "" : "\n" + indented(c.lines, indent_)) +
           table(lines_of(c.beside), indent_);
  }
  std::string operator()(const Table& t) const {
    return told_table(lines_of(t.rows), t.told, indent_);
  }
  std::string operator()(const Sentences& s) const {
    std::string text;
    for (const auto& row : lines_of(s.rows)) text += paragraph(heading_of(row[0], row[1]), indent_);
    return text;
  }
  std::string operator()(const Section& s) const {
    std::string body = s.in_text ? TextWriter(titles_ + 2).all(s.blocks) : "";
    if (body.empty()) return "";  // charts that nothing stands for
    if (body.starts_with('\n')) body.erase(0, 1);
    return "\n" + std::string(titles_, ' ') + one_line(s.title) + "\n" + body;
  }

  // What stands behind a section is set off from it.
  std::string all(const std::vector<Block>& blocks) const {
    std::string text;
    bool was_section = false;
    for (const Block& block : blocks) {
      const std::string one = is_empty(block) ? "" : std::visit(*this, block);
      const bool is_section = std::holds_alternative<Section>(block);
      if (one.empty()) continue;
      text += (was_section && !is_section ? "\n" : "") + one;
      was_section = is_section;
    }
    return text;
  }

 private:
  std::size_t indent_, titles_;
};

}  // namespace

std::string to_text(const std::vector<Block>& blocks, std::size_t indent) {
  return TextWriter(indent).all(blocks);
}

std::string to_text(const Document& document) {
  const std::string title = document.is_answer ? "" : document.title;
  const std::string head = one_line(heading_of(title, document.verdict));
  const std::string text =
      (head.empty() ? "" : head + "\n") + TextWriter(2, 0).all(document.blocks);
  return text.starts_with('\n') ? text.substr(1) : text;
}

}  // namespace nightshift::tools
