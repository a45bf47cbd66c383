#include <algorithm>
#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "problems/batch_file.h"
#include "tools/problem/check_report.h"
#include "tools/problem/problem_source.h"
#include "tools/text/format.h"
#include "tools/text/page.h"

namespace nightshift::tools {
namespace {

using problems::Diagnostic;

// The mistakes of one file, in order.
struct FileMistakes {
  std::string file;
  std::vector<Diagnostic> mistakes;
};

void add(std::vector<FileMistakes>& all, const std::string& file,
         const std::vector<Diagnostic>& mistakes) {
  if (mistakes.empty()) return;
  auto found = std::ranges::find(all, file, &FileMistakes::file);
  if (found == all.end()) found = all.insert(all.end(), {file, {}});
  for (const Diagnostic& one : mistakes) {
    // Studies of one file have most mistakes in common.
    const bool is_known = std::ranges::any_of(found->mistakes, [&](const Diagnostic& other) {
      return to_string(other) == to_string(one);
    });
    if (!is_known) found->mistakes.push_back(one);
  }
}

std::vector<Diagnostic> mistakes_of(const problems::BatchEntry& entry) {
  try {
    return inspect_problem(entry.problem, entry.overrides).mistakes;
  } catch (const problems::ProblemFileError& error) {
    return error.diagnostics();
  } catch (const std::exception& error) {
    return {{entry.problem, 0, 0, error.what()}};
  }
}

std::string text_of(const std::vector<FileMistakes>& all) {
  std::string text;
  for (const FileMistakes& one : all) {
    text += one_line(one.file) + "\n";
    for (const Diagnostic& mistake : one.mistakes) text += block(to_string(mistake), 2);
  }
  return text;
}

nlohmann::ordered_json json_of(const std::string& file, std::size_t studies,
                               const std::vector<FileMistakes>& all) {
  nlohmann::ordered_json mistakes = nlohmann::ordered_json::array();
  for (const FileMistakes& one : all) {
    for (const Diagnostic& m : one.mistakes) {
      mistakes.push_back({{"file", m.file.empty() ? one.file : m.file},
                          {"line", m.line},
                          {"column", m.column},
                          {"message", m.message}});
    }
  }
  return {{"file", file}, {"studies", studies}, {"mistakes", std::move(mistakes)}};
}

// All mistakes of a batch.
struct BatchReading {
  std::size_t studies = 0, count = 0;
  std::vector<FileMistakes> files;
};

BatchReading inspected(const std::string& file) {
  BatchReading reading;
  std::vector<Diagnostic> own;
  const problems::BatchFile batch = problems::inspect_batch({file}, own);
  reading.studies = batch.studies.size();
  add(reading.files, file, own);
  for (const problems::BatchEntry& entry : batch.studies) {
    add(reading.files, entry.problem, mistakes_of(entry));
  }
  for (const FileMistakes& one : reading.files) reading.count += one.mistakes.size();
  return reading;
}

}  // namespace

std::string batch_mistakes(const std::string& file) {
  const BatchReading reading = inspected(file);
  return "the batch has " + count_of(reading.count, "mistake") + ":\n" + text_of(reading.files);
}

std::size_t check_batch(const std::string& file, bool json) {
  const BatchReading reading = inspected(file);
  if (json) {
    print_json(json_of(file, reading.studies, reading.files));
  } else {
    const std::string studies =
        reading.studies == 1 ? "1 study" : format_count(reading.studies) + " studies";
    const std::string mistakes =
        reading.count == 0 ? "no mistake" : count_of(reading.count, "mistake");
    std::fputs((one_line(file) + ": a batch of " + studies + ", with " + mistakes + "\n" +
                text_of(reading.files))
                   .c_str(),
               stdout);
  }
  return reading.count;
}

}  // namespace nightshift::tools
