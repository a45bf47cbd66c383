#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>

#include "scheduler/nodes/node_messages.h"

namespace nightshift::scheduler {

// What a line may be, from each end.
using HeadLine = std::variant<node::Hello, node::Beat, node::Piece, node::Survey, node::Begin,
                              node::Admit, node::Dismiss, node::Open, node::Close, node::Builders,
                              node::Start, node::Retire, node::Recall, node::Forget>;
using AgentLine =
    std::variant<node::Hello, node::Beat, node::Piece, node::Surveyed, node::Waiting, node::Found,
                 node::Places, node::Ended, node::Failed, node::Said, node::Stopped, node::Refused>;

// A line is none of these: no JSON, a member that is missing, of another type or not known, a
// number out of range. Also thrown for one that is not to be said at that moment.
class LineError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline constexpr std::uint64_t kNodeProtocol = 6;
inline constexpr std::size_t kLongestLine = std::size_t{8} << 20;  // bytes; a longer one is refused

// With its newline; text that is no UTF-8 is replaced.
std::string line_of(const HeadLine& message);
std::string line_of(const AgentLine& message);
// Without its newline. Throw LineError.
HeadLine head_line(std::string_view line);
AgentLine agent_line(std::string_view line);

// Of this program.
node::Hello own_hello();
// One sentence on why the two cannot work together; empty where they can. `where` names the other.
std::string why_not_together(const node::Hello& mine, const node::Hello& other,
                             const std::string& where);

}  // namespace nightshift::scheduler
