#pragma once

#ifdef SLUICE_HAVE_CBC

#include <CbcEventHandler.hpp>
#include <ClpEventHandler.hpp>
#include <functional>
#include <utility>

#include "base/kept_interrupt.hpp"

/// What ends the search of an integer program when its work is done.
namespace sluice::detail {

/// Called after every pivot of every linear program, including programs of cuts and of trial branches. `is_over()`
/// counts its work and says whether that was the last one. `interrupt` has to outlive this object.
class PivotHandler : public ClpEventHandler {
 public:
  PivotHandler(std::function<bool()> is_over, const KeptInterrupt* interrupt)
      : is_over_(std::move(is_over)), interrupt_(interrupt) {}
  int event(Event which) override {
    constexpr int kGoOn = -1, kStop = 5;
    if (which != endOfIteration) return kGoOn;
    interrupt_->put_back();
    return is_over_() ? kStop : kGoOn;
  }
  [[nodiscard]] ClpEventHandler* clone() const override { return new PivotHandler(*this); }

 private:
  std::function<bool()> is_over_;
  const KeptInterrupt* interrupt_;
};

/// As PivotHandler, but called after every event of the search tree, such as a node.
class TreeHandler : public CbcEventHandler {
 public:
  explicit TreeHandler(std::function<bool()> is_over) : is_over_(std::move(is_over)) {}
  CbcAction event(CbcEvent /*which*/) override { return is_over_() ? stop : noAction; }
  [[nodiscard]] CbcEventHandler* clone() const override { return new TreeHandler(*this); }

 private:
  std::function<bool()> is_over_;
};

}  // namespace sluice::detail

#endif
