#include "run/mpi/engine/throughput_tuner.hpp"

#include <algorithm>

namespace sluice::mpi::detail {

std::int64_t ThroughputTuner::released(std::int64_t bytes, double time_s, bool full) {
  if (span_start_ < 0) {
    span_start_ = time_s;
    return k_;
  }
  span_bytes_ += bytes;
  ++span_transfers_;
  span_full_ = span_full_ && full;
  if (span_transfers_ < std::max<std::int64_t>(8, 2 * k_) || time_s <= span_start_) return k_;
  if (span_full_) judge(static_cast<double>(span_bytes_) / (time_s - span_start_));
  span_start_ = time_s;
  span_bytes_ = 0;
  span_transfers_ = 0;
  span_full_ = true;
  return k_;
}

void ThroughputTuner::judge(double rate) {
  constexpr double kWorthMore = 1.04;
  constexpr double kWorthFewer = 0.98;
  if (k_ == kept_) {
    kept_rate_ = rate;
    if (rest_ > 0) {
      --rest_;
    } else {
      try_next();
    }
    return;
  }
  const bool better = k_ > kept_ ? rate >= kWorthMore * kept_rate_ : rate >= kWorthFewer * kept_rate_;
  if (better) {
    kept_ = k_;
    kept_rate_ = rate;
    try_next();
  } else {
    k_ = kept_;
    direction_ = -direction_;
    rest_ = 2;
  }
}

void ThroughputTuner::try_next() {
  if (kept_ + direction_ < least_ || kept_ + direction_ > most_) direction_ = -direction_;
  k_ = std::clamp(kept_ + direction_, least_, most_);
}

}  // namespace sluice::mpi::detail
