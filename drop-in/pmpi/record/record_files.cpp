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
#include <system_error>
#include <vector>

namespace sluice::pmpi {
namespace {

void renew(const std::string& path, const std::string& text) {
  const std::string unfinished = path + ".new";
  errno = 0;
  std::ofstream out(unfinished, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  if (!out || std::rename(unfinished.c_str(), path.c_str()) != 0)
    throw std::system_error(errno != 0 ? errno : EIO, std::generic_category(), path);
}

}  // namespace

std::string RecordFolder::open(const std::string& path) {
  path_ = path;
  PMPI_Comm_rank(MPI_COMM_WORLD, &run_.rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &run_.ranks);
  run_.number = std::chrono::system_clock::now().time_since_epoch().count();
  PMPI_Bcast(&run_.number, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
  std::string wrong;
  try {
    std::filesystem::create_directories(path_ + "/parts");
    write_part();
  } catch (const std::filesystem::filesystem_error& error) {
    wrong = fmt::format("{}: {}, expected a folder that can be written", path_, error.code().message());
  } catch (const std::exception& error) {
    wrong = error.what();
  }
  // The lowest of those that cannot write tells all.
  const int mine = wrong.empty() ? INT_MAX : run_.rank;
  int lowest = INT_MAX;
  PMPI_Allreduce(&mine, &lowest, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (lowest == INT_MAX) return {};
  std::array<char, 512> text{};
  if (mine == lowest) wrong.copy(text.data(), text.size() - 1);
  PMPI_Bcast(text.data(), static_cast<int>(text.size()), MPI_CHAR, lowest, MPI_COMM_WORLD);
  return fmt::format("rank {}: {}", lowest, text.data());
}

std::string RecordFolder::part_path(int rank) const { return fmt::format("{}/parts/rank-{}.json", path_, rank); }

void RecordFolder::write_part() const { renew(part_path(run_.rank), record_part(run_)); }

void RecordFolder::write_files() const {
  std::vector<std::string> parts;
  for (int rank = 0; rank < run_.ranks; ++rank) {
    std::ifstream in(part_path(rank), std::ios::binary);
    if (in) parts.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  write(parts, false);
}

void RecordFolder::write(const std::vector<std::string>& parts, bool complete) const {
  for (const RecordFile& file : record_files(run_, parts, complete)) renew(path_ + '/' + file.name, file.text);
}

void RecordFolder::finish() const {
  const std::string own = record_part(run_);
  const auto length = static_cast<int>(own.size());
  std::vector<int> lengths(static_cast<std::size_t>(run_.ranks));
  PMPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
  constexpr int kTag = 0;
  if (run_.rank != 0) {
    PMPI_Send(own.data(), length, MPI_CHAR, 0, kTag, MPI_COMM_WORLD);
  } else {
    std::vector<std::string> parts{own};
    for (int rank = 1; rank < run_.ranks; ++rank) {
      std::string& part = parts.emplace_back(static_cast<std::size_t>(lengths[static_cast<std::size_t>(rank)]), ' ');
      PMPI_Recv(part.data(), static_cast<int>(part.size()), MPI_CHAR, rank, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    write(parts, true);
  }
  // Those of the others may be seen to go at any time: the last one takes the folder along.
  std::error_code ignored;
  std::filesystem::remove(part_path(run_.rank), ignored);
  PMPI_Barrier(MPI_COMM_WORLD);
  if (run_.rank == 0) std::filesystem::remove(path_ + "/parts", ignored);
}

}  // namespace sluice::pmpi
