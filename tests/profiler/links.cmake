# Tests of the link profiler.
cnnplan_test(links_fit_test SOURCES links_fit_test.cpp LIBRARIES cnnplan_links)
cnnplan_test(links_platform_test SOURCES links_platform_test.cpp LIBRARIES cnnplan_links)
cnnplan_mpi_test(links_measure_test RANKS 1 2 3 SOURCES links_measure_test.cpp
                 LIBRARIES cnnplan_links)
cnnplan_mpi_test(repetition_timer_test RANKS 1 2 3 SOURCES repetition_timer_test.cpp
                 LIBRARIES cnnplan_links)
