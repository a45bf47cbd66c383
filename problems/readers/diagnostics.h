#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "problems/problem_file_error.h"

namespace nightshift::problems {

// Where something stands. An empty file means the problem file; 0 means unknown.
struct SourceLocation {
  std::string file;
  int line = 0;
  int column = 0;
};
std::string place_of(const SourceLocation& location);  // FILE:LINE:COLUMN, as far as it is known

// A text of the file together with its place, so that a mistake inside it can be pointed at.
struct LocatedString {
  std::string text;
  SourceLocation location;  // of its first character where `exact`, else of the value that it is
  bool exact = false;       // character n of the text is n columns further on in the file

  SourceLocation at(std::size_t position) const;
};

// Whether what a problem names (sources, folders, inputs) has to be there. A recording has to be in
// any case: the space stands in it.
enum class NamedFiles : std::uint8_t { kNeeded, kUnseen };

// Collects what is wrong with a problem file, so that all of it can be reported in one go.
class Diagnostics {
 public:
  explicit Diagnostics(std::string file, NamedFiles files = NamedFiles::kNeeded,
                       bool was_accepted = false)
      : file_(std::move(file)), files_(files), was_accepted_(was_accepted) {}

  const std::string& file() const { return file_; }
  bool empty() const { return found_.empty(); }
  // False: a named file is taken by its path, whether it is there and whatever is in it.
  bool needs_files() const { return files_ == NamedFiles::kNeeded; }
  // True: it was read before, maybe by a version that took for right what changes nothing.
  bool was_accepted() const { return was_accepted_; }
  void add(const SourceLocation& location, std::string message);
  // From now on mistakes in `file` say as well where it is asked for.
  void set_includer(std::string file, SourceLocation by);
  // What was set from outside first, then in the order of the file.
  std::vector<Diagnostic> sorted() const;
  void throw_if_any() const;  // them as a ProblemFileError

 private:
  std::string file_;
  NamedFiles files_;
  bool was_accepted_;
  std::map<std::string, SourceLocation> includers_;  // by file
  std::vector<Diagnostic> found_;
};

// "; did you mean 'time'?", or nothing where no known name is near.
std::string suggestion(std::string_view word, const std::vector<std::string>& known);
// "'warm' or 'cold'"; a long list is cut short.
std::string alternatives(const std::vector<std::string>& names);
// 'word', cut short where it is long.
std::string in_quotes(std::string_view word);

}  // namespace nightshift::problems
