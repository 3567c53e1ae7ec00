# Compiles the GPU backend as C++, for programs that link the emulation instead of CUDA. The linker
# takes these objects first, and then ignores the real ones.
include(${CMAKE_SOURCE_DIR}/executor/backend/cudnn/sources.cmake)
set_source_files_properties(${CNNPLAN_CUDA_SOURCES} PROPERTIES
  LANGUAGE CXX COMPILE_OPTIONS "-x;c++")
add_library(cnnplan_emulated_backend OBJECT
  ${CMAKE_SOURCE_DIR}/executor/backend/factory/backend.cpp ${CNNPLAN_CUDNN_SOURCES} ${CNNPLAN_CUDA_SOURCES})
target_compile_definitions(cnnplan_emulated_backend PRIVATE CNNPLAN_HAVE_CUDNN
                           $<$<BOOL:${CNNPLAN_ONEDNN}>:CNNPLAN_HAVE_ONEDNN>)
set_property(TARGET cnnplan_emulated_backend PROPERTY CNNPLAN_VIEWS_BYTES ON)
target_link_libraries(cnnplan_emulated_backend PUBLIC cnnplan_kernel cudnn_headers)
# Tests name this variable in LIBRARIES.
set(CNNPLAN_EMULATION cnnplan_emulated_backend cnnplan_cuda_emulation)

# Runs a program that was built with EMULATED on the GPU backend, with an emulated device for each
# rank. Sanitizers make the emulation slow, so with them there are two ranks at most. Closing device
# memory to the host takes up to seven eighths of the time. More ranks and sanitizers run the same
# code and find no more. So memory is closed only on one and two ranks without sanitizers. Usage:
#   cnnplan_emulated_runs(name PROGRAM program RANKS 1 2 [ENVIRONMENT ...])
function(cnnplan_emulated_runs name)
  cmake_parse_arguments(TEST "" "PROGRAM" "RANKS;ENVIRONMENT" ${ARGN})
  if(CNNPLAN_SANITIZE)
    list(FILTER TEST_RANKS INCLUDE REGEX "^[12]$")
  endif()
  cnnplan_mpi_runs(${name} PROGRAM ${TEST_PROGRAM} RANKS ${TEST_RANKS}
                   ENVIRONMENT CNNPLAN_TEST_BACKENDS=cudnn ${TEST_ENVIRONMENT})
  foreach(ranks ${TEST_RANKS})
    if(TEST ${name}_np${ranks} AND (CNNPLAN_SANITIZE OR ranks GREATER 2))
      set_property(TEST ${name}_np${ranks} APPEND PROPERTY ENVIRONMENT CNNPLAN_EMULATED_CLOSED_MEMORY=0)
    endif()
  endforeach()
endfunction()

# Builds a program whose tests run on the emulated device only. The arguments are those of
# cnnplan_mpi_test.
function(cnnplan_emulated_test name)
  cmake_parse_arguments(TEST "" "" "RANKS;SOURCES;LIBRARIES;ENVIRONMENT" ${ARGN})
  cnnplan_mpi_test(${name} EMULATED SOURCES ${TEST_SOURCES} LIBRARIES ${TEST_LIBRARIES})
  cnnplan_emulated_runs(${name} PROGRAM ${name} RANKS ${TEST_RANKS} ENVIRONMENT ${TEST_ENVIRONMENT})
endfunction()
