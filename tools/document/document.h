#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tools/text/format.h"
#include "tools/text/svg_chart.h"
#include "tools/text/svg_heat_map.h"
#include "tools/text/svg_timeline.h"

namespace nightshift::tools {

// What a report tells, whatever it is written as: to_text(), to_html() and to_markdown() of
// document_writers.h write it. Texts may be of any origin. Blocks that have nothing to tell are
// written by none.

struct Paragraph {
  std::string text;
};
// A name and what is known of it in each row.
struct Facts {
  Rows rows;
};
// A name, or none, and a sentence about it in each row.
struct Sentences {
  Rows rows;
  bool code = false;  // to be copied, and no sentences
};
// The first row has the headings.
struct Table {
  Rows rows;
  std::string mark = {};                          // rows with it as their last cell stand out
  std::map<std::string, std::string> links = {};  // first cells and paths beside the page
  std::size_t told = 0;  // last columns of sentences: text writes them below their rows
};
// Lines as they are.
struct Verbatim {
  std::string text;
};
// What can be done next: a command and what it does in each row.
struct Commands {
  Rows rows;
};

struct LineChart {
  ChartAxes axes;
  std::vector<ChartSeries> series;
};
struct Histogram {
  ChartAxes axes;
  std::vector<double> values;
  std::size_t bins = 24;
};
struct BoxChart {
  ChartAxes axes;
  std::vector<ChartBox> boxes;
  ChartSpan span;
};
struct BarChart {
  ChartAxes axes;
  std::vector<ChartBar> bars;
};
using Chart = std::variant<LineChart, Histogram, BoxChart, Timeline, HeatMap, BarChart>;
// Charts beside each other.
struct Charts {
  std::vector<Chart> charts;
  std::string lines = {};    // what stands for them where nothing can be drawn
  std::string caption = {};  // where they are drawn
  Rows beside = {};          // facts, where there is room
};

struct Block;
// What a reader looks for first is open; Markdown folds away the rest.
enum class Fold : std::uint8_t { kFolded, kOpen, kOpenUntitled };
struct Section {
  std::string title;
  std::vector<Block> blocks;
  Fold in_markdown = Fold::kFolded;
  bool in_text = true;  // false: too long for a terminal
};

struct Block
    : std::variant<Paragraph, Facts, Sentences, Table, Verbatim, Commands, Charts, Section> {
  using variant::variant;
};

enum class Mood : std::uint8_t { kPlain, kGood, kBad };
struct Document {
  std::string title;    // "Report of the batch night"
  std::string subject;  // in Markdown instead of the title; empty: the title
  std::string verdict;  // in a line
  Mood mood = Mood::kPlain;
  // Somebody has just asked in a terminal: text begins with the verdict and leaves out the title.
  bool is_answer = false;
  std::vector<Block> blocks = {};
};

bool is_empty(const Block& block);
// "TITLE: VERDICT".
std::string heading_of(const std::string& title, const std::string& verdict);
// Rows below a heading; none where there is none.
Rows with_heading(std::vector<std::string> heading, Rows rows);

}  // namespace nightshift::tools
