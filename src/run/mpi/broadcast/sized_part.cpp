#include "run/mpi/broadcast/sized_part.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "run/mpi/runtime/simulation.hpp"

namespace sluice::mpi::detail {
namespace {

/// Where a byte of the largest message of the class is in one of `bytes`; ranges that meet still do.
std::int64_t scaled(std::int64_t offset, std::int64_t bytes, std::int64_t largest) {
  if (bytes == largest) return offset;
  if (offset == largest) return bytes;
  return static_cast<std::int64_t>(static_cast<long double>(offset) * static_cast<long double>(bytes) /
                                   static_cast<long double>(largest));
}

}  // namespace

/// Messages that lie in the caller's buffer, before and after.
class SizedPart::Message final : public TreeData {
 public:
  void use(std::byte* buffer) { buffer_ = buffer; }
  void add_receive(std::int64_t offset) { receives_.push_back(offset); }
  void add_send(std::int64_t offset) { sends_.push_back(offset); }

  std::byte* incoming(std::size_t receive, std::int64_t, std::int64_t) override { return buffer_ + receives_[receive]; }
  void arrived(std::size_t, const std::function<void()>&) override {}
  TreeMessage outgoing(std::size_t send) override { return {buffer_ + sends_[send], 0, 0}; }

 private:
  std::byte* buffer_ = nullptr;
  std::vector<std::int64_t> receives_;  ///< offsets
  std::vector<std::int64_t> sends_;
};

SizedPart::SizedPart(Channel& channel, const RankProgram& program, std::int64_t bytes, std::int64_t largest)
    : message_(std::make_shared<Message>()) {
  /// What has come by a receive, for the sends that pass it on.
  struct Range {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::size_t receive = 0;
  };
  std::vector<Range> ranges;
  std::vector<TreeReceive> receives;
  const auto cut = [&](std::int64_t offset) { return scaled(offset, bytes, largest); };
  for (const ProgramReceive& receive : program.receives) {
    const std::int64_t begin = cut(receive.offset);
    const std::int64_t end = cut(receive.offset + receive.bytes);
    if (begin == end) continue;
    ranges.push_back({begin, end, receives.size()});
    receives.push_back({static_cast<int>(receive.from), end - begin, false});
    message_->add_receive(begin);
  }
  std::ranges::sort(ranges, {}, &Range::begin);
  std::vector<TreeSend> sends;
  for (const ProgramSend& send : program.sends) {
    const std::int64_t begin = cut(send.offset);
    const std::int64_t end = cut(send.offset + send.bytes);
    if (begin == end) continue;
    TreeSend each;
    each.to = static_cast<int>(send.to);
    each.count = end - begin;
    each.port_s = send.port_s;
    each.connection_s = send.connection_s;
    auto range = std::ranges::upper_bound(ranges, begin, {}, &Range::end);
    for (; range != ranges.end() && range->begin < end; ++range) each.after.push_back(range->receive);
    sends.push_back(std::move(each));
    message_->add_send(begin);
  }
  // Every message has its place already: all that may come are asked for.
  constexpr int kReceives = 64;
  TreeExecutor::Limits limits;
  limits.receives = limits.ahead = kReceives;
  limits.overtake = true;
  limits.keep_pace = kSimulated;  // queues of the network do not exist there
  limits.may_sleep = channel.context().crowded();
  executor_.emplace(channel, message_, std::move(receives), std::move(sends), limits, nullptr);
}

void SizedPart::begin(void* buffer) {
  message_->use(static_cast<std::byte*>(buffer));
  executor_->begin();
}

}  // namespace sluice::mpi::detail
