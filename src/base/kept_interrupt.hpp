#pragma once

#include <csignal>

namespace sluice::detail {

/// Keeps the program's own handler of Ctrl-C while Clp solves. Clp installs its own handler while it solves a linear
/// program. Ctrl-C would then end only that solution, and the search would go on with the next. put_back(), called at
/// every pivot, installs the program's handler again.
class KeptInterrupt {
 public:
  KeptInterrupt() { (void)::sigaction(SIGINT, nullptr, &own_); }
  ~KeptInterrupt() { put_back(); }
  KeptInterrupt(const KeptInterrupt&) = delete;
  KeptInterrupt& operator=(const KeptInterrupt&) = delete;

  void put_back() const {
    struct sigaction present = {};
    (void)::sigaction(SIGINT, nullptr, &present);
    // A handler that ends the program puts the default there, then raises Ctrl-C again.
    if (present.sa_handler != SIG_DFL) (void)::sigaction(SIGINT, &own_, nullptr);
  }

 private:
  struct sigaction own_ = {};
};

}  // namespace sluice::detail
