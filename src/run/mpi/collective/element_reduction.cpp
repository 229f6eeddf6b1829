#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "run/mpi/collective/memory_part.hpp"
#include "run/mpi/collective/program_engine.hpp"
#include "run/mpi/collective/reduction_costs.hpp"
#include "run/mpi/collective/reduction_job.hpp"
#include "run/mpi/collective/tree_elements.hpp"
#include "run/mpi/elements/element_operation.hpp"
#include "run/mpi/engine/memory_carrier.hpp"
#include "run/mpi/runtime/simulation.hpp"
#include "run/mpi/ways/choice.hpp"
#include "run/mpi/ways/native_reduction.hpp"
#include "sluice/checked.hpp"
#include "sluice/error.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::mpi {
namespace {

using detail::ReductionChoice;

/// Messages of parts posted, or there and not combined yet: enough for one to come while another is combined and a
/// third is asked for. If ranks are simulated, messages that are on their way at once slow each other down. A rank that
/// combines does not see that a send has ended. So only its receiver limits how many there are.
constexpr int kPartsAhead = detail::kSimulated ? 3 : 4;
constexpr int kPartsSent = detail::kSimulated ? std::numeric_limits<int>::max() : 2;
/// The root may try to combine all if that takes no longer. The first call of an operation takes longer than later
/// ones.
constexpr double kShortOperation_s = 100e-6;

constexpr const char* kReduceOfMpi = detail::native_call("MPI_Reduce", "MPI_Ireduce");

}  // namespace

struct ElementReduction::State final : detail::ReductionJob {
  State(std::shared_ptr<detail::Context> context, std::int64_t number, const ElementOperation& operation, int user_root,
        const ReductionOptions& user_options);
  ~State() override { close(); }

  void begin(const void* mine, void* result);
  /// Whether the way is left to the library, and there is one to go.
  [[nodiscard]] bool chooses_freely() const {
    return options.algorithm == "auto" && !options.segments && !options.dynamic && !options.program &&
           channel.size() > 1 && elements.count > 0;
  }
  [[nodiscard]] bool tries_native() const { return options.try_native && chooses_freely() && !reproducible; }
  /// Whether there are two programs, and executions find out which is faster.
  [[nodiscard]] bool tries_programs() const {
    const auto* pieces = planned ? std::get_if<ReductionChoice::Pieces>(&planned->part) : nullptr;
    return pieces != nullptr && pieces->cheap && detail::MemoryCarrier::possible(channel.context());
  }
  /// The rule that applies to `bytes` of elements. @pre the method is left to the library
  [[nodiscard]] const detail::Rule& rule(std::int64_t bytes) const;
  void measure(const void* mine, const void* result);
  void prepare(const ReductionCosts& costs, bool parts_known);
  void prepare(const ReductionChoice::Tree& tree);
  void prepare(const ReductionChoice::Pieces& pieces);
  /// By programs through the memory that all ranks share.
  void prepare_by_memory(const ReductionChoice::Pieces& pieces);
  /// Once it is known what the plan is.
  void choose_way();
  /// Tells what the trial has found, if that is something new.
  void note_trial();
  /// The plan goes by messages of MPI.
  void set_data(const std::shared_ptr<detail::ElementData>& here, const sluice::detail::OwnPart& part,
                const detail::ReadyCarrier::Limits& limits);
  /// After the first execution: the root is against trying to combine all by itself if that would take longer than the
  /// whole execution has. Other ranks have no say, because each that lost its processor meanwhile would be against it.
  void judge_operation();

  detail::Advance advance() override {
    const detail::Advance come = ReductionJob::advance();
    if (come != detail::Advance::kOver) return come;
    if (tries_programs()) judge_operation();
    note_trial();
    return come;
  }

  ElementOperation elements;
  detail::ReducedData data;
  bool reproducible = true;
  detail::ElementData* timed = nullptr;  ///< the plan's, if its operation is timed
  detail::NativeCollective native{channel};

  // The present execution.
  const void* own_elements = nullptr;
  void* combined = nullptr;
  double start_s = 0;
};

ElementReduction::State::State(std::shared_ptr<detail::Context> context, std::int64_t number,
                               const ElementOperation& operation, int user_root, const ReductionOptions& user_options)
    : ReductionJob(std::move(context), number, user_options, user_root), elements(operation) {
  detail::Arguments arguments("reduction");
  detail::Arguments own = arguments;
  const std::exception_ptr failure = detail::failure_of([&] {
    elements = detail::checked_operation(elements);
    int commutes = 0;
    SLUICE_MPI(MPI_Op_commutative(elements.op, &commutes));
    data = {false, commutes != 0, elements.count, detail::ElementLayout(elements.type).size};
    const std::int64_t bytes = checked::multiply(elements.count, data.element_bytes, "bytes");
    reproducible =
        options.reproducible.value_or(!options.measure && !options.dynamic && detail::order_may_matter(elements));
    const bool free_to_choose =
        chooses_freely() && !options.costs && !options.measure && !options.platform && !detail::kSimulated;
    data.built_in = detail::is_built_in(elements.op);
    if (free_to_choose) data.rule = &rule(bytes);
    // MPI's own call is tried in the same executions, so only one of the two is.
    data.root_may_combine = data.rule != nullptr && data.rule->by == detail::By::kShares && !data.built_in &&
                            channel.size() > 1 && !tries_native();
    arguments = arguments_of(options, data, root);
    arguments.add(reproducible);
    add_operation(arguments, elements);
    own = arguments;
    // The measurement concerns one operation, and each rank has its own handles for it.
    if (!reproducible || data.root_may_combine) own.add_all(MPI_Op_c2f(elements.op), MPI_Type_c2f(elements.type));
    check(own, data);
  });
  compare(arguments, own, failure);
  if (options.measure && !planned) return;  // the first execution does
  if (planned) {
    prepare(planned->costs, false);
  } else {
    const ReductionCosts costs = options.costs.value_or(usual_costs(data));
    const bool usual = !options.costs && !options.platform;
    prepare(costs, usual || costs.transfer_overhead > 0);
  }
  choose_way();
}

const detail::Rule& ElementReduction::State::rule(std::int64_t bytes) const {
  using detail::Where;
  // An operation of the user may be expensive, so every rank combines a share; shares keep the order of the ranks.
  // With fewer elements than ranks, some ranks would have nothing to combine.
  const bool in_shares = data.built_in || elements.count >= channel.size();
  const Where where = where_of(channel.context()) | when(data.built_in, Where::kBuiltIn) |
                      when(data.commutative, Where::kCommutes) | when(in_shares, Where::kShares) |
                      when(!reproducible, Where::kAnyOrder);
  return detail::choose({detail::JobKind::kReduction, detail::Question::kWay, where, bytes, channel.size()});
}

void ElementReduction::State::choose_way() {
  if (!tries_programs()) {  // otherwise chosen when the programs were prepared
    ways.choose(tries_native() ? detail::Use::kTurns : detail::Use::kPlan, kept());
    ways.set_mpi(kReduceOfMpi, [this] {
      return detail::way_by(&native, [this](auto& by, auto turn) {
        by.begin(detail::reduce_by_mpi(own_elements, combined, elements, root, channel.comm()), nullptr,
                 std::move(turn));
      });
    });
  }
  note_trial();
}

void ElementReduction::State::judge_operation() {
  if (!ways.first() || timed == nullptr) return;
  timed->time_operation(false);
  if (!is_root()) return;
  const double alone_s = timed->operation_s() * channel.size();
  if (alone_s > std::max(kShortOperation_s, MPI_Wtime() - start_s)) ways.advise_against();
}

void ElementReduction::State::note_trial() {
  if (tries_programs()) {
    const char* const method = memory_method(Collective::kReduce, detail::MemoryReduction::kFlat);
    const auto& pieces = std::get<ReductionChoice::Pieces>(planned->part);
    if (ways.other_serves() && summary().method != method)
      describe({method, 0, planned->costs, ReductionChoice::Pieces{pieces.shape, *pieces.cheap}});
    return;
  }
  const detail::WayTimes measured = ways.measured();
  const bool by_mpi = ways.other_serves();
  const ReductionSummary& noted = summary();
  if (by_mpi == noted.native && measured.planned_s == noted.planned_s && measured.other_s == noted.native_s) return;
  if (by_mpi) {
    describe({kReduceOfMpi, 0, planned->costs, ReductionChoice::Native{}}, measured);
  } else {
    describe(*planned, measured);
  }
}

void ElementReduction::State::prepare(const ReductionCosts& costs, bool parts_known) {
  choose(data, costs, parts_known);
  describe(*planned);
  if (const auto* tree = std::get_if<ReductionChoice::Tree>(&planned->part)) prepare(*tree);
  if (const auto* pieces = std::get_if<ReductionChoice::Pieces>(&planned->part)) prepare(*pieces);
}

void ElementReduction::State::prepare_by_memory(const ReductionChoice::Pieces& pieces) {
  // The trial of short executions sees little but how late ranks are.
  if (pieces.cheap) ways.choose(detail::Use::kTurns, kept(), /*other_if_alike=*/true);
  detail::ProgressThread* const thread = options.progress_thread ? channel.context().progress_thread() : nullptr;
  const auto make = [&](const sluice::detail::OwnPart& part) {
    return std::make_unique<detail::ProgramEngine>(channel, elements, pieces.shape, part, thread);
  };
  const bool undecided = pieces.cheap && !ways.over();
  if (!ways.other_serves()) {
    auto program = make(pieces.part);
    if (undecided) {
      timed = &program->data();
      timed->time_operation(true);
    }
    auto plan = detail::way_by(std::move(program), [this](auto& by, auto /*turn*/) {
      start_s = MPI_Wtime();
      by.begin(own_elements, combined);
    });
    ways.set_plan(std::move(plan), /*keep=*/!pieces.cheap);
  }
  if (!undecided && !ways.other_serves()) return;
  const char* const name = memory_method(Collective::kReduce, detail::MemoryReduction::kFlat);
  ways.set_second_plan(
      name, detail::way_by(make(*pieces.cheap), [this](auto& by, auto /*turn*/) { by.begin(own_elements, combined); }));
}

void ElementReduction::State::prepare(const ReductionChoice::Pieces& pieces) {
  if (detail::MemoryCarrier::possible(channel.context())) return prepare_by_memory(pieces);
  const auto here = std::make_shared<detail::ProgramData>(elements, pieces.shape, channel.rank(), pieces.part);
  detail::ReadyCarrier::Limits limits = limits_of_program(elements.type, *here);
  if (!pieces.crosses_links) {
    // A message is sent when enough earlier messages have left, and received in its turn. Every rank receives in the
    // one order that lets all messages pass one after the other, so nothing waits in a circle.
    limits.pace = {std::numeric_limits<double>::infinity(), 0};
    limits.overtake = limits.keep_pace = false;
    limits.receives = 1;
    limits.ahead = kPartsAhead;
    limits.sends = kPartsSent;
  }
  set_data(here, pieces.part, limits);
}

void ElementReduction::State::prepare(const ReductionChoice::Tree& tree) {
  detail::ReadyCarrier::Limits limits;
  limits.type = elements.type;
  limits.any_order = options.dynamic;
  if (tree.segments > 1) {
    limits.ahead = kPartsAhead;
    limits.sends = kPartsSent;
  }
  set_data(std::make_shared<detail::TreeElements>(elements, tree.part, channel.rank()), tree.part, limits);
}

void ElementReduction::State::set_data(const std::shared_ptr<detail::ElementData>& here,
                                       const sluice::detail::OwnPart& part,
                                       const detail::ReadyCarrier::Limits& limits) {
  set_engine(here, part, limits, [this, to = here.get()] { to->use(own_elements, combined); });
}

void ElementReduction::State::measure(const void* mine, const void* result) {
  const void* const from = mine == MPI_IN_PLACE ? result : mine;
  // Each as if the elements had just come; what combining has made of them might cost more or less.
  const detail::ElementCopy copy(elements, from);
  const std::int64_t extent = detail::ElementLayout(elements.type).extent;
  const auto combine = [&](std::int64_t parts) {
    const std::int64_t count = (elements.count + parts - 1) / parts;
    for (std::int64_t at = 0; at < count; at += 1 << 30) {
      const auto some = static_cast<int>(std::min<std::int64_t>(1 << 30, count - at));
      SLUICE_MPI(MPI_Reduce_local(static_cast<const std::byte*>(from) + at * extent, copy.first() + at * extent, some,
                                  elements.type, elements.op));
    }
  };
  ReductionCosts costs =
      detail::measure_costs(channel, elements.count * data.element_bytes, elements.count > 1, combine);
  if (options.platform) costs = {0, costs.compute, 0, 0};  // it says what transfers take
  // Clocks may see nothing of one short operation on one rank.
  if (costs.transfer <= 0 && costs.compute <= 0) costs.compute = 1e-9;
  prepare(costs, true);
}

void ElementReduction::State::begin(const void* mine, void* result) {
  const auto check = [&] {
    if (elements.count > 0 && (mine == nullptr || (is_root() && result == nullptr)))
      throw InputError(mine == nullptr ? "own" : "result", "a null pointer", "room for the elements");
    if (!is_root() && mine == MPI_IN_PLACE) throw InputError("own", "MPI_IN_PLACE", "it on the root only");
  };
  start(check, [&] {
    if (summary().method.empty()) {
      measure(mine, result);
      choose_way();
    }
    own_elements = mine;
    combined = result;
    return ways.begin(true);
  });
}

// ---- ElementReduction

ElementReduction::ElementReduction(MPI_Comm comm, const ElementOperation& operation, int root,
                                   const ReductionOptions& options)
    : state_(detail::make_job<State>(comm, operation, root, options)) {}

ElementReduction::~ElementReduction() = default;
ElementReduction::ElementReduction(ElementReduction&&) noexcept = default;
ElementReduction& ElementReduction::operator=(ElementReduction&&) noexcept = default;

void ElementReduction::execute(const void* own, void* result) {
  state_->begin(own, result);
  state_->wait();
}
void ElementReduction::start(const void* own, void* result) { state_->begin(own, result); }
bool ElementReduction::test() { return state_->test(); }
void ElementReduction::wait() { state_->wait(); }
void ElementReduction::give_up(const std::exception_ptr& why) noexcept { state_->give_up(why); }

const ReductionSummary& ElementReduction::summary() const { return state_->summary(); }
bool ElementReduction::settled() const { return state_->ways.over(); }

Overlap ElementReduction::overlap() const {
  const Overlap any = state_->overlap();
  return any == Overlap::kNone && state_->elements.count > 1 ? Overlap::kParts : any;
}

std::int64_t ElementReduction::peak_extra_bytes() const { return state_->ways.buffer_bytes(); }

}  // namespace sluice::mpi
