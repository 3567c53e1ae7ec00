# Builds the tests of the link profiler.
cnnplan_test(curve_timer_test SOURCES curve_timer_test.cpp LIBRARIES cnnplan_links)
cnnplan_mpi_test(curve_timer_ranks_test RANKS 1 2 3 SOURCES curve_timer_ranks_test.cpp
                 LIBRARIES cnnplan_links)
cnnplan_test(local_costs_test SOURCES local_costs_test.cpp LIBRARIES cnnplan_links)
cnnplan_test(links_fit_test SOURCES links_fit_test.cpp LIBRARIES cnnplan_links)
cnnplan_test(links_platform_test SOURCES links_platform_test.cpp LIBRARIES cnnplan_links)
cnnplan_mpi_test(links_measure_test RANKS 1 2 3 SOURCES links_measure_test.cpp
                 LIBRARIES cnnplan_links)
if(CNNPLAN_CUDA_HEADERS AND NCCL_INCLUDE_DIR)
  cnnplan_mpi_test(links_nccl_test RANKS 2 3 4
    SOURCES links_nccl_test.cpp ${CMAKE_SOURCE_DIR}/executor/comm/nccl_communicator.cpp
    LIBRARIES ${CNNPLAN_EMULATION} cnnplan_links)
endif()
cnnplan_mpi_test(repetition_timer_test RANKS 1 2 3 SOURCES repetition_timer_test.cpp
                 LIBRARIES cnnplan_links)
cnnplan_mpi_test(sweep_budget_test RANKS 1 3 SOURCES sweep_budget_test.cpp LIBRARIES cnnplan_links)
