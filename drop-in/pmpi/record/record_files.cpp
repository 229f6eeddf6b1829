#include "pmpi/record/record_files.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

namespace sluice::pmpi {
namespace {

void renew(const std::string& path, int rank, const std::string& text) {
  const std::string unfinished = fmt::format("{}.new-{}", path, rank);
  errno = 0;
  std::ofstream out(unfinished, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  if (!out || std::rename(unfinished.c_str(), path.c_str()) != 0)
    throw std::system_error(errno != 0 ? errno : EIO, std::generic_category(), path);
}

/// Collective over MPI_COMM_WORLD: its ranks, without what is attached to it; null if MPI makes none.
MPI_Comm own_world() {
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Comm made = MPI_COMM_NULL;
  if (PMPI_Comm_group(MPI_COMM_WORLD, &group) != MPI_SUCCESS) return MPI_COMM_NULL;
  if (PMPI_Comm_create(MPI_COMM_WORLD, group, &made) != MPI_SUCCESS) made = MPI_COMM_NULL;
  PMPI_Group_free(&group);
  if (made != MPI_COMM_NULL && PMPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN) != MPI_SUCCESS) PMPI_Comm_free(&made);
  return made;
}

constexpr int kTag = 0;

/// The part that a rank sends; empty if none comes.
std::string receive_part(int rank, MPI_Comm comm) {
  MPI_Status status;
  int length = 0;
  if (PMPI_Probe(rank, kTag, comm, &status) != MPI_SUCCESS ||
      PMPI_Get_count(&status, MPI_CHAR, &length) != MPI_SUCCESS || length == MPI_UNDEFINED)
    return {};
  std::string part(static_cast<std::size_t>(length), ' ');
  if (PMPI_Recv(part.data(), length, MPI_CHAR, rank, kTag, comm, MPI_STATUS_IGNORE) != MPI_SUCCESS) return {};
  return part;
}

}  // namespace

std::string RecordFolder::open(const std::string& path, bool ready) {
  path_ = path;
  comm_ = own_world();
  PMPI_Comm_rank(MPI_COMM_WORLD, &run_.rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &run_.ranks);
  run_.number = std::chrono::system_clock::now().time_since_epoch().count();
  PMPI_Bcast(&run_.number, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
  std::string wrong;
  try {
    if (!ready || comm_ == MPI_COMM_NULL) throw std::runtime_error("MPI made no key or communicator for the library");
    std::filesystem::create_directories(path_ + "/parts");
    write_part();
  } catch (const std::filesystem::filesystem_error& error) {
    wrong = fmt::format("{}: {}, expected a folder that can be written", path_, error.code().message());
  } catch (const std::exception& error) {
    wrong = error.what();
  }
  // The lowest rank that cannot write tells all.
  const int mine = wrong.empty() ? INT_MAX : run_.rank;
  int lowest = INT_MAX;
  if (PMPI_Allreduce(&mine, &lowest, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD) != MPI_SUCCESS) return "MPI_Allreduce failed";
  if (lowest == INT_MAX) return {};
  if (comm_ != MPI_COMM_NULL) PMPI_Comm_free(&comm_);
  std::array<char, 512> text{};
  if (mine == lowest) wrong.copy(text.data(), text.size() - 1);
  PMPI_Bcast(text.data(), static_cast<int>(text.size()), MPI_CHAR, lowest, MPI_COMM_WORLD);
  return fmt::format("rank {}: {}", lowest, text.data());
}

std::string RecordFolder::part_path(int rank) const { return fmt::format("{}/parts/rank-{}.json", path_, rank); }

void RecordFolder::write_part() const { renew(part_path(run_.rank), run_.rank, record_part(run_)); }

void RecordFolder::write_files() const {
  std::vector<std::string> parts;
  for (int rank = 0; rank < run_.ranks; ++rank) {
    std::ifstream in(part_path(rank), std::ios::binary);
    if (in) parts.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  write(parts, false);
}

void RecordFolder::write(const std::vector<std::string>& parts, bool at_end) const {
  for (const RecordFile& file : record_files(run_, parts, at_end)) renew(path_ + '/' + file.name, run_.rank, file.text);
}

std::vector<std::string> RecordFolder::gather_parts() const {
  std::string own;
  try {
    own = record_part(run_);
  } catch (const std::exception&) {
    own.clear();  // an empty part is sent, because rank 0 waits for it
  }
  if (own.size() > static_cast<std::size_t>(INT_MAX)) own.clear();
  std::vector<std::string> parts;
  if (run_.rank != 0) {
    (void)PMPI_Send(own.data(), static_cast<int>(own.size()), MPI_CHAR, 0, kTag, comm_);
    return parts;
  }
  parts.push_back(std::move(own));
  for (int rank = 1; rank < run_.ranks; ++rank) parts.push_back(receive_part(rank, comm_));
  return parts;
}

void RecordFolder::close() {
  // Files of other ranks may disappear at any time: the last rank removes the folder, too.
  std::error_code ignored;
  std::filesystem::remove(part_path(run_.rank), ignored);
  (void)PMPI_Barrier(comm_);
  if (run_.rank == 0) std::filesystem::remove(path_ + "/parts", ignored);
  (void)PMPI_Comm_free(&comm_);
}

}  // namespace sluice::pmpi
