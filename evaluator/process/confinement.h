#pragma once

#include <string>
#include <vector>

namespace nightshift::evaluator {

// What a process that runs code of nobody's may still do, and all that it starts: read files; write
// beneath `writable`; use descriptors that it has. What it may not, as far as the kernel can hold
// it:
//
//   files     write, make or remove others (Landlock, Linux 5.13; truncating from 6.2 on)
//   network   make a socket of the internet's families, or an io_uring (seccomp)
//   signals   send one to, trace, or meet at an abstract socket, who was there before (Landlock;
//             signals from Linux 6.12 on)
struct Confinement {
  std::vector<std::string> writable;  // folders and files; what is not there is left out
};

// Confines this process for good. What that came to: "files, network, signals", or fewer of them;
// empty where the kernel can do none of it.
std::string confine(const Confinement& confinement);

}  // namespace nightshift::evaluator
