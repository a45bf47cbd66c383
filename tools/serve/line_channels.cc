#include "tools/serve/line_channels.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <utility>

#include "ipc/system_call.h"
#include "tools/output_file.h"
#include "tools/serve/service_request.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

constexpr std::size_t kChunk = std::size_t{64} << 10;
constexpr int kChunksATurn = 64;  // of one channel, so that all have their turn

bool is_ready(int fd, short what) {
  pollfd one{fd, what, 0};
  return ::poll(&one, 1, 0) > 0;
}

bool is_hung_up(int fd) {
  pollfd one{fd, 0, 0};
  return ::poll(&one, 1, 0) > 0 && (one.revents & (POLLHUP | POLLERR)) != 0;
}

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) {
    throw UsageError("--socket " + path + ": the path is longer than a socket's may be (" +
                     std::to_string(sizeof(address.sun_path) - 1) + " bytes)");
  }
  path.copy(address.sun_path, path.size());
  return address;
}

// Nobody may have it: then it was left behind by somebody who was killed.
void make_room(const std::string& path, const sockaddr_un& address) {
  struct stat there {};
  if (::lstat(path.c_str(), &there) != 0) return;
  if (!S_ISSOCK(there.st_mode)) throw UsageError("--socket " + path + ": there is a file");
  const ipc::UniqueFd probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (::connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    throw UsageError("--socket " + path + ": somebody serves there already");
  }
  ::unlink(path.c_str());
}

ipc::UniqueFd listen_at(const std::string& path) {
  const sockaddr_un address = address_of(path);
  make_room(path, address);
  ipc::UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) ipc::throw_errno("socket");
  const mode_t before = ::umask(0177);  // this user alone
  const int bound = ::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  ::umask(before);
  if (bound != 0) ipc::throw_errno("cannot listen at " + path);
  if (::listen(fd.get(), SOMAXCONN) != 0) ipc::throw_errno("cannot listen at " + path);
  return fd;
}

}  // namespace

LineChannels::LineChannels(bool standard, const std::string& socket)
    : standard_open_(standard), path_(socket) {
  if (!socket.empty()) listening_ = listen_at(socket);
  if (standard) others_[kStandard];
}

LineChannels::~LineChannels() {
  if (listening_) ::unlink(path_.c_str());
}

std::vector<LineChannels::Channel> LineChannels::take_new() {
  if (listening_) accept_all();
  return std::exchange(new_, {});
}

void LineChannels::accept_all() {
  while (others_.size() < kMostOthers) {
    ipc::UniqueFd fd(::accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!fd) return;
    others_[++last_].fd = std::move(fd);
    new_.push_back(last_);
  }
}

std::vector<LineChannels::Line> LineChannels::take() {
  std::vector<Line> lines;
  for (auto it = others_.begin(); it != others_.end();) {
    auto& [channel, other] = *it;
    const bool is_standard = channel == kStandard;
    const int fd = is_standard ? STDIN_FILENO : other.fd.get();
    if (!other.has_ended && !read(fd, other, channel, lines)) other.has_ended = true;
    if (is_standard) standard_open_ = !other.has_ended;
    const bool is_gone = !is_standard && other.has_ended && other.out.empty() && is_hung_up(fd);
    it = is_gone ? others_.erase(it) : std::next(it);
  }
  return lines;
}

bool LineChannels::read(int fd, Other& other, Channel channel, std::vector<Line>& lines) {
  std::array<char, kChunk> chunk;
  bool goes_on = true;
  for (int i = 0; i < kChunksATurn && goes_on && is_ready(fd, POLLIN); ++i) {
    const ssize_t count = ::read(fd, chunk.data(), chunk.size());
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) break;
    if (count <= 0) {
      goes_on = false;
      break;
    }
    for (const char c : std::string_view(chunk.data(), static_cast<std::size_t>(count))) {
      if (c == '\n') {
        if (other.reads_on || !other.in.empty()) lines.push_back({channel, std::move(other.in)});
        other.in.clear();
        other.reads_on = true;
      } else if (other.reads_on) {
        other.in += c;
        other.reads_on = other.in.size() <= kMostLine;
      }
    }
  }
  if (!goes_on && !other.in.empty()) lines.push_back({channel, std::move(other.in)});
  return goes_on;
}

void LineChannels::send(Channel to, const std::string& line) {
  const auto other = others_.find(to);
  if (other == others_.end()) return;
  other->second.out += line;
}

void LineChannels::let_go(const std::set<Channel>& owed) {
  std::erase_if(others_, [&](const auto& item) {
    const auto& [channel, other] = item;
    return channel != kStandard && other.has_ended && other.out.empty() && !owed.contains(channel);
  });
}

bool LineChannels::write(int fd, Other& other) {
  while (!other.out.empty()) {
    const bool is_socket = fd != STDOUT_FILENO;
    if (!is_ready(fd, POLLOUT)) break;
    // A pipe that is ready takes this much without blocking.
    const std::size_t most =
        is_socket ? other.out.size() : std::min<std::size_t>(other.out.size(), 4096);
    const ssize_t count = is_socket ? ::send(fd, other.out.data(), most, MSG_NOSIGNAL)
                                    : ::write(fd, other.out.data(), most);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) break;
    if (count < 0) {
      if (!is_socket && errno != EPIPE) tell_unwritten("standard output", std::strerror(errno));
      return false;
    }
    other.out.erase(0, static_cast<std::size_t>(count));
  }
  return other.out.size() <= kMostKept;
}

void LineChannels::flush(bool wait) {
  constexpr int kPatience = 100;  // milliseconds, of one that does not read
  for (auto it = others_.begin(); it != others_.end();) {
    auto& [channel, other] = *it;
    const bool is_standard = channel == kStandard;
    const int fd = is_standard ? STDOUT_FILENO : other.fd.get();
    bool is_there = write(fd, other);
    while (is_there && wait && !other.out.empty()) {
      pollfd one{fd, POLLOUT, 0};
      if (::poll(&one, 1, kPatience) <= 0 && !is_standard) break;
      is_there = write(fd, other);
    }
    if (is_standard && !is_there) other.out.clear();  // nobody reads; requests still count
    it = is_there || is_standard ? std::next(it) : others_.erase(it);
  }
}

}  // namespace nightshift::tools
