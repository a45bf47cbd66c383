#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernels/problem_file.h"

namespace nightshift::kernels {

// Where something stands. An empty file means the problem file; 0 means unknown.
struct Place {
  std::string file;
  int line = 0;
  int column = 0;
};

// A text of the file together with its place, so that a mistake inside it can be pointed at.
struct PlacedText {
  std::string text;
  Place place;         // of its first character where `exact`, else of the value that it is
  bool exact = false;  // character n of the text is n columns further on in the file

  Place at(std::size_t position) const;
};

// Collects what is wrong with a problem file, so that all of it can be reported in one go.
class Mistakes {
 public:
  explicit Mistakes(std::string file) : file_(std::move(file)) {}

  const std::string& file() const { return file_; }
  bool empty() const { return found_.empty(); }
  void add(const Place& place, std::string message);
  // Throws ProblemFileError, what was set from outside first, then in the order of the file.
  void throw_if_any() const;

 private:
  std::string file_;
  std::vector<Mistake> found_;
};

// "; did you mean 'time'?", or nothing where no known name is near.
std::string suggestion(std::string_view word, const std::vector<std::string>& known);
// "'warm' or 'cold'"; a long list is cut short.
std::string alternatives(const std::vector<std::string>& names);
// 'word', cut short where it is long.
std::string in_quotes(std::string_view word);

}  // namespace nightshift::kernels
