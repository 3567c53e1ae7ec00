# Data in and out of training: samples, labels, weights and their first values.
add_library(cnnplan_data STATIC
  augmentation.cpp
  data_check.cpp
  data_source.cpp
  contiguous_blocks.cpp
  hdf5_check.cpp
  hdf5_data.cpp
  hdf5_dataset.cpp
  hdf5_file.cpp
  hdf5_lock.cpp
  initializer.cpp
  permutation.cpp
  prefetch_depth.cpp
  prefetched_data.cpp
  sample_reader.cpp
  synthetic_data.cpp
  weights_file.cpp
)
target_link_libraries(cnnplan_data
  PUBLIC cnnplan_backend cnnplan_comm
  PRIVATE MPI::MPI_CXX ${HDF5_C_LIBRARIES})
target_include_directories(cnnplan_data SYSTEM PRIVATE ${HDF5_C_INCLUDE_DIRS})
