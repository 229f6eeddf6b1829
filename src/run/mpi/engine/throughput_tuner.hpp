#pragma once

#include <cstdint>

namespace sluice::mpi::detail {

/// Finds how many transfers at once a network can use, while it is used: the fewest beyond which more transfers bring
/// less than 4 % more bytes per second.
///
/// Method: time is cut into spans of at least 8 transfers and 2 for each running one. Spans alternate between staying
/// at k and trying k + 1 or k - 1. k + 1 is kept if it carried at least 4 % more than the previous span, k - 1 if it
/// carried at most 2 % less. So k falls when the network has become slower, and rises when it has become faster. A
/// direction that failed is left for two spans. Spans without messages waiting for k say nothing and do not count.
class ThroughputTuner {
 public:
  /// 1 <= least <= start <= most.
  ThroughputTuner(std::int64_t start, std::int64_t least, std::int64_t most)
      : k_(start), kept_(start), least_(least), most_(most) {}

  /// A transfer of `bytes` has ended at `time_s`; `full`: k kept messages waiting. Returns the k to use.
  std::int64_t released(std::int64_t bytes, double time_s, bool full);

 private:
  void judge(double rate);
  void try_next();

  std::int64_t k_;     ///< in use
  std::int64_t kept_;  ///< the best known
  std::int64_t least_;
  std::int64_t most_;
  double kept_rate_ = 0;  ///< of the last span at kept_
  int direction_ = 1;
  int rest_ = 0;  ///< spans to stay at kept_
  double span_start_ = -1;
  std::int64_t span_bytes_ = 0;
  std::int64_t span_transfers_ = 0;
  bool span_full_ = true;
};

}  // namespace sluice::mpi::detail
