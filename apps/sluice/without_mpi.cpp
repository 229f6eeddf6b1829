// What the command does without MPI, instead of the files that include mpi.h or wait for all ranks: process/ranks.cpp,
// network/run_probe.cpp, tune/measure.cpp, study/redistribute_paragon.cpp and most of run/.

#include <cstdio>

#include "apps/sluice/network/probe.hpp"
#include "apps/sluice/process/ranks.hpp"
#include "apps/sluice/run/run.hpp"
#include "apps/sluice/study/study.hpp"
#include "apps/sluice/tune/tune.hpp"
#include "sluice/error.hpp"

namespace sluice::command {

namespace {

[[noreturn]] void refuse(const std::string& verb) {
  throw InputError(verb, "a build without MPI", "one configured with SLUICE_MPI=ON");
}

}  // namespace

Ranks::Ranks(int&, char**&) {}
Ranks::~Ranks() = default;

bool Ranks::under_mpi() { return false; }

int Ranks::count() { return 1; }

std::vector<std::string> Ranks::hosts() { return {}; }

bool Ranks::speaks() { return true; }

void Ranks::once(const std::function<void()>& task) { task(); }

int Ranks::abandon(const std::string& message, int status) {
  std::fprintf(stderr, "error: %s\n", message.c_str());
  return status;
}

std::string mpi_library() { return {}; }

std::string scalapack_library() { return {}; }

std::string needs_mpi_text() { return " (needs MPI, which was left out of this build)"; }

int run_until_stopped(const std::function<int()>& job) { return job(); }

int run_redistribute(const RunRedistribute&) { refuse("sluice run"); }

int run_exchange(const RunExchange&) { refuse("sluice run"); }

int run_reduce(const RunReduce&) { refuse("sluice run"); }

int run_broadcast(const RunBroadcast&) { refuse("sluice run"); }

int run_collective(const RunCollective&) { refuse("sluice run"); }

int study_redistribute_paragon(const StudyTask&) { refuse("sluice study redistribute-paragon"); }

int run_probe(const ProbeTask&) { refuse("sluice probe"); }

int run_tune(TuneTask) { refuse("sluice tune --measure"); }

}  // namespace sluice::command
