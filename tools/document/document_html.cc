#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <span>
#include <variant>

#include "tools/document/document_writers.h"
#include "tools/text/format.h"
#include "tools/text/markup.h"

namespace nightshift::tools {
namespace {

// Every colour has a contrast of at least 4.5 to its ground.
constexpr const char* kStyle = R"(
:root{color-scheme:light dark;--paper:#fff;--ink:#1b1d21;--soft:#5b6168;--grid:#dfe2e6;--box:#f3f5f7;
--blue:#2461a8;--orange:#a84b08;--green:#1d6f3a;--red:#b3261e;--fill:#9dbfe6}
@media screen and (prefers-color-scheme:dark){:root{--paper:#16181c;--ink:#e7e9ec;--soft:#a3a9b1;
--grid:#363a41;--box:#22252b;--blue:#86b6f0;--orange:#f2a765;--green:#74cf93;--red:#ff9188;--fill:#3f6796}}
body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:1120px;
margin:24px auto;padding:0 16px;overflow-wrap:anywhere}
h1{font-size:1.6em;line-height:1.25;margin:.4em 0}
h2{font-size:1.2em;margin:1.8em 0 .5em;border-bottom:1px solid var(--grid);padding-bottom:.2em}
h3{font-size:1em;margin:1.2em 0 .3em}
p{margin:.4em 0;max-width:80ch}
.verdict{font-size:1.15em;font-weight:600}
.good{color:var(--green)}.plain{color:var(--ink)}.bad{color:var(--red)}
.note{color:var(--soft)}
pre{background:var(--box);padding:12px;overflow-x:auto;overflow-wrap:normal}
pre.steps{white-space:pre-wrap}
.beside{display:flex;flex-wrap:wrap;gap:16px 28px;align-items:flex-start;margin:.8em 0}
.scroll{overflow-x:auto;max-width:100%;margin:.5em 0}
table{border-collapse:collapse;font-size:.92em;font-variant-numeric:tabular-nums}
th,td{text-align:left;vertical-align:top;padding:3px 14px 3px 0;border-bottom:1px solid var(--grid);
overflow-wrap:normal}
th,td.short{white-space:nowrap}
td.long{min-width:20ch;max-width:52ch;overflow-wrap:anywhere}
th{color:var(--soft);font-weight:600}
.count{text-align:right;white-space:nowrap}
.bar{display:block;height:.7em;margin-top:.35em;background:var(--fill);width:calc(var(--length)*1ch)}
tr.mark td{font-weight:600;color:var(--blue)}
svg{display:block;width:100%;max-width:540px;height:auto;flex:1 1 min(400px,100%);fill:var(--ink)}
svg.wide{max-width:100%}
.narrow{display:none}
a{color:var(--blue)}
@media screen and (max-width:640px){body{margin:12px auto;padding:0 10px}table{font-size:.82em}
th,td{padding-right:8px}th,td.short{white-space:normal}td.long{min-width:12ch}
svg.wide{display:none}.narrow{display:block}.bar{width:calc(var(--length)*.4ch)}}
@media print{body{margin:0;max-width:none;font-size:11px}h2{break-after:avoid}svg,tr{break-inside:avoid}}
)";

// Of a URL's path only what stands for itself in one stays as it is.
std::string link_to(std::string_view path, std::string_view text) {
  constexpr std::string_view kPlain = "-._~/";
  std::string target;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = std::isalnum(byte) != 0 || kPlain.find(c) != std::string_view::npos;
    target += plain && byte < 0x80 ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return "<a href=\"" + target + "\">" + html_text(text) + "</a>";
}

std::string beside(const std::string& body) {
  return body.empty() ? "" : "<div class=\"beside\">\n" + body + "</div>\n";
}

// 1,234
bool is_count(const std::string& cell) {
  return !cell.empty() && cell.find_first_not_of("0123456789,") == std::string::npos;
}

// Of text_bar(), which stands below no heading.
bool is_bar(const std::string& heading, const std::string& cell) {
  return heading.empty() && !cell.empty() && cell.find_first_not_of('#') == std::string::npos;
}

// Columns of counts are aligned by their last digit.
std::vector<bool> count_columns(const Rows& rows) {
  std::vector<bool> counts(rows.front().size(), true);
  for (std::size_t c = 0; c < counts.size(); ++c) {
    counts[c] = std::all_of(rows.begin() + 1, rows.end(),
                            [c](const auto& row) { return c < row.size() && is_count(row[c]); });
  }
  return counts;
}

std::string drawn_bar(const std::string& bar) {
  return fmt::format("<td><span class=\"bar\" style=\"--length:{}\"></span></td>", bar.size());
}

// Short cells stay in one line; long ones break, within a word where there is no other way.
std::string cell_of(const std::string& cell, bool is_count = false) {
  constexpr std::size_t kShort = 26;
  const char* form = is_count ? "count" : width_of(cell) <= kShort ? "short" : "long";
  return fmt::format("<td class=\"{}\">{}</td>", form, html_text(cell));
}

std::string draw(const LineChart& c) { return svg_chart(c.axes, c.series); }
std::string draw(const Histogram& c) { return svg_histogram(c.axes, c.values, c.bins); }
std::string draw(const BoxChart& c) { return svg_boxes(c.axes, c.boxes, c.span); }
std::string draw(const BarChart& c) { return svg_bars(c.axes, c.bars); }
std::string draw(const Timeline& c) { return svg_timeline(c); }
std::string draw(const HeatMap& c) { return svg_heat_map(c); }

class HtmlWriter {
 public:
  explicit HtmlWriter(int level) : level_(level) {}

  std::string operator()(const Paragraph& p) const { return "<p>" + html_text(p.text) + "</p>\n"; }
  std::string operator()(const Sentences& s) const { return facts(s.rows, s.code); }
  std::string operator()(const Facts& f) const { return facts(f.rows, false); }
  std::string operator()(const Verbatim& l) const {
    return "<pre>" + html_block(l.text) + "</pre>\n";
  }

  std::string operator()(const Commands& c) const {
    std::string lines;
    for (const std::vector<std::string>& row : c.rows) {
      lines += "# " + row[1] + "\n" + row[0] + "\n";
    }
    return "<pre class=\"steps\">" + html_block(lines) + "</pre>\n";
  }

  std::string operator()(const Charts& c) const {
    std::string body;
    bool is_wide = false;
    for (const Chart& chart : c.charts) {
      body += std::visit([](const auto& one) { return draw(one); }, chart);
      is_wide = is_wide || std::holds_alternative<Timeline>(chart) ||
                std::holds_alternative<HeatMap>(chart);
    }
    if (!c.beside.empty()) body += facts(c.beside, false);
    const std::string caption = c.caption.empty() ? "" : (*this)(Paragraph{c.caption});
    return caption + (is_wide ? body : beside(body));
  }

  std::string operator()(const Table& t) const {
    const std::vector<bool> counts = count_columns(t.rows);
    std::string text = "<div class=\"scroll\"><table>\n<thead><tr>";
    for (std::size_t c = 0; c < counts.size(); ++c) {
      text += (counts[c] ? "<th class=\"count\">" : "<th>") + html_text(t.rows[0][c]) + "</th>";
    }
    text += "</tr></thead>\n<tbody>\n";
    for (std::size_t r = 1; r < t.rows.size(); ++r) text += row_of(t, t.rows[r], counts);
    return text + "</tbody></table></div>\n";
  }

  std::string operator()(const Section& s) const {
    const std::string body = HtmlWriter(level_ + 1).all(s.blocks);
    return body.empty() ? ""
                        : fmt::format("<h{0}>{1}</h{0}>\n{2}", level_, html_text(s.title), body);
  }

  std::string all(const std::vector<Block>& blocks) const {
    std::string body;
    for (const Block& block : blocks) {
      if (!is_empty(block)) body += std::visit(*this, block);
    }
    return body;
  }

 private:
  static std::string row_of(const Table& t, const std::vector<std::string>& row,
                            const std::vector<bool>& counts) {
    const bool is_marked = !t.mark.empty() && !row.empty() && row.back() == t.mark;
    std::string text = is_marked ? "<tr class=\"mark\">" : "<tr>";
    for (std::size_t c = 0; c < row.size(); ++c) {
      const auto link = c == 0 ? t.links.find(row[c]) : t.links.end();
      const bool has_heading = c < counts.size();
      if (link != t.links.end()) {
        text += "<td>" + link_to(link->second, row[c]) + "</td>";
      } else if (has_heading && is_bar(t.rows[0][c], row[c])) {
        text += drawn_bar(row[c]);
      } else {
        text += cell_of(row[c], has_heading && counts[c]);
      }
    }
    return text + "</tr>\n";
  }

  static std::string facts(const Rows& rows, bool code) {
    std::string text = "<div class=\"scroll\"><table>\n";
    for (const std::vector<std::string>& row : rows) {
      text += "<tr><th>" + html_text(row.front()) + "</th>";
      for (std::size_t c = 1; c < row.size(); ++c) {
        text += code ? "<td class=\"long\"><code>" + html_text(row[c]) + "</code></td>"
                     : cell_of(row[c]);
      }
      text += "</tr>\n";
    }
    return text + "</table></div>\n";
  }

  int level_;
};

}  // namespace

std::string to_html(const Document& document) {
  constexpr std::array kMoods = {"plain", "good", "bad"};
  const std::string title = html_text(document.title);
  std::string head =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>" +
      title + "</title>\n<style>" + kStyle + "</style></head>\n<body>\n<h1>" + title + "</h1>\n";
  if (!document.verdict.empty()) {
    head +=
        fmt::format("<p class=\"verdict {}\">{}</p>\n",
                    kMoods[static_cast<std::size_t>(document.mood)], html_text(document.verdict));
  }
  return head + HtmlWriter(2).all(document.blocks) + "</body></html>\n";
}

}  // namespace nightshift::tools
