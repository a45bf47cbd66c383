#include "evaluator/interpreter_line.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <string_view>

#include "base/text.h"
#include "evaluator/process/program_path.h"

namespace nightshift::evaluator {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostBytes = 256;  // of a first line, as the kernel reads it

std::string beginning_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string bytes(kMostBytes, '\0');
  in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(std::max<std::streamsize>(in.gcount(), 0)));
  return bytes;
}

// The first word of `text`, which is left behind it.
std::string_view next_word(std::string_view& text) {
  text = base::trimmed(text);
  const std::string_view word = text.substr(0, text.find_first_of(" \t"));
  text.remove_prefix(word.size());
  return word;
}

// What a file with this extension is written for; empty for sh and what is not known.
std::string_view interpreter_of(const fs::path& script) {
  struct Language {
    std::string_view extension, program;
  };
  constexpr std::array kLanguages = {Language{".py", "python3"}, Language{".pl", "perl"},
                                     Language{".rb", "ruby"},    Language{".lua", "lua"},
                                     Language{".jl", "julia"},   Language{".R", "Rscript"},
                                     Language{".js", "node"},    Language{".mjs", "node"}};
  const std::string extension = script.extension().string();
  const auto* found = std::ranges::find(kLanguages, extension, &Language::extension);
  return found == kLanguages.end() ? std::string_view() : found->program;
}

// Of the words behind "#!".
std::string complaint_of(std::string_view line) {
  const std::string program(next_word(line));
  if (program.empty()) return "names no interpreter behind #!";
  if (!is_program(program)) return "is started by " + program + ", which is no program here";
  if (fs::path(program).filename() != "env") return {};
  std::string word(next_word(line));
  if (word == "-S") word = next_word(line);
  const bool is_name = !word.empty() && word.front() != '-' && word.find('=') == std::string::npos;
  if (!is_name || find_program(word)) return {};
  return "is started by '" + word + "', which is no program on PATH";
}

}  // namespace

std::string interpreter_complaint(const fs::path& script) {
  const std::string bytes = beginning_of(script);
  if (!bytes.starts_with("#!")) {
    const std::string_view program = interpreter_of(script);
    if (program.empty() || bytes.find('\0') != std::string::npos) return {};
    return script.string() + " has no interpreter line, without which sh would run it; begin it " +
           "with #!/usr/bin/env " + std::string(program);
  }
  std::string_view line = std::string_view(bytes).substr(2);
  line = line.substr(0, line.find('\n'));
  if (line.ends_with('\r')) {
    return script.string() + " has a carriage return at the end of its interpreter line, which " +
           "then names no program; sed -i 's/\\r$//' removes it";
  }
  const std::string why = complaint_of(line);
  return why.empty() ? why : script.string() + " " + why;
}

}  // namespace nightshift::evaluator
