# Tests of data in and out of training.
cnnplan_test(finish_order_test SOURCES finish_order_test.cpp LIBRARIES cnnplan_training)
cnnplan_test(graph_choice_test SOURCES graph_choice_test.cpp LIBRARIES cnnplan_training)
cnnplan_test(training_data_test
  SOURCES augmentation_test.cpp initializer_test.cpp permutation_test.cpp prefetched_data_test.cpp
          weights_file_test.cpp
  LIBRARIES cnnplan_data)
cnnplan_mpi_test(training_data_mpi_test
  RANKS 1 2 3 4
  SOURCES contiguous_blocks_test.cpp data_check_test.cpp hdf5_data_test.cpp hdf5_fixture.cpp synthetic_data_test.cpp
  LIBRARIES cnnplan_data ${HDF5_C_LIBRARIES})
target_include_directories(training_data_mpi_test SYSTEM PRIVATE ${HDF5_C_INCLUDE_DIRS})
