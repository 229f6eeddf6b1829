# The calls of MPI that libsluice_pmpi.so defines, without MPI_. tests/drop-in/pmpi/exported_names.sh compares them with
# what is exported.
set(sluice_wrapped_calls
  Init Init_thread Finalize Abort
  Send Bsend Ssend Rsend Isend Ibsend Issend Irsend Sendrecv Sendrecv_replace
  Send_init Bsend_init Ssend_init Rsend_init Start Startall Request_free
  Barrier Bcast Reduce Allreduce Reduce_scatter Reduce_scatter_block Scan Exscan
  Gather Gatherv Scatter Scatterv Allgather Allgatherv Alltoall Alltoallv Alltoallw
  Neighbor_allgather Neighbor_allgatherv Neighbor_alltoall Neighbor_alltoallv Neighbor_alltoallw
  Ibarrier Ibcast Ireduce Iallreduce Ireduce_scatter Ireduce_scatter_block Iscan Iexscan
  Igather Igatherv Iscatter Iscatterv Iallgather Iallgatherv Ialltoall Ialltoallv Ialltoallw
  Ineighbor_allgather Ineighbor_allgatherv Ineighbor_alltoall Ineighbor_alltoallv Ineighbor_alltoallw)
