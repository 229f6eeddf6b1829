#include "run/mpi/exchange/message_sources.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>

#include "run/mpi/engine/fence.hpp"
#include "run/mpi/runtime/collective.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::mpi::detail {
std::vector<MessageSize> find_sources(Channel& channel, const std::vector<MessageSize>& sends) {
  const auto sizes = std::make_shared<std::vector<std::int64_t>>();
  for (const MessageSize& message : sends) sizes->push_back(message.bytes);
  std::deque<Pending> told;
  for (std::size_t i = 0; i < sends.size(); ++i) {
    if (sends[i].bytes == 0 || sends[i].peer == channel.rank()) continue;
    told.emplace_back(channel, sizes);
    told.back().send_synchronous(&(*sizes)[i], sizeof(std::int64_t), sends[i].peer, Tag::kSizes);
  }
  std::vector<MessageSize> receives;
  Fence fence(channel, Fence::kConsensus);
  bool entered = false;
  const auto take = [&] {
    for (;;) {
      int there = 0;
      MPI_Status status;
      SLUICE_MPI(MPI_Iprobe(MPI_ANY_SOURCE, channel.tag(Tag::kSizes), channel.comm(), &there, &status));
      if (there == 0) return;
      const auto bytes = std::make_shared<std::int64_t>(0);
      receive_and_wait(channel, bytes, bytes.get(), sizeof(std::int64_t), status.MPI_SOURCE, Tag::kSizes);
      receives.push_back({status.MPI_SOURCE, *bytes});
    }
  };
  channel.wait_until([&] {
    take();
    while (const auto message = channel.poll()) fence.take(message->control);
    while (!told.empty() && told.front().test()) told.pop_front();
    if (told.empty() && !entered) {
      entered = true;
      fence.enter();
    }
    return entered && fence.open();
  });
  take();
  std::ranges::sort(receives, {}, &MessageSize::peer);
  return receives;
}

}  // namespace sluice::mpi::detail
