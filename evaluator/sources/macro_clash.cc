#include "evaluator/sources/macro_clash.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <set>
#include <stdexcept>

#include "base/file_text.h"
#include "base/text.h"
#include "evaluator/sources/source_hash.h"
#include "evaluator/sources/told_names.h"
#include "problems/cuda_source/source_tokens.h"
#include "search/source_language.h"
#include "search/value.h"

namespace nightshift::evaluator {
namespace {

// "FILE:LINE", at the beginning of a compiler's line or behind "from ".
struct Place {
  std::string file;
  int line = 0;
  std::string_view behind;  // to the end of the compiler's line
};

std::optional<Place> place_in(std::string_view words) {
  words = base::trimmed(words);
  constexpr std::string_view kIncluded = "In file included from ", kFrom = "from ";
  for (const std::string_view before : {kIncluded, kFrom}) {
    if (words.starts_with(before)) words.remove_prefix(before.size());
  }
  const std::size_t colon = words.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  Place place{std::string(words.substr(0, colon)), 0, words.substr(colon + 1)};
  const char* const end = place.behind.data() + place.behind.size();
  const auto [stop, error] = std::from_chars(place.behind.data(), end, place.line);
  if (error != std::errc{} || place.file.empty()) return std::nullopt;
  place.behind = {stop, end};
  return place;
}

std::vector<Place> places_in(std::string_view complaint) {
  std::vector<Place> places;
  while (!complaint.empty()) {
    const std::string_view line = complaint.substr(0, complaint.find('\n'));
    complaint.remove_prefix(std::min(line.size() + 1, complaint.size()));
    if (auto place = place_in(line)) places.push_back(*std::move(place));
  }
  return places;
}

class Clash {
 public:
  Clash(const search::ToldNames& told, std::string_view table) : told_(told), table_(table) {}

  // In a file that is the user's, or a header of others.
  std::string declared(const std::string& file, const std::string& text) const {
    const bool fortran = search::language_of_name(file) == search::SourceLanguage::kFortran;
    const auto found =
        fortran ? fortran_declarations_of(told_, text) : declarations_of(told_, text);
    if (found.empty()) return {};
    const Declaration& first = found.front();
    return told(first.which, "but " + place(file, first.line) + " declares '" + first.words + "'",
                fortran);
  }

  // In that line of a header.
  std::string used(const std::string& file, const std::string& text, int line) const {
    for (const problems::SourceToken& token : problems::tokens_of(text).tokens) {
      const auto name = std::ranges::find(told_, token.text, &search::ToldNames::value_type::first);
      if (token.line != line || name == told_.end()) continue;
      return told(static_cast<std::size_t>(name - told_.begin()),
                  "but " + place(file, line) + " uses the name for something else", false);
    }
    return {};
  }

  // What the compiler says behind its words on the command line's text.
  std::string expanded(const Place& at) const {
    for (std::size_t i = 0; i < told_.size(); ++i) {
      if (at.behind.find("in expansion of macro '" + told_[i].first + "'") !=
          std::string_view::npos)
        return told(i, "which does not fit where " + place(at.file, at.line) + " has it", false);
    }
    return {};
  }

 private:
  static std::string place(const std::string& file, int line) {
    return std::filesystem::path(file).filename().string() + ":" + std::to_string(line);
  }
  std::string told(std::size_t which, const std::string& reason, bool only_renaming) const {
    const auto& [name, value] = told_[which];
    return "error: " + name + " is a macro with the value '" + search::to_text(value) + "', " +
           reason + ": rename one of them" +
           (only_renaming ? ""
                          : ", or write names = \"constants\" into [" + table_ +
                                "], or names = \"none\" and template arguments") +
           "\n";
  }

  const search::ToldNames& told_;
  std::string table_;
};

// `files` are the user's.
std::string clash_elsewhere(const Clash& clash, const std::set<std::string>& files,
                            std::string_view complaint) {
  const std::vector<Place> places = places_in(complaint);
  for (const Place& place : places) {
    if (files.contains(place.file)) continue;
    std::string found = clash.declared(place.file, base::text_if_there(place.file));
    if (!found.empty()) return found;
  }
  for (const Place& place : places) {
    std::string found = files.contains(place.file)
                            ? clash.expanded(place)
                            : clash.used(place.file, base::text_if_there(place.file), place.line);
    if (!found.empty()) return found;
  }
  return {};
}

}  // namespace

std::string macro_clash(const search::ToldNames& told, const std::string& file,
                        const std::vector<std::string>& options, const std::string& directory,
                        std::string_view table, std::string_view complaint) {
  try {
    const Clash clash(told, table);
    std::vector<std::string> files = {file};
    for (const auto& [path, hash] : content_of_source(file, options, directory).files) {
      if (path != file) files.push_back(path);
    }
    for (const std::string& path : files) {
      std::string found = clash.declared(path, base::read_whole_file(path));
      if (!found.empty()) return found;
    }
    return clash_elsewhere(clash, {files.begin(), files.end()}, complaint);
  } catch (const std::runtime_error&) {
    return {};  // the compiler complains of a source that cannot be read
  }
}

}  // namespace nightshift::evaluator
