#include <algorithm>
#include <cstddef>
#include <variant>

#include "tools/document/document_writers.h"
#include "tools/text/format.h"
#include "tools/text/markdown.h"
#include "tools/text/markup.h"

namespace nightshift::tools {
namespace {

std::string row_of(const std::vector<std::string>& cells, std::size_t columns) {
  std::string line = "|";
  for (std::size_t c = 0; c < columns; ++c) {
    line += " " + (c < cells.size() ? markdown_text(cells[c]) : "") + " |";
  }
  return line + "\n";
}

// The first row has the headings.
std::string table_of(const Rows& rows) {
  std::size_t columns = 0;
  for (const std::vector<std::string>& row : rows) columns = std::max(columns, row.size());
  std::string text = row_of(rows.front(), columns) + "|";
  for (std::size_t c = 0; c < columns; ++c) text += "---|";
  text += "\n";
  for (std::size_t r = 1; r < rows.size(); ++r) text += row_of(rows[r], columns);
  return text;
}

std::string all_of(const std::vector<Block>& blocks);

struct MarkdownWriter {
  std::string operator()(const Paragraph& p) const { return markdown_text(p.text) + "\n"; }
  std::string operator()(const Facts& f) const {
    return f.rows.empty() ? "" : table_of(with_heading({""}, f.rows));
  }
  std::string operator()(const Table& t) const { return table_of(t.rows); }
  std::string operator()(const Verbatim& l) const { return markdown_block(l.text); }
  std::string operator()(const Commands& c) const {
    std::string text;
    for (const std::vector<std::string>& row : c.rows) {
      text += "- " + markdown_text(row[1]) + ": " + markdown_text(row[0]) + "\n";
    }
    return text;
  }
  std::string operator()(const Charts& c) const {
    return markdown_block(c.lines) + (*this)(Facts{c.beside});
  }
  std::string operator()(const Sentences& s) const {
    std::string text;
    for (const std::vector<std::string>& row : s.rows) {
      text += "- " + (row[0].empty() ? "" : markdown_text(row[0]) + ": ") +
              (s.code ? markdown_code(row[1]) : markdown_text(row[1])) + "\n";
    }
    return text;
  }
  // Markdown goes on within the element behind an empty line.
  std::string operator()(const Section& s) const {
    std::string body = all_of(s.blocks);
    if (s.in_markdown == Fold::kOpenUntitled || body.empty()) return body;
    if (s.in_markdown == Fold::kOpen) return "#### " + markdown_text(s.title) + "\n\n" + body;
    return "<details><summary>" + escaped_text(one_line(s.title)) + "</summary>\n\n" + body +
           "\n</details>\n";
  }
};

// With an empty line between them.
std::string all_of(const std::vector<Block>& blocks) {
  std::string text;
  for (const Block& block : blocks) {
    const std::string one = is_empty(block) ? "" : std::visit(MarkdownWriter{}, block);
    if (!one.empty()) text += (text.empty() ? "" : "\n") + one;
  }
  return text;
}

}  // namespace

std::string to_markdown(const Document& document) {
  const std::string& subject = document.subject.empty() ? document.title : document.subject;
  return "### " + markdown_text(heading_of(subject, document.verdict)) + "\n\n" +
         all_of(document.blocks);
}

}  // namespace nightshift::tools
