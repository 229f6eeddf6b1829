#include "options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "failure.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/exchange_speeds.hpp"

namespace sluice::c {

namespace {

int to_int(std::int64_t value, const char* name) {
  if (value < std::numeric_limits<int>::min() || value > std::numeric_limits<int>::max())
    throw InputError(name, fmt::format("{}", value), "a number within an int");
  return static_cast<int>(value);
}

}  // namespace

bool OptionReader::has(const std::string& name) const { return options_ != nullptr && options_->values.contains(name); }

template <class Value>
const Value* OptionReader::find(const char* name, const char* expected) {
  known_.emplace_back(name);
  if (!has(name)) return nullptr;
  const auto* const value = std::get_if<Value>(&options_->values.at(name));
  if (value == nullptr) throw InputError(name, "an option of another kind", expected);
  return value;
}

void OptionReader::read(const char* name, std::string& into) {
  if (const auto* const value = find<std::string>(name, "a text")) into = *value;
}

void OptionReader::read(const char* name, std::int64_t& into) {
  if (const auto* const value = find<std::int64_t>(name, "an integer")) into = *value;
}

void OptionReader::read(const char* name, int& into) {
  if (const auto* const value = find<std::int64_t>(name, "an integer")) into = to_int(*value, name);
}

void OptionReader::read(const char* name, bool& into) {
  const auto* const value = find<std::int64_t>(name, "an integer, 0 or 1");
  if (value == nullptr) return;
  if (*value != 0 && *value != 1) throw InputError(name, fmt::format("{}", *value), "0 or 1");
  into = *value != 0;
}

void OptionReader::read(const char* name, double& into) {
  if (has(name) && std::holds_alternative<std::int64_t>(options_->values.at(name))) {
    into = static_cast<double>(*find<std::int64_t>(name, "a number"));
    return;
  }
  if (const auto* const value = find<double>(name, "a number")) into = *value;
}

void OptionReader::read(const char* name, std::vector<std::int64_t>& into) {
  if (const auto* const value = find<std::vector<std::int64_t>>(name, "a list of integers")) into = *value;
}

void OptionReader::read(const char* name, std::vector<int>& into) {
  const auto* const value = find<std::vector<std::int64_t>>(name, "a list of integers");
  if (value == nullptr) return;
  into.clear();
  for (const std::int64_t each : *value) into.push_back(to_int(each, name));
}

void OptionReader::read(const char* name, std::vector<double>& into) {
  if (const auto* const value = find<std::vector<double>>(name, "a list of numbers")) into = *value;
}

void OptionReader::read(const char* name, Platform& into) {
  if (const auto* const value = find<Platform>(name, "a platform")) into = *value;
}

void OptionReader::read(const char* name, Program& into) {
  if (const auto* const value = find<Program>(name, "a program")) into = *value;
}

void OptionReader::read_part(MatrixPart& part, bool& unit_diagonal) {
  std::string side;
  read("part", side);
  read("unit_diagonal", unit_diagonal);
  part = part_of_side(side, unit_diagonal);
}

NetworkSpeeds OptionReader::read_speeds() {
  std::vector<double> senders;
  std::vector<double> receivers;
  std::vector<double> times;
  std::vector<std::int64_t> transfers;
  read("sender_speeds", senders);
  read("receiver_speeds", receivers);
  read("backbone_times", times);
  read("backbone_max_transfers", transfers);
  if (!times.empty() && has("max_transfers"))
    throw InputError("max_transfers", "cannot be used with backbone_times", "one of the two: both tell k");
  return speeds_of(senders, receivers, times, transfers);
}

void OptionReader::done() const {
  if (options_ == nullptr) return;
  for (const auto& [name, value] : options_->values) {
    if (std::find(known_.begin(), known_.end(), name) == known_.end())
      throw InputError("options", fmt::format("'{}'", name), fmt::format("one of {}", fmt::join(known_, ", ")));
  }
}

namespace {

template <class Value>
int set(sluice_options* options, const char* name, Value&& value) {
  return guarded([&] {
    check_given(options, "options");
    check_given(name, "name");
    options->values.insert_or_assign(name, value());
  });
}

template <class Number>
int set_list(sluice_options* options, const char* name, std::int64_t count, const Number* values) {
  return set(options, name, [&] {
    check_list(count, values, name);
    return count == 0 ? std::vector<Number>{} : std::vector<Number>(values, values + count);
  });
}

}  // namespace

}  // namespace sluice::c

using sluice::c::check_given;
using sluice::c::guarded;

int sluice_options_create(sluice_options** options) {
  return guarded([&] {
    check_given(options, "options");
    *options = nullptr;
    *options = new sluice_options;
  });
}

int sluice_options_set_text(sluice_options* options, const char* name, const char* value) {
  return sluice::c::set(options, name, [&] {
    check_given(value, name);
    return std::string(value);
  });
}

int sluice_options_set_integer(sluice_options* options, const char* name, std::int64_t value) {
  return sluice::c::set(options, name, [&] { return value; });
}

int sluice_options_set_number(sluice_options* options, const char* name, double value) {
  return sluice::c::set(options, name, [&] { return value; });
}

int sluice_options_set_integers(sluice_options* options, const char* name, std::int64_t count,
                                const std::int64_t values[]) {
  return sluice::c::set_list(options, name, count, values);
}

int sluice_options_set_numbers(sluice_options* options, const char* name, std::int64_t count, const double values[]) {
  return sluice::c::set_list(options, name, count, values);
}

int sluice_options_set_platform(sluice_options* options, const sluice_platform* platform) {
  return sluice::c::set(options, "platform", [&] {
    check_given(platform, "platform");
    return platform->platform;
  });
}

int sluice_options_set_program(sluice_options* options, const sluice_program* program) {
  return sluice::c::set(options, "program", [&] {
    check_given(program, "program");
    return program->program;
  });
}

int sluice_options_free(sluice_options* options) {
  delete options;
  return SLUICE_OK;
}

int sluice_platform_read(const char* path, sluice_platform** platform) {
  return guarded([&] {
    check_given(platform, "platform");
    *platform = nullptr;
    check_given(path, "path");
    *platform = std::make_unique<sluice_platform>(sluice_platform{sluice::read_platform(std::string(path))}).release();
  });
}

int sluice_platform_ranks(const sluice_platform* platform, std::int64_t* ranks) {
  return guarded([&] {
    check_given(platform, "platform");
    check_given(ranks, "ranks");
    *ranks = platform->platform.ranks;
  });
}

int sluice_platform_clusters(const sluice_platform* platform, std::int64_t* clusters) {
  return guarded([&] {
    check_given(platform, "platform");
    check_given(clusters, "clusters");
    *clusters = static_cast<std::int64_t>(platform->platform.clusters.size());
  });
}

int sluice_platform_free(sluice_platform* platform) {
  delete platform;
  return SLUICE_OK;
}
