#include "tools/cli/argument_parser.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/nearest.h"
#include "tools/text/format.h"

namespace nightshift::tools {
namespace {

constexpr std::size_t kHelpWidth = 70;  // beside the column of options

std::string help_of(const std::string& help) {
  std::string text = wrapped(help, 0, kHelpWidth);
  if (!text.empty()) text.pop_back();  // the last line's end
  return text;
}

}  // namespace

void ArgumentParser::add(const std::string& spec, const std::string& help, Count count,
                         std::function<void(const Values&)> take) {
  const std::string name = name_of(spec);
  const bool positional = !name.starts_with("-");
  CLI::Option* option = app_.add_option(
      name, [](const CLI::results_t&) { return true; }, help_of(help));
  const bool has_type = spec.size() > name.size();
  option->type_name(has_type ? spec.substr(name.size() + (spec[name.size()] == ' ' ? 1 : 0)) : "");
  option->required(count == Count::kRequired);
  if (count == Count::kMany || count == Count::kManyPositional) {
    option->expected(1, CLI::detail::expected_max_vector_size);
  }
  option->allow_extra_args(count == Count::kManyPositional);
  if (!positional) names_.push_back(name);
  entries_.push_back({option, name, count == Count::kRequired, std::move(take)});
}

void ArgumentParser::positional(const std::string& name, std::string& target,
                                const std::string& help) {
  positional(name, target, any_text(), help);
}

void ArgumentParser::positionals(const std::string& name, std::vector<std::string>& target,
                                 const std::string& help) {
  add(name, help, Count::kManyPositional, assigning(target));
}

void ArgumentParser::flag(const std::string& name, bool& target, const std::string& help) {
  app_.add_flag(name, target, help_of(help));
  names_.push_back(name);
}

void ArgumentParser::option(const std::string& spec, std::string& target, const std::string& help) {
  option(spec, target, any_text(), help);
}

void ArgumentParser::option(const std::string& spec, std::optional<std::string>& target,
                            const std::string& help) {
  option(spec, target, any_text(), help);
}

void ArgumentParser::repeatable(const std::string& spec, std::function<void(const Values&)> take,
                                const std::string& help) {
  add(spec, help + "; repeatable", Count::kMany, std::move(take));
}

void ArgumentParser::command(Values& target) {
  tail_ = Tail::kCommand;
  take_tail_ = [&target](const std::vector<Values>& commands) {
    if (!commands.empty()) target = commands.front();
  };
}

void ArgumentParser::commands(std::vector<Values>& target) {
  tail_ = Tail::kCommands;
  take_tail_ = [&target](const std::vector<Values>& commands) { target = commands; };
}

// Takes the commands and their `--` out of the words.
void ArgumentParser::cut_tail(Values& words) {
  if (tail_ == Tail::kNone) return;
  const auto first = std::find(words.begin(), words.end(), "--");
  std::vector<Values> commands;
  for (auto it = first; it != words.end();) {
    const auto end = tail_ == Tail::kCommand ? words.end() : std::find(it + 1, words.end(), "--");
    commands.emplace_back(it + 1, end);
    it = end;
  }
  words.erase(first, words.end());
  take_tail_(commands);
}

void ArgumentParser::note_extras() {
  for (const std::string& word : app_.remaining()) {
    if (word.size() < 2 || word.front() != '-') {
      error("there is no place for '" + word + "'");
      continue;
    }
    const std::string name = word.substr(0, word.find('='));
    error("unknown option '" + name + "'" + base::did_you_mean(name, names_));
  }
}

std::vector<std::string> ArgumentParser::parse(Values words) {
  cut_tail(words);
  for (const auto& [name, value] : bare_) {
    std::ranges::replace(words, name, name + "=" + value);
  }
  app_.allow_extras();
  bool read = true;
  try {
    app_.parse(Values(words.rbegin(), words.rend()));
  } catch (const CLI::Success&) {
    throw;
  } catch (const CLI::RequiredError&) {
    // What is missing is told below, all of it; the values that are there have been taken.
  } catch (const CLI::ParseError& e) {
    error(e.what());
    read = false;
  }
  note_extras();
  if (!read) return errors_;
  for (const Entry& entry : entries_) {
    if (entry.option->count() > 0) {
      entry.take(entry.option->results());
    } else if (entry.required) {
      error(entry.name + " is required");
    }
  }
  for (const auto& rule : rules_) rule();
  return errors_;
}

}  // namespace nightshift::tools
