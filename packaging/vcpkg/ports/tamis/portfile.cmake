# SPDX-License-Identifier: Apache-2.0
# An overlay port: it builds the tree that it is in.
#   vcpkg install tamis --overlay-ports=packaging/vcpkg/ports

cmake_path(ABSOLUTE_PATH CMAKE_CURRENT_LIST_DIR NORMALIZE OUTPUT_VARIABLE port)
cmake_path(SET SOURCE_PATH NORMALIZE "${port}/../../../..")

vcpkg_check_features(
  OUT_FEATURE_OPTIONS FEATURE_OPTIONS
  FEATURES tool TAMIS_BUILD_TOOL)

vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS ${FEATURE_OPTIONS}
          -DTAMIS_BUILD_STORE=ON
          -DTAMIS_REQUIRE_ALL=ON
          -DCMAKE_INSTALL_DOCDIR=share/tamis)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/tamis)
vcpkg_fixup_pkgconfig()

if("tool" IN_LIST FEATURES)
  vcpkg_copy_tools(TOOL_NAMES tamis AUTO_CLEAN)
endif()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include"
                    "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
