#pragma once

namespace sluice::detail {

/// A machine that combines what arrives. The finish of a busy period is begin + combined * compute, not a sum of one
/// term for each combination. So a million combinations are no less exact than one.
class Combiner {
 public:
  explicit Combiner(double idle_until) : begin_(idle_until), finish_(idle_until) {}

  void combine(double arrival, double compute) {
    if (arrival > finish_) {
      begin_ = arrival;
      combined_ = 0;
    }
    combined_ += 1;
    finish_ = begin_ + combined_ * compute;
  }
  [[nodiscard]] double finish() const { return finish_; }

 private:
  double begin_;
  double combined_ = 0;
  double finish_;
};

}  // namespace sluice::detail
