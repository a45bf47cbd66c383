#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "ipc/unique_fd.h"

namespace nightshift::tools {

// Lines from and to several others: who is at standard input and output, and whoever connects to a
// Unix socket, which this user alone may. Never waits: what somebody does not read is kept for them
// up to kMostKept, then they are cut off.
class LineChannels {
 public:
  static constexpr std::size_t kMostKept = std::size_t{64} << 20;  // bytes
  static constexpr std::size_t kMostOthers = 512;                  // connections

  using Channel = std::uint64_t;  // never used twice
  static constexpr Channel kStandard = 0;
  struct Line {
    Channel from = kStandard;
    std::string text;  // without its end; longer than kMostLine: its beginning
  };

  // `socket`: where to listen; empty: nowhere. A socket that nobody listens on any more is
  // replaced. Throws UsageError, std::system_error.
  LineChannels(bool standard, const std::string& socket);
  ~LineChannels();
  LineChannels(const LineChannels&) = delete;
  LineChannels& operator=(const LineChannels&) = delete;

  // Those that have connected since the last call.
  std::vector<Channel> take_new();
  std::vector<Line> take();
  // Nothing where it is gone.
  void send(Channel to, const std::string& line);
  // Closes connections that ask no more, have been told all, and are not `owed` an answer.
  void let_go(const std::set<Channel>& owed);
  // Sends what is kept, for as long as it takes where `wait`.
  void flush(bool wait);
  // Somebody may still ask.
  bool is_open() const { return standard_open_ || listening_; }
  bool is_standard_open() const { return standard_open_; }

 private:
  struct Other {
    ipc::UniqueFd fd;
    std::string in, out;
    bool reads_on = true;    // of a line that is too long the rest is left out
    bool has_ended = false;  // it asks no more, and may still be told
  };
  void accept_all();
  // False: it is gone.
  bool read(int fd, Other& other, Channel channel, std::vector<Line>& lines);
  static bool write(int fd, Other& other);

  bool standard_open_;
  std::string path_;
  ipc::UniqueFd listening_;
  std::map<Channel, Other> others_;
  std::vector<Channel> new_;
  Channel last_ = kStandard;
};

}  // namespace nightshift::tools
