#pragma once

#include <string>

namespace sluice::pmpi {

/// One line on standard error, "sluice: WHERE: TEXT", once for each `where` in this process.
void say_once(const std::string& where, const std::string& text);
/// say_once() on rank 0 of MPI_COMM_WORLD alone, for what all ranks know.
void say_once_for_all(const std::string& where, const std::string& text);

}  // namespace sluice::pmpi
