# The GPU backend as C++, for programs that link the emulation instead of CUDA. As objects these go
# before the real ones, which then are not looked at.
include(${CMAKE_SOURCE_DIR}/executor/backend/cudnn/sources.cmake)
set_source_files_properties(${CNNPLAN_CUDA_SOURCES} PROPERTIES
  LANGUAGE CXX COMPILE_OPTIONS "-x;c++")
add_library(cnnplan_emulated_backend OBJECT
  ${CMAKE_SOURCE_DIR}/executor/backend/backend.cpp ${CNNPLAN_CUDNN_SOURCES} ${CNNPLAN_CUDA_SOURCES})
target_compile_definitions(cnnplan_emulated_backend PRIVATE CNNPLAN_HAVE_CUDNN
                           $<$<BOOL:${CNNPLAN_ONEDNN}>:CNNPLAN_HAVE_ONEDNN>)
set_property(TARGET cnnplan_emulated_backend PROPERTY CNNPLAN_VIEWS_BYTES ON)
target_link_libraries(cnnplan_emulated_backend PUBLIC cnnplan_model cudnn_headers)
# What a test names in LIBRARIES.
set(CNNPLAN_EMULATION cnnplan_emulated_backend cnnplan_cuda_emulation)

# As cnnplan_mpi_test: bodies of other tests, run with the GPU backend on an emulated device per rank.
# Sanitizers make the emulation slow: two ranks at most under them.
function(cnnplan_emulated_test name)
  cmake_parse_arguments(TEST "" "" "RANKS;SOURCES;LIBRARIES;ENVIRONMENT" ${ARGN})
  if(CNNPLAN_SANITIZE)
    list(FILTER TEST_RANKS INCLUDE REGEX "^[12]$")
  endif()
  cnnplan_mpi_test(${name} RANKS ${TEST_RANKS} SOURCES ${TEST_SOURCES}
                   LIBRARIES ${CNNPLAN_EMULATION} ${TEST_LIBRARIES}
                   ENVIRONMENT CNNPLAN_TEST_BACKENDS=cudnn ${TEST_ENVIRONMENT})
endfunction()
