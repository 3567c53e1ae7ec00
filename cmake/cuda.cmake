# Finds what the backend for NVIDIA GPUs needs: nvcc, and cuDNN 9 of the toolkit, of the system or
# of a Python package. The headers alone suffice for the tests that run the backend on an emulated
# device.
set(CNNPLAN_CUDA AUTO CACHE STRING "Backend for NVIDIA GPUs: AUTO (where it is found), ON or OFF")
set_property(CACHE CNNPLAN_CUDA PROPERTY STRINGS AUTO ON OFF)

# Finds the folder of one of NVIDIA's Python packages, such as nvidia.cudnn. It is empty without the
# package.
function(cnnplan_python_package name result)
  execute_process(
    COMMAND python3 -c "import importlib.util as u; print(next(iter(u.find_spec('${name}').submodule_search_locations)))"
    OUTPUT_VARIABLE folder OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(failed)
    set(folder "")
  endif()
  set(${result} "${folder}" PARENT_SCOPE)
endfunction()

find_path(CUDA_RUNTIME_INCLUDE_DIR cuda_runtime_api.h
          HINTS ENV CUDA_HOME ENV CUDA_PATH /usr/local/cuda PATH_SUFFIXES include)
cnnplan_python_package(nvidia.cudnn cudnn_package)
find_path(CUDNN_INCLUDE_DIR cudnn.h
          HINTS ENV CUDNN_ROOT ${CUDA_RUNTIME_INCLUDE_DIR}/.. ${cudnn_package}
          PATH_SUFFIXES include)
find_library(CUDNN_LIBRARY NAMES cudnn libcudnn.so.9
             HINTS ENV CUDNN_ROOT ${CUDA_RUNTIME_INCLUDE_DIR}/.. ${cudnn_package}
             PATH_SUFFIXES lib64 lib)
find_path(NCCL_INCLUDE_DIR nccl.h HINTS ENV NCCL_ROOT ${CUDA_RUNTIME_INCLUDE_DIR}/..
          PATH_SUFFIXES include)
find_library(NCCL_LIBRARY NAMES nccl libnccl.so.2
             HINTS ENV NCCL_ROOT ${CUDA_RUNTIME_INCLUDE_DIR}/.. PATH_SUFFIXES lib64 lib)

set(CNNPLAN_CUDA_HEADERS OFF)
if(CUDA_RUNTIME_INCLUDE_DIR AND CUDNN_INCLUDE_DIR)
  set(CNNPLAN_CUDA_HEADERS ON)
endif()

set(CNNPLAN_CUDNN OFF)
set(cudnn_missing "")
if(CNNPLAN_CUDA AND CNNPLAN_EXECUTOR)
  include(CheckLanguage)
  find_program(CMAKE_CUDA_COMPILER nvcc HINTS ${CUDA_RUNTIME_INCLUDE_DIR}/../bin)
  check_language(CUDA)
  if(NOT CMAKE_CUDA_COMPILER)
    set(cudnn_missing "nvcc was not found")
  elseif(NOT CUDNN_INCLUDE_DIR OR NOT CUDNN_LIBRARY)
    set(cudnn_missing "cuDNN 9 was not found; CUDNN_ROOT may name its folder")
  else()
    # These architectures cover Turing and newer cards. The driver compiles code for cards after
    # Hopper at start.
    if(NOT CMAKE_CUDA_ARCHITECTURES AND "$ENV{CUDAARCHS}" STREQUAL "")
      set(CMAKE_CUDA_ARCHITECTURES 75-real 80-real 90)
    endif()
    set(CMAKE_CUDA_RUNTIME_LIBRARY None)  # linked by name below
    if(CCACHE AND NOT CMAKE_CUDA_COMPILER_LAUNCHER)
      set(CMAKE_CUDA_COMPILER_LAUNCHER ${CNNPLAN_CCACHE})
    endif()
    enable_language(CUDA)
    # CMake 3.25 does not know that nvcc has C++20.
    if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
      set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
      set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
    endif()
    find_package(CUDAToolkit REQUIRED)
    set(CNNPLAN_CUDNN ON)
  endif()
  if(cudnn_missing AND CNNPLAN_CUDA STREQUAL "ON")
    message(FATAL_ERROR "the GPU backend is required, but ${cudnn_missing}")
  endif()
endif()

if(CNNPLAN_CUDA_HEADERS)
  add_library(cudnn_headers INTERFACE)
  target_include_directories(cudnn_headers SYSTEM INTERFACE
                             ${CUDA_RUNTIME_INCLUDE_DIR} ${CUDNN_INCLUDE_DIR})
endif()
# NCCL is 200 MB that every start of cnnexec would load, so it is off by default.
option(CNNPLAN_NCCL "Reductions by NCCL (cnnexec --nccl)" OFF)
if(CNNPLAN_NCCL)
  if(NOT CNNPLAN_CUDNN OR NOT NCCL_INCLUDE_DIR OR NOT NCCL_LIBRARY)
    message(FATAL_ERROR "NCCL is required, but it or the GPU backend was not found; NCCL_ROOT may name its folder")
  endif()
  add_library(nccl_library INTERFACE)
  target_include_directories(nccl_library SYSTEM INTERFACE ${NCCL_INCLUDE_DIR})
  target_link_libraries(nccl_library INTERFACE cudnn_headers ${NCCL_LIBRARY})
endif()
if(CNNPLAN_CUDNN)
  cnnplan_header_version(${CUDNN_INCLUDE_DIR}/cudnn_version.h CUDNN PATCHLEVEL CNNPLAN_CUDNN_VERSION)
  add_library(cudnn_library INTERFACE)
  target_link_libraries(cudnn_library INTERFACE cudnn_headers ${CUDNN_LIBRARY} CUDA::cudart_static)
endif()
