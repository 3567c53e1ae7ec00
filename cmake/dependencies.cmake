# Finds what the project needs. docs/reference/packages.md says what each package is for.
find_package(nlohmann_json 3.11 REQUIRED)
find_package(CLI11 2.1 REQUIRED)
find_package(Boost 1.74 REQUIRED)      # Boost.Graph is header only
find_package(OpenSSL REQUIRED)         # SHA-256 of inputs
find_package(ZLIB REQUIRED)            # compresses traces
find_package(Threads REQUIRED)
if(CNNPLAN_TESTS)
  find_package(doctest REQUIRED)
endif()

# The import of ONNX models needs ONNX's messages, but neither its checker nor the operators'
# schemas. A test compares the import with the schemas.
find_path(ONNX_INCLUDE_DIR onnx/onnx_pb.h)
find_library(ONNX_PROTO_LIBRARY onnx_proto)
find_library(ONNX_SCHEMA_LIBRARY onnx)
find_package(Protobuf 3.12)
set(CNNPLAN_ONNX OFF)
if(ONNX_INCLUDE_DIR AND ONNX_PROTO_LIBRARY AND Protobuf_FOUND)
  set(CNNPLAN_ONNX ON)
  add_library(onnx_library INTERFACE)
  target_compile_definitions(onnx_library INTERFACE ONNX_ML=1 ONNX_NAMESPACE=onnx)
  target_include_directories(onnx_library SYSTEM INTERFACE ${ONNX_INCLUDE_DIR})
  target_link_libraries(onnx_library INTERFACE ${ONNX_PROTO_LIBRARY} protobuf::libprotobuf)
endif()

# The executor needs MPI, parallel HDF5 and Eigen, and uses oneDNN where it is installed.
find_package(MPI COMPONENTS CXX)
set(HDF5_PREFER_PARALLEL ON)
find_package(HDF5 COMPONENTS C)
find_package(Eigen3 3.4)
find_path(DNNL_INCLUDE_DIR dnnl.hpp)
find_library(DNNL_LIBRARY dnnl)

set(CNNPLAN_EXECUTOR OFF)
if(MPI_CXX_FOUND AND HDF5_IS_PARALLEL AND Eigen3_FOUND)
  set(CNNPLAN_EXECUTOR ON)
endif()
set(CNNPLAN_ONEDNN OFF)
if(DNNL_INCLUDE_DIR AND DNNL_LIBRARY)
  set(CNNPLAN_ONEDNN ON)
  add_library(dnnl_library INTERFACE)
  target_include_directories(dnnl_library SYSTEM INTERFACE ${DNNL_INCLUDE_DIR})
  target_link_libraries(dnnl_library INTERFACE ${DNNL_LIBRARY})
endif()

# Sets `result` to "MAJOR.MINOR.PATCH" from the macros PREFIX_MAJOR and so on in a header.
function(cnnplan_header_version file prefix patch result)
  set(version "")
  foreach(part MAJOR MINOR ${patch})
    file(STRINGS ${file} line REGEX "define ${prefix}_${part} +[0-9]+")
    string(REGEX MATCH "[0-9]+$" number "${line}")
    string(APPEND version ".${number}")
  endforeach()
  string(SUBSTRING "${version}" 1 -1 version)
  set(${result} ${version} PARENT_SCOPE)
endfunction()
if(CNNPLAN_ONEDNN)
  cnnplan_header_version(${DNNL_INCLUDE_DIR}/oneapi/dnnl/dnnl_version.h DNNL_VERSION PATCH
                         CNNPLAN_ONEDNN_VERSION)
endif()
