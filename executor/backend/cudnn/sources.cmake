# Lists the sources of the GPU backend, which are also built for the emulated device of the tests.
set(CNNPLAN_CUDNN_SOURCES
  backend.cpp
  convolution.cpp
  convolution_graph.cpp
  convolution_program.cpp
  convolution_variant.cpp
  cuda_device.cpp
  cuda_handles.cpp
  descriptor.cpp
  engine.cpp
  engine_stopwatch.cpp
  engine_target.cpp
  engine_trial.cpp
  first_run.cpp
  library.cpp
  own_kernels.cpp
  trial_operands.cpp
  kernels/check.cpp
  kernels/launch.cpp
)
set(CNNPLAN_CUDA_SOURCES
  kernels/batch_norm_backward.cu
  kernels/batch_norm_forward.cu
  kernels/box_kernels.cu
  kernels/channel_shuffle_kernels.cu
  kernels/interpolate_kernels.cu
  kernels/local_response_norm_kernels.cu
  kernels/pointwise_kernels.cu
  kernels/pooling_kernels.cu
  kernels/softmax_kernels.cu
  kernels/squared_error_kernels.cu
  kernels/upsample_kernels.cu
)
list(TRANSFORM CNNPLAN_CUDNN_SOURCES PREPEND ${CMAKE_SOURCE_DIR}/executor/backend/cudnn/)
list(TRANSFORM CNNPLAN_CUDA_SOURCES PREPEND ${CMAKE_SOURCE_DIR}/executor/backend/cudnn/)
