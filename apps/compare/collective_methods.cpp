#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "apps/compare/compare.hpp"
#include "apps/compare/comparison.hpp"
#include "apps/compare/known_contents.hpp"
#include "apps/compare/reduction_operations.hpp"
#include "sluice/checked.hpp"
#include "sluice/error.hpp"
#include "sluice/quantity_text.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::compare {
namespace {

constexpr std::size_t kMatrixRows = 2;
constexpr std::int64_t kMost = std::numeric_limits<int>::max();  // MPI-3 counts in int

/// "mpi-allgather".
std::string method_of_mpi(Collective problem) { return "mpi-" + std::string(to_string(problem)); }

class PlannedCollective final : public Method {
 public:
  explicit PlannedCollective(mpi::CollectiveJob job) : job_(std::move(job)) {}

  void execute(const void* source, void* target) override { job_.execute(source, target); }
  void settle(const void* source, void* target) override {
    for (int i = 0; i < kTurns && !job_.settled(); ++i) job_.execute(source, target);
  }
  [[nodiscard]] std::int64_t held_bytes() const override { return job_.peak_extra_bytes(); }
  /// MPI's own collective has no model.
  [[nodiscard]] std::optional<double> predicted_s() override {
    const double predicted_s = job_.chosen().predicted_s;
    return predicted_s > 0 ? std::optional(predicted_s) : std::nullopt;
  }
  [[nodiscard]] std::string how() override { return job_.explanation(); }

 private:
  mpi::CollectiveJob job_;
};

/// MPI's own call.
class CollectiveOfMpi final : public Method {
 public:
  CollectiveOfMpi(const Communicator& comm, const Program& shape, const mpi::ElementOperation& elements)
      : comm_(comm), shape_(shape), elements_(elements), bytes_(static_cast<int>(shape.size_bytes)) {
    const bool pairs = shape.problem == Collective::kAlltoall;
    for (int rank = 0; rank < comm.size(); ++rank) {
      if (combines(shape.problem))
        shares_.push_back(static_cast<int>(block_of(shape, rank).bytes / shape.element_bytes));
      if (shape.block_offsets.empty() || combines(shape.problem)) continue;
      add(blocks_, pairs ? block_of(shape, comm.rank(), rank).bytes : block_of(shape, rank).bytes);
      add(received_, pairs ? block_of(shape, rank, comm.rank()).bytes : 0);
    }
  }

  void execute(const void* source, void* target) override {
    if (!blocks_.bytes.empty()) {
      execute_by_blocks(source, target);
      return;
    }
    const int root = static_cast<int>(shape_.root);
    const int count = static_cast<int>(elements_.count);
    switch (shape_.problem) {
      case Collective::kScatter:
        SLUICE_MPI(MPI_Scatter(source, bytes_, MPI_BYTE, target, bytes_, MPI_BYTE, root, comm_.get()));
        break;
      case Collective::kGather:
        SLUICE_MPI(MPI_Gather(source, bytes_, MPI_BYTE, target, bytes_, MPI_BYTE, root, comm_.get()));
        break;
      case Collective::kAllgather:
        SLUICE_MPI(MPI_Allgather(source, bytes_, MPI_BYTE, target, bytes_, MPI_BYTE, comm_.get()));
        break;
      case Collective::kAlltoall:
        SLUICE_MPI(MPI_Alltoall(source, bytes_, MPI_BYTE, target, bytes_, MPI_BYTE, comm_.get()));
        break;
      case Collective::kReduceScatter:
        SLUICE_MPI(MPI_Reduce_scatter(source, target, shares_.data(), elements_.type, elements_.op, comm_.get()));
        break;
      default:
        SLUICE_MPI(MPI_Allreduce(source, target, count, elements_.type, elements_.op, comm_.get()));
        break;
    }
  }

 private:
  /// Blocks of different sizes, one after the other.
  struct Blocks {
    std::vector<int> bytes;
    std::vector<int> offsets;
  };
  static void add(Blocks& blocks, std::int64_t bytes) {
    blocks.offsets.push_back(blocks.bytes.empty() ? 0 : blocks.offsets.back() + blocks.bytes.back());
    blocks.bytes.push_back(static_cast<int>(bytes));
  }
  void execute_by_blocks(const void* source, void* target) {
    const int root = static_cast<int>(shape_.root);
    const int *const bytes = blocks_.bytes.data(), *const at = blocks_.offsets.data();
    const int own = blocks_.bytes[static_cast<std::size_t>(comm_.rank())];
    switch (shape_.problem) {
      case Collective::kScatter:
        SLUICE_MPI(MPI_Scatterv(source, bytes, at, MPI_BYTE, target, own, MPI_BYTE, root, comm_.get()));
        break;
      case Collective::kGather:
        SLUICE_MPI(MPI_Gatherv(source, own, MPI_BYTE, target, bytes, at, MPI_BYTE, root, comm_.get()));
        break;
      case Collective::kAllgather:
        SLUICE_MPI(MPI_Allgatherv(source, own, MPI_BYTE, target, bytes, at, MPI_BYTE, comm_.get()));
        break;
      default:
        SLUICE_MPI(MPI_Alltoallv(source, bytes, at, MPI_BYTE, target, received_.bytes.data(), received_.offsets.data(),
                                 MPI_BYTE, comm_.get()));
        break;
    }
  }

  const Communicator& comm_;
  Program shape_;
  mpi::ElementOperation elements_;
  int bytes_;
  std::vector<int> shares_;
  Blocks blocks_;    ///< of all ranks; of alltoall, those that this rank has for each
  Blocks received_;  ///< of alltoall, those that each has for this rank
};

/// A collective of known contents, and the methods that can do it.
class ComparedCollective final : public ComparedJob {
 public:
  /// Throws InputError.
  ComparedCollective(const Communicator& comm, const CollectiveContents& contents,
                     const mpi::CollectiveOptions& options)
      : comm_(comm), options_(options), counts_(contents.counts) {
    shape_.problem = contents.problem;
    shape_.ranks = comm.size();
    shape_.size_bytes = contents.bytes;
    shape_.root = contents.root;
    shape_.element_bytes = element_bytes(contents);
    shape_.commutative = !contents.in_order;
    if (contents.bytes < 0 || contents.bytes % shape_.element_bytes != 0)
      throw InputError("bytes", fmt::format("{}", contents.bytes),
                       fmt::format("at least 0, whole elements of {}", shape_.element_bytes));
    if (!contents.counts.empty()) set_blocks(shape_, contents.counts);
    if (contents.root < 0 || contents.root >= comm.size())
      throw InputError("root", fmt::format("{}", contents.root), index_text(comm.size(), "rank"));
    (void)checked::multiply(array_bytes(shape_), comm.size(), "bytes of all ranks");
    if (combines(contents.problem)) {
      const std::int64_t count = shape_.size_bytes / shape_.element_bytes;
      elements_ = {count, MPI_UINT64_T, MPI_SUM};
      if (contents.in_order) elements_ = operation_.emplace(kMatrixRows * kMatrixRows, multiply, false).on(count);
    }
    for (int rank = 0; rank < comm.size(); ++rank) bytes_moved_ += total_bytes(ranges_at_end(shape_, rank));
    source_.resize(static_cast<std::size_t>(total_bytes(ranges_at_start(shape_, comm.rank()))));
    target_.resize(static_cast<std::size_t>(total_bytes(ranges_at_end(shape_, comm.rank()))));
    if (combines(shape_.problem)) {
      source_ = words_of(comm.rank(), {0, shape_.size_bytes});
      expected_ = combined();
    } else {
      for_blocks(true, source_, [](std::span<std::byte> block, int from, int to) { fill_known(block, from, to); });
    }
    reset_target();
  }

  [[nodiscard]] std::unique_ptr<Method> make(const std::string& method) override {
    if (method == method_of_mpi(shape_.problem)) return std::make_unique<CollectiveOfMpi>(comm_, shape_, elements_);
    mpi::CollectiveOptions options = options_;
    if (method != "sluice") {
      options.algorithm = method;
      options.try_native = false;
      options.program.reset();
    }
    return std::make_unique<PlannedCollective>(job(options));
  }
  [[nodiscard]] std::string beyond(const std::string& method) const override {
    const std::int64_t counted = combines(shape_.problem)       ? elements_.count
                                 : shape_.block_offsets.empty() ? shape_.size_bytes
                                                                : largest_part(shape_);
    return method == method_of_mpi(shape_.problem) && counted > kMost ? "more than it can count" : "";
  }
  [[nodiscard]] std::int64_t bytes_moved() const override { return bytes_moved_; }
  [[nodiscard]] const std::byte* source() const override { return source_.data(); }
  [[nodiscard]] std::byte* target() override { return target_.data(); }
  void reset_target() override {
    if (combines(shape_.problem)) {
      std::ranges::transform(expected_, target_.begin(), [](std::byte b) { return ~b; });
      return;
    }
    for_blocks(false, target_, [](std::span<std::byte> block, int from, int to) { fill_known(block, from, to, true); });
  }
  [[nodiscard]] std::string check_target() const override {
    if (combines(shape_.problem)) {
      const auto [is, should] = std::ranges::mismatch(target_, expected_);
      return is == target_.end() ? "" : fmt::format("byte {} of the result is wrong", is - target_.begin());
    }
    std::string wrong;
    for_blocks(false, target_, [&](std::span<const std::byte> block, int from, int to) {
      const std::int64_t at = first_wrong(block, from, to);
      if (at >= 0 && wrong.empty())
        wrong = fmt::format("the block {} of rank {} is wrong in the 8 bytes from {}", to, from, at);
    });
    return wrong;
  }

 private:
  using Buffer = std::vector<std::byte>;

  [[nodiscard]] mpi::CollectiveJob job(const mpi::CollectiveOptions& options) const {
    const int root = static_cast<int>(shape_.root);
    if (!combines(shape_.problem)) {
      if (counts_.empty()) return {comm_.get(), shape_.problem, shape_.size_bytes, root, options};
      return {comm_.get(), shape_.problem, counts_, root, options};
    }
    if (counts_.empty()) return {comm_.get(), shape_.problem, elements_, options};
    std::vector<std::int64_t> shares = counts_;
    for (std::int64_t& share : shares) share /= shape_.element_bytes;
    return {comm_.get(), shape_.problem, elements_, shares, options};
  }

  /// Calls use(bytes, from, to) for each block of a buffer, which holds what this rank has at the start or must have at
  /// the end. The block belongs to rank `from`, and is for rank `to` if a rank has several.
  template <class Bytes, class Use>
  void for_blocks(bool start, Bytes& buffer, Use use) const {
    if (buffer.empty()) return;
    const bool pairs = shape_.problem == Collective::kAlltoall;
    const bool all = pairs || start == (shape_.problem == Collective::kScatter);
    std::size_t at = 0;
    for (int rank = all ? 0 : comm_.rank(); rank < (all ? comm_.size() : comm_.rank() + 1); ++rank) {
      const int from = pairs && start ? comm_.rank() : rank, to = pairs ? (start ? rank : comm_.rank()) : 0;
      const ByteRange block = pairs ? block_of(shape_, from, to) : block_of(shape_, rank);
      const auto bytes = static_cast<std::size_t>(block.bytes);
      use(std::span(buffer).subspan(at, bytes), from, to);
      at += bytes;
    }
  }

  /// What a rank has at the start in a range, where ranks combine.
  [[nodiscard]] static Buffer words_of(int rank, const ByteRange& range) {
    Buffer bytes(static_cast<std::size_t>(range.bytes));
    for (std::int64_t at = 0; at < range.bytes; at += kWord) {
      const std::uint64_t word =
          known_word(static_cast<std::uint64_t>(rank) + 1, static_cast<std::uint64_t>((range.offset + at) / kWord));
      std::memcpy(bytes.data() + at, &word, sizeof word);
    }
    return bytes;
  }
  /// The result that this rank must have, computed by this process alone from the elements of all ranks.
  [[nodiscard]] Buffer combined() const {
    const std::vector<ByteRange> ranges = ranges_at_end(shape_, comm_.rank());
    if (ranges.empty()) return {};
    Buffer all = words_of(0, ranges.front());
    for (int rank = 1; rank < comm_.size(); ++rank) {
      const Buffer next = words_of(rank, ranges.front());
      const auto element = static_cast<std::size_t>(shape_.element_bytes);
      for (std::size_t at = 0; at < all.size(); at += element) combine(all.data() + at, next.data() + at);
    }
    return all;
  }
  void combine(std::byte* left, const std::byte* right) const {
    constexpr std::size_t kWords = kMatrixRows * kMatrixRows;
    std::uint64_t a[kWords];
    std::uint64_t b[kWords];
    std::uint64_t c[kWords];
    const auto element = static_cast<std::size_t>(shape_.element_bytes);
    std::memcpy(a, left, element);
    std::memcpy(b, right, element);
    if (shape_.commutative) {
      c[0] = a[0] + b[0];
    } else {
      multiply_matrices(a, b, c, kMatrixRows);
    }
    std::memcpy(left, c, element);
  }

  const Communicator& comm_;
  mpi::CollectiveOptions options_;
  std::vector<std::int64_t> counts_;
  Program shape_;
  std::optional<WordOperation> operation_;
  mpi::ElementOperation elements_;
  std::int64_t bytes_moved_ = 0;
  Buffer source_;
  Buffer target_;
  Buffer expected_;  ///< where ranks combine
};

}  // namespace

std::int64_t element_bytes(const CollectiveContents& contents) {
  if (!combines(contents.problem)) return 1;
  return contents.in_order ? kWord * static_cast<std::int64_t>(kMatrixRows * kMatrixRows) : kWord;
}

std::vector<std::string> collective_methods(Collective problem) { return {"sluice", method_of_mpi(problem)}; }

Comparison collectives(MPI_Comm comm, const CollectiveContents& contents, const mpi::CollectiveOptions& options,
                       const std::vector<std::string>& methods, int repetitions, bool record) {
  const Communicator own(comm);
  check_comparison(own, methods, repetitions);
  expect_same(own, fmt::format("{} {} {} {} {}", static_cast<int>(contents.problem), contents.bytes, contents.root,
                               contents.in_order, fmt::join(contents.counts, ",")));
  ComparedCollective compared(own, contents, options);
  return run_comparison(own, compared, methods, repetitions, record);
}

}  // namespace sluice::compare
