#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "run/redistribution_testing.hpp"

namespace sluice::mpi::testing {

/// Executes a job twice, with other contents in between, and compares every byte; what carried it out.
inline std::string check_every_byte(Case c) {
  Redistribution job(MPI_COMM_WORLD, c.shape, c.from, c.to, c.element_size, c.options);
  if (c.options.relabel) c.options.to_ranks = job.to_ranks();
  for (const std::uint64_t salt : {0, 1}) {
    Arrays arrays = make_arrays(c, rank(), salt);
    EXPECT_EQ(job.source_extent() * c.element_size, std::ssize(arrays.source)) << to_text(c);
    EXPECT_EQ(job.target_extent() * c.element_size, std::ssize(arrays.target)) << to_text(c);
    const std::vector<std::byte> source = arrays.source;
    job.execute(arrays.source.data(), arrays.target.data());
    EXPECT_EQ(difference(arrays.target, arrays.expected), "") << to_text(c);
    EXPECT_EQ(difference(arrays.source, source), "") << "the source was written to: " << to_text(c);
  }
  return job.explanation();
}

}  // namespace sluice::mpi::testing
