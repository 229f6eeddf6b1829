#pragma once

#include <thread>

namespace sluice::command {

/// "planning ... 3 s" on standard error, from the first second on, as long as this lives; silent where that is no
/// terminal. For what cannot say how far it is.
class Elapsed {
 public:
  /// `what` has to live as long as this.
  explicit Elapsed(const char* what);

 private:
  std::jthread clock_;
};

}  // namespace sluice::command
