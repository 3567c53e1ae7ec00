# Describes the Debian packages that `cpack -G DEB` makes of the components planner and executor. The
# guide docs/guide/install.md has the commands.
set(CNNPLAN_PACKAGE_CONTACT "The maintainers of cnnplan <maintainers@cnnplan.invalid>" CACHE STRING
    "Name and address of who makes the packages")
set(CPACK_PACKAGE_NAME cnnplan)
set(CPACK_PACKAGE_VENDOR cnnplan)
set(CPACK_PACKAGE_CONTACT ${CNNPLAN_PACKAGE_CONTACT})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_VERBATIM_VARIABLES ON)

# The executor with the backend for GPUs needs cuDNN, which no package of Debian brings. So a build
# with this backend packs the planner alone.
set(CPACK_COMPONENTS_ALL planner)
if(CNNPLAN_EXECUTOR AND NOT CNNPLAN_CUDNN)
  list(APPEND CPACK_COMPONENTS_ALL executor)
endif()

# The packages depend on the libraries that dpkg-shlibdeps finds in their programs.
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PLANNER_PACKAGE_NAME cnnplan)
set(CPACK_DEBIAN_PLANNER_PACKAGE_SUGGESTS "cnnplan-exec (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_PLANNER_DESCRIPTION
    "planner of parallel training of convolutional networks
cnnplan finds the fastest way to split the training of a convolutional network
over many ranks: over samples, channels, depth, height and width. It reads
ONNX models, predicts the step and the memory, and explains the plan. It needs
neither MPI nor the machine that the plan is for.")
set(CPACK_DEBIAN_EXECUTOR_PACKAGE_NAME cnnplan-exec)
set(CPACK_DEBIAN_EXECUTOR_PACKAGE_DEPENDS "cnnplan (= ${PROJECT_VERSION}), openmpi-bin")
set(CPACK_DEBIAN_EXECUTOR_DESCRIPTION
    "executor and profiler of plans of cnnplan, with MPI and oneDNN
cnnexec runs the training that a plan of cnnplan describes, on CPUs, and
measures its operations. cnnplan-profile times the kernels and links that plans
are made from, and cnnplan-weights reads the weights of ONNX models.")

# Debian wants manual pages compressed, and documents in folders with the names of packages.
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/cmake/debian_files.cmake)
set(CPACK_CNNPLAN_SOURCE ${CMAKE_SOURCE_DIR})
include(CPack)
