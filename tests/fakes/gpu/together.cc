#include "tests/fakes/gpu/together.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include "tests/fakes/gpu/tokens.h"

namespace fake_gpu {
namespace {

using Tokens = std::vector<Token>;

bool is_asm(std::string_view word) { return word == "asm" || word == "__asm__"; }

bool needs_others(const Tokens& tokens, std::size_t i) {
  const std::string_view word = tokens[i].text;
  return is_asm(word) || word == "__syncthreads" || word == "__syncwarp" ||
         word.starts_with("__shfl_") || word == "__ballot_sync" || word == "__any_sync" ||
         (word == "extern" && i + 1 < tokens.size() && tokens[i + 1].text == "__shared__");
}

// Behind the bracket that closes the one at `open`.
std::size_t behind_bracket(const Tokens& tokens, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    if (tokens[i].text == "(") ++depth;
    if (tokens[i].text == ")" && --depth == 0) return i + 1;
  }
  return tokens.size();
}

class Writer {
 public:
  Writer(std::string_view text, const Tokens& tokens) : text_(text), tokens_(tokens) {}

  // The text from `begin` on.
  std::string write(std::size_t begin) {
    std::size_t written = begin;
    for (std::size_t i = 0; i < tokens_.size();) {
      std::size_t end = i;
      std::string instead;
      if (tokens_[i].text == "__shared__" || starts_extern_shared(i)) {
        instead = shared_variable(i, end);
      } else if (is_asm(tokens_[i].text)) {
        instead = inline_ptx(i, end);
      }
      if (end == i) {
        ++i;
        continue;
      }
      const std::size_t from = tokens_[i].at;
      const std::size_t to = end < tokens_.size() ? tokens_[end].at : text_.size();
      out_ += text_.substr(written, from - written);
      out_ += instead;
      const std::string_view old = text_.substr(from, to - from);
      out_.append(static_cast<std::size_t>(std::count(old.begin(), old.end(), '\n')), '\n');
      written = to;
      i = end;
    }
    out_ += text_.substr(written);
    return out_;
  }

 private:
  bool starts_extern_shared(std::size_t i) const {
    return tokens_[i].text == "extern" && i + 1 < tokens_.size() &&
           tokens_[i + 1].text == "__shared__";
  }

  std::string_view between(std::size_t first, std::size_t end) const {
    if (first >= end) return {};
    const Token& last = tokens_[end - 1];
    return text_.substr(tokens_[first].at, last.at + last.text.size() - tokens_[first].at);
  }

  // [extern] __shared__ [alignas(...)] type name [sides]... ;
  std::string shared_variable(std::size_t begin, std::size_t& end) {
    const bool dynamic = tokens_[begin].text == "extern";
    std::size_t type = begin + (dynamic ? 2 : 1);
    if (tokens_[type].text == "alignas") type = behind_bracket(tokens_, type + 1);
    std::size_t semicolon = type;
    while (semicolon < tokens_.size() && tokens_[semicolon].text != ";") ++semicolon;
    std::size_t sides = type;
    while (sides < semicolon && tokens_[sides].text != "[") ++sides;
    const std::string type_text(between(type, sides - 1));
    const std::string name(tokens_[sides - 1].text);
    end = semicolon + 1;
    if (dynamic) {
      return type_text + "* const " + name + " = reinterpret_cast<" + type_text +
             "*>(fake_gpu::hooks->shared(fake_gpu::kDynamic)); ";
    }
    const std::string alias = "fake_type_" + std::to_string(++number_);
    return "typedef " + type_text + " " + alias + std::string(between(sides, semicolon)) + "; " +
           "auto& " + name + " = fake_gpu::shared<" + alias + ">([] {}); ";
  }

  // asm [volatile] ( "text"... : outputs : inputs : clobbers ) ;
  std::string inline_ptx(std::size_t begin, std::size_t& end) {
    std::size_t open = begin + 1;
    while (tokens_[open].text != "(") ++open;
    end = behind_bracket(tokens_, open);
    std::string call = "({ static void* fake_known; fake_gpu::assemble(&fake_known, ";
    std::size_t i = open + 1;
    while (tokens_[i].text[0] == '"') call += std::string(tokens_[i++].text) + " ";
    for (int part = 0; i < end - 1 && part < 2; ++part) {
      ++i;  // the colon
      while (i < end - 1 && tokens_[i].text != ":") {
        if (tokens_[i].text == ",") ++i;
        const std::size_t behind = behind_bracket(tokens_, i + 1);
        call += ", fake_gpu::" + std::string(part == 0 ? "out" : "in") +
                std::string(between(i + 1, behind));
        i = behind;
      }
    }
    return call + "); })";
  }

  std::string_view text_;
  const Tokens& tokens_;
  std::string out_;
  int number_ = 0;
};

}  // namespace

bool write_threads(std::string& text) {
  const std::size_t begin = std::min(text.find(kProgramBegins), text.size());
  Tokens tokens = tokens_of(std::string_view(text).substr(begin));
  for (Token& token : tokens) token.at += begin;
  bool together = false;
  for (std::size_t i = 0; i < tokens.size() && !together; ++i) together = needs_others(tokens, i);
  if (together) {
    text = text.substr(0, begin) + Writer(text, tokens).write(begin);
    return true;
  }
  for (auto token = tokens.rbegin(); token != tokens.rend(); ++token) {
    if (token->text == "__shared__") text.replace(token->at, token->text.size(), "static");
  }
  return false;
}

}  // namespace fake_gpu
