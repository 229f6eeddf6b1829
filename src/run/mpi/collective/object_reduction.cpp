#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "run/mpi/collective/reduction_costs.hpp"
#include "run/mpi/collective/reduction_job.hpp"
#include "run/mpi/collective/tree_objects.hpp"
#include "run/mpi/engine/fence.hpp"
#include "run/mpi/runtime/collective.hpp"
#include "sluice/error.hpp"
#include "sluice/run/mpi/reduction.hpp"

namespace sluice::mpi {
namespace {

/// Word from the root that it has the result, forwarded along a binomial tree.
class EndWord {
 public:
  EndWord(detail::Channel& channel, int root) : channel_(channel), root_(root) {}

  void begin() {
    ++execution_;
    told_ = false;
  }
  /// Whether the word is here; `here`: this rank is the root, and has the result.
  bool look(bool here) {
    while (const auto message = channel_.poll()) come_ = std::max(come_, message->control.execution);
    if (!told_ && (here || come_ >= execution_)) tell();
    return told_;
  }

 private:
  void tell() {
    told_ = true;
    const int size = channel_.size();
    const int place = (channel_.rank() - root_ + size) % size;
    int distance = 1;
    while (distance < size && (place & distance) == 0) distance *= 2;
    for (distance /= 2; distance > 0; distance /= 2) {
      if (place + distance < size) channel_.send((place + distance + root_) % size, {0, 0, 0, 0, execution_});
    }
  }

  detail::Channel& channel_;
  int root_;
  std::int64_t execution_ = 0;
  std::int64_t come_ = 0;
  bool told_ = false;
};

}  // namespace

struct ObjectReduction::State final : detail::ReductionJob {
  State(std::shared_ptr<detail::Context> context, std::int64_t number, const ObjectOperation& user_operation,
        int user_root, const ReductionOptions& user_options)
      : ReductionJob(std::move(context), number, user_options, user_root),
        operation(user_operation),
        word(channel, user_root) {
    data.objects = true;
    data.commutative = operation.commutative;
    const detail::Arguments arguments = arguments_of(options, data, root);
    compare(arguments, arguments, detail::failure_of([&] {
              if (!operation.combine) throw InputError("combine", "no function", "one that combines two objects");
              if (options.reproducible.has_value())
                throw InputError("reproducible", "a reduction of objects", "elements");
              check(arguments, data);
            }));
    if (!measures(data)) prepare(options.costs.value_or(usual_costs(data)));
  }
  ~State() override { close(); }

  void prepare(const ReductionCosts& costs) {
    choose(data, costs, false);
    describe(*planned);
    const auto& part = std::get<detail::ReductionChoice::Tree>(planned->part).part;
    objects = std::make_shared<detail::TreeObjects>(operation, part, channel.rank());
    detail::ReadyCarrier::Limits limits;
    limits.any_order = options.dynamic;
    set_engine(objects, part, limits, [this] { objects->use(object); });
  }

  void measure(std::span<const std::byte> mine) {
    using namespace detail;
    // Ranks may have objects of different sizes, but the message that is timed has one.
    const std::int64_t bytes = largest(static_cast<std::int64_t>(mine.size()), channel);
    data.element_bytes = bytes;
    // Another rank's object: an operation may be much faster on two that are equal.
    constexpr std::int64_t kMost = std::int64_t{1} << 30;
    const int peer = measuring_peer(channel);
    struct Both {
      Bytes own;
      Bytes theirs;
      std::int64_t own_size = 0;
      std::int64_t size = 0;
    };
    const auto both = std::make_shared<Both>();
    both->own.assign(mine.begin(), mine.end());
    both->own_size = static_cast<std::int64_t>(mine.size());
    const auto swap = [&](const void* out, std::int64_t out_bytes, void* in, std::int64_t in_bytes) {
      Pending receive(channel, both);
      Pending send(channel, both);
      receive.receive(in, static_cast<int>(in_bytes), peer, Tag::kMeasure);
      send.send(out, static_cast<int>(out_bytes), peer, Tag::kMeasure);
      send.wait();
      receive.wait();
    };
    if (peer != MPI_PROC_NULL && bytes <= kMost) {
      swap(&both->own_size, sizeof both->own_size, &both->size, sizeof both->size);
      both->theirs.resize(static_cast<std::size_t>(both->size));
      swap(both->own.data(), both->own_size, both->theirs.data(), both->size);
    } else {
      both->theirs = both->own;
    }
    const std::span<const std::byte> theirs = both->theirs;
    const bool first = channel.rank() < peer;
    Bytes result;
    const ReductionCosts costs = measure_costs(channel, bytes, false, [&](std::int64_t /*parts*/) {
      result.clear();
      operation.combine(first ? mine : theirs, first ? theirs : mine, result);
    });
    prepare(costs);
  }

  void begin(std::span<const std::byte> mine, Bytes& result) {
    start([] {},
          [&] {
            if (!objects) measure(mine);
            target = &result;
            object = mine;
            word.begin();
            sent = false;
            return ways.begin(false);
          });
  }

  detail::Advance advance() override {
    if (!sent) {
      const detail::Advance own = ReductionJob::advance();
      if (own != detail::Advance::kOver) return own;
      sent = true;
    }
    const bool together = options.end_together && channel.size() > 1;
    if (together && !word.look(is_root())) return detail::Advance::kIdle;
    return detail::Advance::kOver;
  }
  void finish() override {
    if (is_root() && target != nullptr) objects->take(*target);
    target = nullptr;
  }

  ObjectOperation operation;
  detail::ReducedData data;
  std::shared_ptr<detail::TreeObjects> objects;
  EndWord word;

  // The present execution.
  std::span<const std::byte> object;  ///< this rank's
  Bytes* target = nullptr;
  bool sent = false;  ///< this rank's part is done
};

ObjectReduction::ObjectReduction(MPI_Comm comm, const ObjectOperation& operation, int root,
                                 const ReductionOptions& options)
    : state_(detail::make_job<State>(comm, operation, root, options)) {}

ObjectReduction::~ObjectReduction() = default;
ObjectReduction::ObjectReduction(ObjectReduction&&) noexcept = default;
ObjectReduction& ObjectReduction::operator=(ObjectReduction&&) noexcept = default;

void ObjectReduction::execute(std::span<const std::byte> own, Bytes& result) {
  state_->begin(own, result);
  state_->wait();
}
void ObjectReduction::start(std::span<const std::byte> own, Bytes& result) { state_->begin(own, result); }
bool ObjectReduction::test() { return state_->test(); }
void ObjectReduction::wait() { state_->wait(); }

const ReductionSummary& ObjectReduction::summary() const { return state_->summary(); }
Overlap ObjectReduction::overlap() const { return state_->overlap(); }
std::int64_t ObjectReduction::peak_extra_bytes() const { return state_->objects ? state_->objects->held_bytes() : 0; }

}  // namespace sluice::mpi
