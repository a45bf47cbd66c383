#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/nearest.h"
#include "problems/override.h"
#include "tools/cli/setting_text.h"
#include "tools/cli/value_form.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace nightshift::tools {

using Overrides = std::vector<problems::Override>;

// The options and words that one subcommand takes. All is declared first, each with where its value
// goes; then the words of one command line are parsed, and everything that is wrong is told in one
// go. A target keeps its value where nothing is given. Targets must outlive parse().
//
// `spec` is the option and what its value is called in the help: "--budget LIMIT".
class ArgumentParser {
 public:
  // `app` prints the help.
  explicit ArgumentParser(CLI::App& app) : app_(app) {}

  // Words by their position, in the order of declaration. One alone must be given.
  void positional(const std::string& name, std::string& target, const std::string& help);
  template <class T>
  void positional(const std::string& name, T& target, ValueForm<T> form, const std::string& help) {
    add(name, help, Count::kRequired, taking(name, std::move(form), assigning(target)));
  }
  template <class T>
  void optional_positional(const std::string& name, std::optional<T>& target, ValueForm<T> form,
                           const std::string& help) {
    add(name, help, Count::kOne, taking(name, std::move(form), assigning(target)));
  }
  void positionals(const std::string& name, std::vector<std::string>& target,
                   const std::string& help);

  void flag(const std::string& name, bool& target, const std::string& help);
  void option(const std::string& spec, std::string& target, const std::string& help);
  void option(const std::string& spec, std::optional<std::string>& target, const std::string& help);
  template <class T, class Target>
  void option(const std::string& spec, Target& target, ValueForm<T> form, const std::string& help) {
    add(spec, help, Count::kOne, taking(spec, std::move(form), assigning(target)));
  }
  // "--wait[=TIME]": without a value it stands for `bare`. A value needs its '=', so that the next
  // word is never taken for one.
  template <class T, class Target>
  void option_or(const std::string& spec, Target& target, ValueForm<T> form,
                 const std::string& bare, const std::string& help) {
    bare_.emplace_back(name_of(spec), bare);
    option(spec, target, std::move(form), help);
  }
  template <class T, class Take>
  void option_with(const std::string& spec, ValueForm<T> form, Take take, const std::string& help) {
    add(spec, help, Count::kOne, taking(spec, std::move(form), std::move(take)));
  }
  template <class T>
  void required_option(const std::string& spec, T& target, ValueForm<T> form,
                       const std::string& help) {
    add(spec, help, Count::kRequired, taking(spec, std::move(form), assigning(target)));
  }
  // May be given several times, with one value each; `take` gets them all at once.
  using Values = std::vector<std::string>;
  void repeatable(const std::string& spec, std::function<void(const Values&)> take,
                  const std::string& help);
  // What is given becomes the value of a key of the problem file.
  template <class T>
  void setting(const std::string& spec, const std::string& key, Overrides& overrides,
               ValueForm<T> form, const std::string& help) {
    add(spec, help, Count::kOne, taking(spec, std::move(form), [key, &overrides](const T& value) {
          overrides.emplace_back(key, setting_text(value));
        }));
  }

  // The command behind `--`, which may have a `--` of its own.
  void command(Values& target);
  // The commands, one behind each `--`.
  void commands(std::vector<Values>& target);

  // Asks for `rule` once all targets have their values; it calls error().
  void check(std::function<void()> rule) { rules_.push_back(std::move(rule)); }
  void error(std::string message) { errors_.push_back(std::move(message)); }
  bool has_errors() const { return !errors_.empty(); }

  // Throws CLI::Success where help was asked for; all else that is wrong is in the result.
  std::vector<std::string> parse(Values words);

 private:
  enum class Count { kRequired, kOne, kMany, kManyPositional };
  enum class Tail { kNone, kCommand, kCommands };
  struct Entry {
    CLI::Option* option;
    std::string name;
    bool required;
    std::function<void(const Values&)> take;
  };

  void add(const std::string& spec, const std::string& help, Count count,
           std::function<void(const Values&)> take);
  void cut_tail(Values& words);
  void note_extras();

  template <class Target>
  static auto assigning(Target& target) {
    return [&target](const auto& value) { target = value; };
  }
  static std::string name_of(const std::string& spec) {
    return spec.substr(0, spec.find_first_of(" ["));
  }
  // Reads the one value by its form, and hands it on or notes what is wrong with it.
  template <class T, class Assign>
  std::function<void(const Values&)> taking(const std::string& spec, ValueForm<T> form,
                                            Assign assign) {
    return [this, name = name_of(spec), form = std::move(form), assign](const Values& values) {
      const std::string& text = values.front();
      if (const std::optional<T> value = form.parse(text)) {
        assign(*value);
      } else {
        error(name + " " + text + ": expected " + form.expected +
              base::did_you_mean(text, form.words));
      }
    };
  }

  CLI::App& app_;
  std::vector<Entry> entries_;
  std::vector<std::string> names_;                         // of all options, for suggestions
  std::vector<std::pair<std::string, std::string>> bare_;  // options that need no value
  Tail tail_ = Tail::kNone;
  std::function<void(const std::vector<Values>&)> take_tail_;
  std::vector<std::function<void()>> rules_;
  std::vector<std::string> errors_;
};

}  // namespace nightshift::tools
