#pragma once

#include <chrono>

namespace nightshift::scheduler {

// How the two ends of a link see that the other is gone, and what the head does then.
struct NodeTimes {
  using Seconds = std::chrono::duration<double>;
  // Either says something every third of this. The head gives a node up after so long without a
  // word. The agent ends after twice as long, so that nothing of it is left to a head that opens
  // the link anew much later.
  Seconds silence{30};
  Seconds reopen_first{5};  // after a link was lost; doubles
  // In a row, then the node has left. Four jobs that have ended make up for one: a node that comes
  // back and is lost again with the first thing it does would cost the run each time, for ever.
  int attempts = 5;
  Seconds start{120};  // until a link has greeted and named its devices
  // A signal to all that there is of a job has come to each of its agents so long after the first.
  Seconds one_request{10};
};

}  // namespace nightshift::scheduler
