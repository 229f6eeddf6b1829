#pragma once

#include <csignal>

namespace sluice::detail {

/// Clp takes Ctrl-C for itself, for as long as it solves a linear program: it would end that one, and the search would
/// go on with the next. While this lives, what the program does about Ctrl-C is put back whenever Clp tells of a pivot.
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
