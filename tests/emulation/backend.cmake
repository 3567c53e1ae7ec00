# The GPU backend, compiled as C++ for programs that link the emulation instead of CUDA. The linker
# takes these objects before the real ones, which it then does not look at.
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

# The bodies of other tests run with the GPU backend, on an emulated device for each rank, as
# cnnplan_mpi_test says. Sanitizers make the emulation slow, so with them there are two ranks at most.
# Closing device memory to the host takes up to seven eighths of the time. The same code runs on more
# ranks and with sanitizers, which do not find more there: only one and two ranks close it.
function(cnnplan_emulated_test name)
  cmake_parse_arguments(TEST "" "" "RANKS;SOURCES;LIBRARIES;ENVIRONMENT" ${ARGN})
  if(CNNPLAN_SANITIZE)
    list(FILTER TEST_RANKS INCLUDE REGEX "^[12]$")
  endif()
  cnnplan_mpi_test(${name} RANKS ${TEST_RANKS} SOURCES ${TEST_SOURCES}
                   LIBRARIES ${CNNPLAN_EMULATION} ${TEST_LIBRARIES}
                   ENVIRONMENT CNNPLAN_TEST_BACKENDS=cudnn ${TEST_ENVIRONMENT})
  foreach(ranks ${TEST_RANKS})
    if(CNNPLAN_SANITIZE OR ranks GREATER 2)
      set_property(TEST ${name}_np${ranks} APPEND PROPERTY ENVIRONMENT CNNPLAN_EMULATED_CLOSED_MEMORY=0)
    endif()
  endforeach()
endfunction()
