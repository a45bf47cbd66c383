#include "tools/table/table.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/file_text.h"
#include "base/quantity.h"
#include "base/text.h"
#include "tools/batch/looked_at.h"
#include "tools/cli/command.h"
#include "tools/cli/shared_options.h"
#include "tools/document/document_writers.h"
#include "tools/output_file.h"
#include "tools/table/table_kernels.h"
#include "tools/table/table_kinds.h"
#include "tools/table/table_recheck.h"
#include "tools/table/table_report.h"
#include "tools/text/page.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

constexpr const char* kEpilogue = R"(
BATCH is a batch whose studies have shapes (`shapes` of a batch file, or `each` over sizes), by its folder or its
name in batches/. Best configurations of all its studies are measured on all shapes, in blocks with the
default at both ends; a few of them are kept; each shape's choice is asked, on new pairs, whether it is no
worse than the default, and the whole table is held out against the default on pairs that are new again. What
cannot be shown keeps the default. What is measured is kept: the same command goes on after a kill, and measures only
what is new. BATCH/table/table.json has the result, with --problem NAME BATCH/table-NAME/table.json, which --format and --look-up
read without measuring. --recheck measures the rows of that table that have another configuration than the
default against it once more, and leaves the table as it is.

Exit codes, the first that applies: 7 interrupted; 6 ended as no device was left; 75 the budget was used up
before all was asked; 4 no table, as the default failed or was not measured on any shape; 0 the table is better than the
default; 3 every shape keeps the default; others as in `nightshift --help`. Of --recheck: 7, 6; 4 a row is broken;
11 one is worse; 75 one is undecided or was not reached; 3 there is none; 0 all hold.

Examples:
  nightshift table gemm --budget 20m --html gemm.html
  nightshift table gemm --look-up M=3000,N=4096
  nightshift table gemm --format header --output gemm_table.h
  nightshift table gemm --recheck)";

// "OLD=NEW" with commas.
ValueForm<std::vector<std::pair<std::string, std::string>>> names_form() {
  using Names = std::vector<std::pair<std::string, std::string>>;
  return {[](const std::string& text) -> std::optional<Names> {
            Names names;
            std::string_view rest = text;
            while (!rest.empty()) {
              const std::string one(rest.substr(0, rest.find(',')));
              rest.remove_prefix(std::min(rest.size(), one.size() + 1));
              const std::size_t equals = one.find('=');
              if (equals == 0 || equals == std::string::npos || equals + 1 == one.size())
                return std::nullopt;
              names.emplace_back(one.substr(0, equals), one.substr(equals + 1));
            }
            return names;
          },
          "names such as BLOCK_M=BLOCK_SIZE_M,WARPS=num_warps"};
}

void declare_choosing(ArgumentParser& parser, TableAsked& o) {
  parser.option("--candidates N", o.candidates, whole_number<std::size_t>(1, 64),
                "Configurations that are measured on every shape (12)");
  parser.option("--most N", o.most, whole_number<std::size_t>(1, 64),
                "Configurations that are kept at most (8)");
  parser.option("--k N", o.k, whole_number<std::size_t>(1, 64),
                "Keep so many, where they bring anything (as few as lose no more than a third of "
                "the slack)");
  parser.option("--slack SHARE", o.slack, share(0, 0.99, "a share such as 3% or 0.03"),
                "What a shape may lose to the best of all candidates (3%)");
  parser.option("--margin SHARE", o.margin, share(0, 0.99, "a share such as 3% or 0.03"),
                "Worse than the default by less than this is no worse (1%)");
  parser.option("--blocks N", o.blocks, whole_number<int>(2, 100),
                "Evaluations of each candidate on each shape (3)");
  parser.option("--pairs N", o.pairs, whole_number<int>(8, 1024),
                "Pairs of a shape's choice and the default, at most (32)");
  parser.option("--unseen N", o.unseen, whole_number<std::size_t>(0, 1000),
                "Measure the answers for so many shapes that nobody tuned as well (0)");
  parser.option("--hold-out-pairs N", o.hold_out_pairs, whole_number<int>(4, 1024),
                "Pairs of each shape in the hold-out of the table (8)");
}

// What reads a table that there is.
void declare_written(ArgumentParser& parser, TableOptions& o) {
  parser.option("--look-up SIZES", o.look_up,
                "Say which row a call gets and why: M=3000,N=4096; measures nothing");
  std::vector<std::pair<std::string, const TableFormat*>> words;
  std::string help;
  for (const TableFormat& format : table_formats()) {
    words.emplace_back(format.name, &format);
    help += (help.empty() ? "" : "; ") + std::string(format.name) + ": " + std::string(format.what);
  }
  parser.option("--format NAME", o.format, one_of(words),
                "Write the table in a form for programs; measures nothing. " + help);
  parser.option("--output FILE", o.output,
                "File to write it to (standard output); of vllm a folder");
  parser.option("--names OLD=NEW,...", o.names, names_form(),
                "Other names of parameters and sizes for --format");
  add_architecture(parser, o.architecture, "Of cubin: ");
}

void declare_kinds(ArgumentParser& parser, TableOptions& o) {
  parser.flag("--kinds", o.kinds,
              "A table for each kind of device at hand, and one file of all of them");
  parser.repeatable(
      "--join FILE", [&](const std::vector<std::string>& files) { o.joined = files; },
      "table.json of another kind of device: its configurations are measured here as well, and "
      "both are one table of two kinds");
  parser.check([&] {
    if (!o.kinds && o.joined.empty()) return;
    if (o.recheck) {
      parser.error("--recheck asks one table: name that of a kind, BATCH/table/KIND, to recheck");
    }
    if (o.format != nullptr && o.format->written == nullptr) {
      parser.error("--format cubin: machine code is of one kind; name the table.json of one");
    }
  });
}

void declare(ArgumentParser& parser, TableOptions& o) {
  parser.positional("BATCH", o.asked.batch, "Batch, or a table.json that was written");
  parser.option(
      "--problem NAME", o.asked.family,
      "Of several problems in the batch the one whose studies are called so, or begin so");
  TableDevices::Choice& devices = o.asked.devices;
  add_devices(parser, devices.devices);
  add_nodes(parser, devices.nodes.list, devices.nodes.silence);
  add_wait(parser, devices.wait);
  parser.option(
      "--budget TIME", o.asked.budget,
      ValueForm<double>{[](const std::string& text) { return base::parse_duration(text); },
                        "a time such as 30m, 1h30m or 1d"},
      "Nothing is begun once this has passed (no limit)");
  declare_choosing(parser, o.asked);
  add_confidence(parser, o.asked.overrides,
                 "of a choice that is worse by the margin, and of a table that is no better");
  parser.flag("--anew", o.asked.anew, "Measure all again; what there is goes aside");
  add_seed(parser, o.asked.seed, "Whole number; repeats the order of the evaluations");
  add_set(parser, o.asked.overrides);
  declare_written(parser, o);
  declare_kinds(parser, o);
  parser.flag("--recheck", o.recheck, "Say which rows of the table still hold today, by new pairs");
  add_json(parser, o.json, "Print the result as one JSON object");
  parser.option("--html FILE", o.page, "Write a page to this file as well");
  parser.check([&] {
    if (devices.devices && !devices.nodes.list.empty()) parser.error(kDevicesAndNodes);
    if (o.look_up && o.format != nullptr) {
      parser.error("--look-up and --format: expected one of them");
    }
    if (!o.output.empty() && o.format == nullptr) parser.error("--output is for --format");
    if (!o.names.empty() && o.format == nullptr) parser.error("--names is for --format");
    if (o.recheck && (o.look_up || o.format != nullptr)) {
      parser.error("--recheck measures; --look-up and --format do not");
    }
    const bool is_code = o.format != nullptr && o.format->written == nullptr;
    if (is_code && o.output.empty()) {
      parser.error("--format cubin: expected the file to write as --output");
    }
    if (is_code && !o.names.empty()) {
      parser.error("--names: machine code has the names of its sources");
    }
    if (o.architecture && !is_code) parser.error("--architecture is for --format cubin");
  });
}

// A table, or of `kinds` that of all kinds, of a batch or by its file.
std::string written_file(const TableAsked& asked, bool kinds) {
  const std::string& word = asked.batch;
  std::error_code ignored;
  if (std::filesystem::is_regular_file(word, ignored)) return word;
  std::string file;
  for (const LookedAt& found : looked_at_or_named(word)) {
    if (!found.is_batch || !file.empty()) continue;
    file = kinds ? kinds_file(found.folder, asked.family) : table_file(found.folder, asked.family);
  }
  if (file.empty()) {
    throw UsageError(word +
                     ": expected a batch, by its folder or its name in batches/, or a table.json");
  }
  if (!std::filesystem::is_regular_file(file, ignored)) {
    const std::string of = asked.family.empty() ? "" : " --problem " + asked.family;
    throw UsageError(word + " has no table yet; `nightshift table " + word + of +
                     (kinds ? " --kinds" : "") + "` makes one");
  }
  return file;
}

TableDocument written_table(const TableAsked& asked) {
  const std::string file = written_file(asked, false);
  return read_table_document(base::read_whole_file(file), file);
}

// Where several kinds are asked for; nullopt: one table is.
std::optional<KindsDocument> written_kinds(const TableOptions& options) {
  const std::string file = written_file(options.asked, options.kinds);
  const std::string text = base::read_whole_file(file);
  if (is_kinds_document(text)) {
    if (options.joined.empty()) return read_kinds_document(text, file);
    throw UsageError(file + " has several kinds already: name the table.json of each");
  }
  if (options.kinds) return read_kinds_document(text, file);  // which says what it is
  if (options.joined.empty()) return std::nullopt;
  std::vector<TableDocument> tables = {read_table_document(text, file)};
  std::vector<std::string> files = {file};
  for (JoinedTable& one : read_joined(options.joined)) {
    tables.push_back(std::move(one.table));
    files.push_back(one.file);
  }
  return joined_kinds(std::move(tables), files);
}

// "M=3000,N=4096" in the order of the table's names.
search::Sizes asked_sizes(const std::string& text, const std::vector<std::string>& names) {
  search::Sizes sizes;
  const std::string expected = "--look-up " + text + ": expected each of " +
                               base::list_of(names, "and") + " once, as NAME=SIZE with commas";
  std::vector<std::pair<std::string, std::string>> given;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view one = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), one.size() + 1));
    const std::size_t equals = one.find('=');
    if (equals == std::string_view::npos) throw UsageError(expected);
    given.emplace_back(base::trimmed(one.substr(0, equals)), base::trimmed(one.substr(equals + 1)));
  }
  for (const std::string& name : names) {
    const auto found = std::ranges::find(given, name, &std::pair<std::string, std::string>::first);
    const auto size = found == given.end() ? std::nullopt : base::parse_count(found->second);
    if (!size || *size == 0 || *size > (std::uint64_t{1} << 53)) throw UsageError(expected);
    sizes.emplace_back(name, static_cast<std::int64_t>(*size));
  }
  if (given.size() != names.size()) throw UsageError(expected);
  return sizes;
}

ExitCode look_up_kinds(const TableOptions& options, const KindsDocument& document) {
  nlohmann::ordered_json kinds = nlohmann::ordered_json::object();
  std::string text;
  for (const TableOfKind& one : document.tables) {
    const search::Sizes sizes = asked_sizes(*options.look_up, one.table.rule.names);
    kinds[one.kind] = look_up_json(one.table, sizes);
    text += one.kind + "\n" + look_up_text(one.table, sizes);
  }
  options.json ? print_json(kinds) : print_page(text);
  return ExitCode::kSuccess;
}

ExitCode look_up(const TableOptions& options) {
  if (const auto kinds = written_kinds(options)) return look_up_kinds(options, *kinds);
  const TableDocument document = written_table(options.asked);
  const search::Sizes sizes = asked_sizes(*options.look_up, document.rule.names);
  if (options.json) {
    print_json(look_up_json(document, sizes));
  } else {
    print_page(look_up_text(document, sizes));
  }
  return ExitCode::kSuccess;
}

std::string kernels_of(const TableOptions& options) {
  const TableAsked& asked = options.asked;
  return table_kernels(written_table(asked),
                       read_table_batch(asked.batch, asked.family, asked.overrides),
                       options.architecture);
}

std::vector<TableFile> files_of(const TableOptions& options, const TableFormat& format) {
  if (format.written == nullptr) return {{"", kernels_of(options)}};
  std::optional<KindsDocument> kinds = written_kinds(options);
  if (!kinds) return format.written(renamed(written_table(options.asked), options.names));
  for (TableOfKind& one : kinds->tables) one.table = renamed(one.table, options.names);
  return format.written_of_kinds(*kinds);
}

ExitCode write(const TableOptions& options, const TableFormat& format) {
  const std::vector<TableFile> files = files_of(options, format);
  const bool is_one = files.size() == 1;
  if (options.output.empty() && !is_one) {
    throw UsageError(std::to_string(files.size()) +
                     " files are to be written; name a folder with --output");
  }
  for (const TableFile& file : files) {
    if (options.output.empty()) {
      std::fputs(file.text.c_str(), stdout);
    } else if (file.name.empty()) {
      write_output(options.output, file.text);
    } else {
      std::error_code failed;
      std::filesystem::create_directories(options.output, failed);
      write_output(options.output + "/" + file.name, file.text);
    }
  }
  return ExitCode::kSuccess;
}

template <class Report, class Json>
ExitCode told(const TableOptions& options, const Report& report, Json json_of_it) {
  const Document document = document_of(report);
  if (options.page) write_output(*options.page, to_html(document));
  if (options.json) {
    print_json(json_of_it(report));
  } else {
    print_page(to_text(document));
  }
  return exit_code_of(report);
}

ExitCode run(const TableOptions& options) {
  if (options.look_up) return look_up(options);
  if (options.format != nullptr) return write(options, *options.format);
  if (options.page) check_output(*options.page);
  if (options.recheck) {
    return told(options, rechecked_table(options.asked),
                [](const TableRecheck& r) { return json_of(r); });
  }
  if (options.kinds || !options.joined.empty()) {
    const KindsReport report =
        made_kinds(options.asked, options.kinds, read_joined(options.joined));
    return told(options, report, [](const KindsReport& r) { return kinds_report_json(r); });
  }
  const TableReport report = made_table(options.asked);
  return told(options, report, [](const TableReport& r) { return table_report_json(r); });
}

}  // namespace

Command table_command() {
  return make_command<TableOptions>(
      "table", "Make a table of a batch's shapes: which configuration a call gets by its sizes",
      kEpilogue, declare, run);
}

}  // namespace nightshift::tools
