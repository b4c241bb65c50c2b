# SPDX-License-Identifier: Apache-2.0
# CPack: a tarball of what `cmake --install` installs, below one folder named
# after version and machine.  `./run package --tarball` makes and tries it.

set(CPACK_GENERATOR TGZ)
set(CPACK_PACKAGE_NAME tamis)
set(CPACK_PACKAGE_FILE_NAME
    "tamis-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR}")
string(TOLOWER "${CPACK_PACKAGE_FILE_NAME}" CPACK_PACKAGE_FILE_NAME)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_CHECKSUM SHA256)
# Whatever the machine unpacks as, nobody else may write there.
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
    WORLD_EXECUTE)
include(CPack)
