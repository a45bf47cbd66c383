#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <system_error>
#include <variant>
#include <vector>

#include "ipc/system_call.h"
#include "problems/problem_file.h"
#include "problems/recorded_space.h"
#include "scheduler/errors.h"
#include "search/parameter_space.h"
#include "tools/command_line.h"
#include "tools/slurm/slurm_error.h"
#include "tools/standard_output.h"
#include "tools/text/format.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

ExitCode error(ExitCode code, const std::string& message) {
  std::fflush(stdout);
  // What a file or a path says may be anything: it neither moves a cursor nor turns the line around.
  std::fputs(block("nightshift: " + message, 0).c_str(), stderr);
  return code;
}

// Of a disk, a quota, `ulimit -f`, a file system without permission to write.
bool takes_no_more(const std::error_code& code) {
  const std::errc full[] = {std::errc::no_space_on_device, std::errc::file_too_large,
                            std::errc::read_only_file_system};
  const auto is_it = [&](std::errc one) { return code == one; };
  return std::ranges::any_of(full, is_it) || code.value() == EDQUOT;
}

constexpr const char* kMoreIsNeeded =
    "\nMore is needed of what `ulimit -a`, its control group or the machine limits: then the same "
    "command goes on";

ExitCode refused_by_system(const std::system_error& e) {
  if (ipc::is_for_now(e)) return error(ExitCode::kJournal, std::string(e.what()) + kMoreIsNeeded);
  if (!takes_no_more(e.code())) return error(ExitCode::kInternal, e.what());
  const bool is_limit = e.code() == std::errc::file_too_large;
  return error(ExitCode::kOutput,
               std::string(e.what()) +
                   (is_limit ? "; raise the limit of a file's size, as by `ulimit -f unlimited`"
                             : "; free some room, or name another folder, by TMPDIR for what is "
                               "temporary"));
}

ExitCode run(const std::vector<std::string>& arguments) {
  try {
    const auto parsed = parse_command_line(arguments);
    if (const auto* invocation = std::get_if<Invocation>(&parsed)) return (*invocation)();
    return print(std::get<Answer>(parsed));
  } catch (const OutputError& e) {
    return error(ExitCode::kOutput, e.what());
  } catch (const UsageError& e) {
    return error(ExitCode::kUsage, e.what());
  } catch (const problems::ProblemFileError& e) {
    const std::size_t count = e.diagnostics().size();
    const std::string head = count == 1
                                 ? "the problem cannot be used:\n"
                                 : "the problem has " + std::to_string(count) + " mistakes:\n";
    return error(ExitCode::kUsage, head + e.what());
  } catch (const problems::RecordedSpaceError& e) {
    return error(ExitCode::kUsage, e.what());
  } catch (const search::SpaceError& e) {
    return error(ExitCode::kUsage, e.what());
  } catch (const scheduler::StudyError& e) {
    return error(ExitCode::kStudyFailed, e.what());
  } catch (const scheduler::JournalError& e) {
    return error(ExitCode::kJournal, e.what());
  } catch (const scheduler::DeviceError& e) {
    return error(ExitCode::kDevice, e.what());
  } catch (const scheduler::StoppedEarly& e) {
    return error(ExitCode::kInterrupted, e.what());
  } catch (const SlurmError& e) {
    return error(ExitCode::kDevice, e.what());
  } catch (const std::system_error& e) {
    return refused_by_system(e);
  } catch (const std::bad_alloc&) {
    return error(ExitCode::kJournal, std::string("there is no memory left") + kMoreIsNeeded);
  } catch (const std::exception& e) {
    return error(ExitCode::kInternal, e.what());
  }
}

}  // namespace
}  // namespace nightshift::tools

int main(int argc, char** argv) {
  // Whoever reads what we say may leave (`| head`): the exit code is that of the work all the same.
  std::signal(SIGPIPE, SIG_IGN);
  // A file that has reached its limit (`ulimit -f`) is a write that fails, and is told as one.
  std::signal(SIGXFSZ, SIG_IGN);
  nightshift::tools::hold_standard_descriptors();
  const auto code = nightshift::tools::run(std::vector<std::string>(argv + 1, argv + argc));
  return static_cast<int>(nightshift::tools::finish_standard_output(code));
}
