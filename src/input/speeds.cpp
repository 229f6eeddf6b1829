#include "sluice/input/speeds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <istream>
#include <iterator>
#include <limits>

#include "input/modular.hpp"
#include "input/shown_text.hpp"
#include "input/speeds_json.hpp"
#include "sluice/error.hpp"
#include "sluice/quantity_text.hpp"
#include "sluice/read_file.hpp"

namespace sluice {

namespace {

using detail::Int128;

constexpr const char* kSpeedsSchema = "sluice.speeds/1";

class SpeedsHandler : public detail::StrictJsonHandler {
 public:
  SpeedsHandler(const detail::JsonSource& source, std::string file) : StrictJsonHandler(source, std::move(file)) {
    std::vector<detail::JsonField> fields = written_.fields(kChange);
    fields.insert(fields.begin(), {.name = "schema", .text = &schema_, .choices = {kSpeedsSchema}});
    shapes() = {{"speeds", std::move(fields)}, {"a change of the backbone", written_.change_fields()}};
  }

  NetworkSpeeds take() {
    return written_.read([](const detail::WrittenNumber& number) { return number.value; });
  }

 private:
  enum : int { kSpeeds, kChange };

  void opened(int /*shape*/) override {}
  void closed(int shape) override {
    if (shape == kChange) written_.add_change();
    if (shape != kSpeeds) return;
    if (const std::string bad = written_.bad_speed(); !bad.empty())
      fail_object("a speed of " + bad, detail::kSpeedExpected);
    if (written_.senders.empty() && written_.receivers.empty() && written_.backbone.empty())
      fail_object("speeds of nothing", "\"senders\", \"receivers\" or \"backbone\"");
  }

  detail::WrittenSpeeds written_;
  std::string schema_;
};

/// What is wrong with the times and the k of a backbone.
std::optional<std::pair<std::string, std::string>> backbone_fault(const std::vector<BackboneChange>& backbone) {
  using Fault = std::pair<std::string, std::string>;
  if (backbone.size() > kMostBackboneChanges)
    return Fault(fmt::format("a backbone of {} changes", backbone.size()),
                 fmt::format("at most {}", kMostBackboneChanges));
  for (std::size_t i = 0; i < backbone.size(); ++i) {
    const auto& [time, max_transfers] = backbone[i];
    if (!std::isfinite(time)) return Fault(fmt::format("time {} of the backbone", time), "a finite number");
    if (i == 0 && time != 0) return Fault(fmt::format("a backbone from time {} on", time), "its first time to be 0");
    if (i > 0 && time <= backbone[i - 1].time)
      return Fault(fmt::format("time {} of the backbone after {}", time, backbone[i - 1].time), "times that rise");
    if (max_transfers < 1)
      return Fault(fmt::format("{} of the backbone at time {}", count_text(max_transfers, "transfer"), time),
                   "at least 1");
  }
  return {};
}

}  // namespace

namespace detail {

std::vector<JsonField> WrittenSpeeds::fields(int change_shape) {
  return {{.name = "senders", .required = false, .numbers = &senders},
          {.name = "receivers", .required = false, .numbers = &receivers},
          {.name = "backbone", .required = false, .objects = change_shape}};
}

std::vector<JsonField> WrittenSpeeds::change_fields() {
  return {{.name = "time", .written = &change.time}, {.name = "max_transfers", .integer = &change.max_transfers}};
}

std::string WrittenSpeeds::bad_speed() const {
  const auto first_bad = [](const std::vector<double>& speeds, const char* whose) -> std::string {
    const auto bad = std::find_if(speeds.begin(), speeds.end(), [](double each) { return !speed_in_millionths(each); });
    return bad == speeds.end() ? "" : fmt::format("{} of {} {}", *bad, whose, bad - speeds.begin());
  };
  const std::string of_senders = first_bad(senders, "sender");
  return of_senders.empty() ? first_bad(receivers, "receiver") : of_senders;
}

}  // namespace detail

std::int64_t NetworkSpeeds::most_transfers() const {
  return backbone.empty() ? 0 : std::ranges::max(backbone, {}, &BackboneChange::max_transfers).max_transfers;
}

std::int64_t NetworkSpeeds::least_transfers() const {
  return backbone.empty() ? 0 : std::ranges::min(backbone, {}, &BackboneChange::max_transfers).max_transfers;
}

std::int64_t NetworkSpeeds::between(std::int64_t sender, std::int64_t receiver) const {
  const std::int64_t s = senders.empty() ? kSpeedOfOne : senders[static_cast<std::size_t>(sender)];
  const std::int64_t r = receivers.empty() ? kSpeedOfOne : receivers[static_cast<std::size_t>(receiver)];
  return std::min(s, r);
}

std::optional<std::int64_t> transfer_time(std::int64_t size, std::int64_t millionths) {
  const Int128 time = (static_cast<Int128>(size) * kSpeedOfOne + millionths - 1) / millionths;
  if (time > std::numeric_limits<std::int64_t>::max()) return {};
  return static_cast<std::int64_t>(time);
}

std::int64_t size_within(std::int64_t time, std::int64_t millionths) {
  constexpr Int128 kMost = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::min(static_cast<Int128>(time) * millionths / kSpeedOfOne, kMost));
}

std::int64_t max_transfers_at(const std::vector<BackboneChange>& backbone, double time) {
  const auto after = std::upper_bound(backbone.begin(), backbone.end(), time,
                                      [](double value, const BackboneChange& change) { return value < change.time; });
  SLUICE_ASSERT(after != backbone.begin(), fmt::format("a backbone at time {}", time));
  return std::prev(after)->max_transfers;
}

std::optional<std::pair<std::string, std::string>> speeds_fault(const NetworkSpeeds& speeds, std::int64_t senders,
                                                                std::int64_t receivers) {
  using Fault = std::pair<std::string, std::string>;
  const auto of_nodes = [](const std::vector<std::int64_t>& all, std::int64_t nodes,
                           const char* whose) -> std::optional<Fault> {
    if (all.empty()) return {};
    if (std::cmp_not_equal(all.size(), nodes))
      return Fault("speeds of " + count_text(all.size(), whose), fmt::format("those of all {}", nodes));
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i] < 1 || all[i] > kMostSpeed)
        return Fault(fmt::format("a speed of {} millionths of {} {}", all[i], whose, i),
                     fmt::format("1 to {}", kMostSpeed));
    return {};
  };
  if (auto fault = of_nodes(speeds.senders, senders, "sender")) return fault;
  if (auto fault = of_nodes(speeds.receivers, receivers, "receiver")) return fault;
  return backbone_fault(speeds.backbone);
}

void check_speeds(const NetworkSpeeds& speeds, std::int64_t senders, std::int64_t receivers, const std::string& where) {
  if (const auto fault = speeds_fault(speeds, senders, receivers)) throw InputError(where, fault->first, fault->second);
}

std::optional<std::int64_t> speed_in_millionths(double value) {
  constexpr auto kOne = static_cast<double>(kSpeedOfOne);
  if (!(value > 0) || value > static_cast<double>(kMostSpeed) / kOne) return {};
  const std::int64_t millionths = std::llround(value * kOne);
  // The quotient of two whole doubles is the double nearest to the decimal, which is what its text was read as.
  if (millionths < 1 || static_cast<double>(millionths) / kOne != value) return {};
  return millionths;
}

NetworkSpeeds read_speeds(std::istream& in, const std::string& file) {
  detail::JsonSource source(in.rdbuf());
  SpeedsHandler handler(source, file);
  detail::read_strict_json(in, file, source, handler);
  NetworkSpeeds speeds = handler.take();
  if (const auto fault = backbone_fault(speeds.backbone)) throw InputError(file, fault->first, fault->second);
  return speeds;
}

NetworkSpeeds read_speeds(const std::string& path) {
  NetworkSpeeds speeds;
  with_stream(path, "speeds", [&](std::istream& in, const std::string& name) { speeds = read_speeds(in, name); });
  return speeds;
}

}  // namespace sluice
