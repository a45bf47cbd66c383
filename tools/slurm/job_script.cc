#include "tools/slurm/job_script.h"

#include <fmt/format.h>

#include <algorithm>

#include "tools/text/format.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

// Less than Slurm's KillWait, 30 s where a site has not changed it.
constexpr const char* kGrace = "20s";

// As the reader of #SBATCH lines has it: in double quotes, and a backslash before what ends them.
std::string sbatch_word(std::string_view word) {
  if (word.find('\n') != std::string_view::npos) {
    throw UsageError("a job script cannot hold the line end in " + one_line(word) +
                     ": choose another name or path");
  }
  std::string quoted = "\"";
  for (const char c : word) quoted += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
  return quoted + '"';
}

// "--time=8:00:00" keeps its name outside of the quotes.
std::string flag_line(const std::string& flag) {
  const bool plain = shell_word(flag) == flag;
  const std::size_t split = flag.find_first_of("= ");
  if (plain || split == std::string::npos) return "#SBATCH " + flag + "\n";
  return "#SBATCH " + flag.substr(0, split + 1) + sbatch_word(flag.substr(split + 1)) + "\n";
}

std::string log_file(const JobScript& script) {
  if (script.folder.find('\\') != std::string::npos) {
    throw UsageError("Slurm writes no log into " + one_line(script.folder) +
                     ", whose name has a backslash: choose another folder with --batch");
  }
  std::string file;
  for (const char c : script.folder) file += c == '%' ? std::string("%%") : std::string{c};
  return file + (script.shards.empty() ? "/slurm-%j.log" : "/slurm-%A_%a.log");
}

std::string flag_lines(const JobScript& script) {
  std::string text;
  const auto line = [&text](const std::string& flag) { text += "#SBATCH " + flag + "\n"; };
  line("--job-name=" + sbatch_word(script.batch));
  line("--chdir=" + sbatch_word(script.directory));
  line("--output=" + sbatch_word(log_file(script)));
  line("--open-mode=append");
  if (script.nodes.empty()) {
    line("--nodes=1 --ntasks=1");
  } else {
    line("--nodes=" + script.nodes);
    line("--no-kill");  // the others go on where one fails
  }
  line("--requeue");
  line(fmt::format("--signal=B:USR2@{:.0f}", script.reserve));
  if (!script.shards.empty()) line("--array=" + array_text(script.shards));
  for (const std::string& flag : script.flags) text += flag_line(flag);
  return text +
         "# One # less, and nobody else's work on the node disturbs what is measured:\n"
         "##SBATCH --exclusive\n";
}

std::string command_text(const JobScript& script) {
  const std::string program = shell_word(script.program);
  std::string text = fmt::format("exec {} in-job --reserve {:.0f}s -- \\\n  {} batch run", program,
                                 script.reserve, program);
  if (script.shards.empty()) {
    for (const std::string& word : script.run) text += " " + shell_word(word);
    text += " --batch " + shell_word(script.folder);
    if (!script.nodes.empty()) text += " --nodes slurm";
  } else {
    text += " " + shell_word(shards_folder(script.folder)) + "/\"$SLURM_ARRAY_TASK_ID\"";
  }
  return text + " --grace " + kGrace + (script.fits ? " --time {left}" : "") + "\n";
}

}  // namespace

std::string job_script_text(const JobScript& script) {
  std::string text =
      "#!/bin/bash\n"
      "# Written by `nightshift submit`, and submitted as it is once it has been changed here.\n" +
      flag_lines(script) + "\n";
  for (const std::string& line : script.setup) text += line + "\n";
  return text + command_text(script);
}

std::string clusters_of_script(std::string_view text) {
  constexpr std::string_view kFlag = "#SBATCH ";
  std::string clusters;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    at = end + 1;
    if (!line.starts_with(kFlag)) continue;
    line.remove_prefix(kFlag.size() - 1);  // a blank stands before each flag
    for (const std::string_view name : {" --clusters=", " --clusters ", " -M"}) {
      const std::size_t found = line.find(name);
      if (found == std::string_view::npos) continue;
      std::string_view value = line.substr(found + name.size());
      value.remove_prefix(std::min(value.find_first_not_of(" =\""), value.size()));
      clusters = value.substr(0, value.find_first_of(" \"\t"));
    }
  }
  return clusters;
}

std::string array_text(const std::vector<std::size_t>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ",", numbers[i]);
    if (last > i) text += fmt::format("-{}", numbers[last]);
    i = last + 1;
  }
  return text;
}

std::string shards_folder(std::string_view batch_folder) {
  return std::string(batch_folder) + "/shards";
}

std::string shard_folder(std::string_view batch_folder, std::size_t number) {
  return shards_folder(batch_folder) + "/" + std::to_string(number);
}

bool is_shard_folder(const std::string& folder) {
  const std::size_t end = folder.find_last_not_of('/') + 1;
  const std::size_t begin = folder.find_last_of('/', end == 0 ? 0 : end - 1) + 1;
  const std::string number = folder.substr(begin, end - begin);
  const bool is_number =
      !number.empty() && number.find_first_not_of("0123456789") == std::string::npos;
  return is_number && ("/" + folder.substr(0, begin)).ends_with(shards_folder("") + "/");
}

std::vector<std::string> joined_flags(const std::vector<std::string>& words) {
  std::vector<std::string> flags;
  for (const std::string& word : words) {
    if (flags.empty() || word.starts_with('-')) {
      flags.push_back(word);
    } else {
      flags.back() += " " + word;
    }
  }
  return flags;
}

}  // namespace nightshift::tools
