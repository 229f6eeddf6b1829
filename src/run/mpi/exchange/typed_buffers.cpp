#include "run/mpi/exchange/typed_buffers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "run/mpi/runtime/context_registry.hpp"
#include "run/mpi/runtime/element_layout.hpp"
#include "sluice/checked.hpp"
#include "sluice/error.hpp"
#include "sluice/quantity_text.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::mpi::detail {
namespace {

/// MPI_Pack counts in int.
constexpr std::int64_t kMostPackedBytes = std::numeric_limits<int>::max();

}  // namespace

TypedBuffers::TypedBuffers(const std::vector<TypedMessage>& sends, const std::vector<TypedMessage>& receives)
    : sends_(checked(sends, "sends")), receives_(checked(receives, "receives")) {}

std::vector<TypedBuffers::Message> TypedBuffers::checked(const std::vector<TypedMessage>& messages, const char* where) {
  std::vector<Message> result;
  for (const TypedMessage& message : messages) {
    if (message.count < 0) {
      throw InputError(where, fmt::format("{} for rank {}", count_text(message.count, "element"), message.peer),
                       "at least 0");
    }
    if (message.count == 0) continue;
    if (message.type == MPI_DATATYPE_NULL) throw InputError(where, "MPI_DATATYPE_NULL", "a committed type");
    const ElementLayout layout(message.type);
    Message each;
    each.user = message;
    each.bytes = sluice::checked::multiply(message.count, layout.size, where);
    each.extent = layout.extent;
    each.lower = layout.true_lower;
    each.in_a_row = (layout.extent == layout.size || message.count == 1) && is_one_run(message.type);
    if (!each.in_a_row && layout.size > kMostPackedBytes) {
      throw InputError(where, fmt::format("a type of {} bytes that do not lie in a row", layout.size),
                       fmt::format("at most {} bytes, as many as MPI packs at once", kMostPackedBytes));
    }
    if (each.bytes > 0) result.push_back(std::move(each));
  }
  return result;
}

std::vector<MessageSize> TypedBuffers::sizes(const std::vector<Message>& messages) {
  std::vector<MessageSize> result;
  for (const Message& message : messages) result.push_back({message.user.peer, message.bytes});
  return result;
}

std::byte* TypedBuffers::buffer_of(Message& message) {
  if (message.buffer == nullptr) {
    message.buffer = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(message.bytes));
    buffer_bytes_ += message.bytes;
  }
  return message.buffer.get();
}

/// Packs or unpacks a message, at a time as many elements as MPI can count bytes of.
template <class Step>
static void in_steps(std::int64_t count, std::int64_t bytes, Step&& step) {
  const std::int64_t size = bytes / count;
  const std::int64_t most = std::max<std::int64_t>(1, kMostPackedBytes / size);
  for (std::int64_t at = 0; at < count; at += most) {
    const std::int64_t some = std::min(most, count - at);
    step(at, static_cast<int>(some), at * size, static_cast<int>(some * size));
  }
}

std::vector<const std::byte*> TypedBuffers::sources(const std::byte* buffer, bool copy) {
  std::vector<const std::byte*> result;
  for (Message& message : sends_) {
    const std::byte* const first = buffer + message.user.offset;
    if (message.in_a_row && !copy) {
      result.push_back(first + message.lower);
      continue;
    }
    std::byte* const packed = buffer_of(message);
    result.push_back(packed);
    if (message.in_a_row) {
      std::memcpy(packed, first + message.lower, static_cast<std::size_t>(message.bytes));
      continue;
    }
    in_steps(message.user.count, message.bytes, [&](std::int64_t at, int count, std::int64_t begin, int bytes) {
      int position = 0;
      SLUICE_MPI(MPI_Pack(first + at * message.extent, count, message.user.type, packed + begin, bytes, &position,
                          returning_self()));
    });
  }
  return result;
}

std::vector<std::byte*> TypedBuffers::targets(std::byte* buffer) {
  target_ = buffer;
  std::vector<std::byte*> result;
  for (Message& message : receives_)
    result.push_back(message.in_a_row ? buffer + message.user.offset + message.lower : buffer_of(message));
  return result;
}

void TypedBuffers::unpack() {
  for (Message& message : receives_) {
    if (message.in_a_row) continue;
    std::byte* const first = target_ + message.user.offset;
    in_steps(message.user.count, message.bytes, [&](std::int64_t at, int count, std::int64_t begin, int bytes) {
      int position = 0;
      SLUICE_MPI(MPI_Unpack(message.buffer.get() + begin, bytes, &position, first + at * message.extent, count,
                            message.user.type, returning_self()));
    });
  }
}

}  // namespace sluice::mpi::detail
