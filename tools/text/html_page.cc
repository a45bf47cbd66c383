#include "tools/text/html_page.h"

#include <fmt/format.h>

#include <cctype>
#include <cstddef>
#include <span>

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
.beside{display:flex;flex-wrap:wrap;gap:16px 28px;align-items:flex-start}
.scroll{overflow-x:auto;max-width:100%;margin:.5em 0}
table{border-collapse:collapse;font-size:.92em;font-variant-numeric:tabular-nums}
th,td{text-align:left;vertical-align:top;padding:3px 14px 3px 0;border-bottom:1px solid var(--grid);
overflow-wrap:normal}
th,td.short{white-space:nowrap}
td.long{min-width:20ch;max-width:52ch;overflow-wrap:anywhere}
th{color:var(--soft);font-weight:600}
tr.mark td{font-weight:600;color:var(--blue)}
svg{display:block;width:100%;max-width:540px;height:auto;flex:1 1 min(400px,100%);fill:var(--ink)}
svg.wide{max-width:100%}
.narrow{display:none}
a{color:var(--blue)}
@media screen and (max-width:640px){body{margin:12px auto;padding:0 10px}table{font-size:.82em}
th,td{padding-right:8px}th,td.short{white-space:normal}td.long{min-width:12ch}
svg.wide{display:none}.narrow{display:block}}
@media print{body{margin:0;max-width:none;font-size:11px}h2{break-after:avoid}svg,tr{break-inside:avoid}}
)";

std::string heading_row(const std::vector<std::string>& row) {
  std::string text;
  for (const std::string& cell : row) text += "<th>" + html_text(cell) + "</th>";
  return text;
}

// Short cells stay in one line; long ones break, within a word where there is no other way.
std::string cells(std::span<const std::string> row, const HtmlLinks& links = {}) {
  constexpr std::size_t kShort = 26;
  std::string text;
  for (std::size_t i = 0; i < row.size(); ++i) {
    text += width_of(row[i]) <= kShort ? "<td class=\"short\">" : "<td class=\"long\">";
    const auto link = i == 0 ? links.find(row[i]) : links.end();
    text += link == links.end() ? html_text(row[i]) : html_link(row[i], link->second);
    text += "</td>";
  }
  return text;
}

}  // namespace

std::string html_text(std::string_view text) { return escaped_text(one_line(text)); }

std::string html_block(std::string_view text) { return escaped_text(block(text, 0)); }

std::string html_page(std::string_view title, const std::string& body) {
  const std::string shown = html_text(title);
  return "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>" +
         shown + "</title>\n<style>" + kStyle + "</style></head>\n<body>\n<h1>" + shown +
         "</h1>\n" + body + "</body></html>\n";
}

std::string html_section(std::string_view title, const std::string& body) {
  return body.empty() ? "" : "<h2>" + html_text(title) + "</h2>\n" + body;
}

std::string html_paragraph(std::string_view text) {
  return text.empty() ? "" : "<p>" + html_text(text) + "</p>\n";
}

// Of a URL's path only what stands for itself in one stays as it is.
std::string html_link(std::string_view text, std::string_view path) {
  constexpr std::string_view kPlain = "-._~/";
  std::string target;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = std::isalnum(byte) != 0 || kPlain.find(c) != std::string_view::npos;
    target += plain && byte < 0x80 ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return "<a href=\"" + target + "\">" + html_text(text) + "</a>";
}

std::string html_table(const std::vector<std::vector<std::string>>& rows, std::string_view mark,
                       const HtmlLinks& links) {
  if (rows.size() < 2) return "";
  std::string text =
      "<div class=\"scroll\"><table>\n<thead><tr>" + heading_row(rows.front()) + "</tr></thead>\n";
  text += "<tbody>\n";
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const bool marked = !mark.empty() && !rows[i].empty() && rows[i].back() == mark;
    text += (marked ? "<tr class=\"mark\">" : "<tr>") + cells(rows[i], links) + "</tr>\n";
  }
  return text + "</tbody></table></div>\n";
}

std::string html_facts(const std::vector<std::vector<std::string>>& rows) {
  if (rows.empty()) return "";
  std::string text = "<div class=\"scroll\"><table>\n";
  for (const std::vector<std::string>& row : rows) {
    if (row.empty()) continue;
    text += "<tr><th>" + html_text(row.front()) + "</th>" + cells(std::span(row).subspan(1)) +
            "</tr>\n";
  }
  return text + "</table></div>\n";
}

std::string html_beside(const std::string& body) {
  return body.empty() ? "" : "<div class=\"beside\">\n" + body + "</div>\n";
}

}  // namespace nightshift::tools
