# SPDX-License-Identifier: Apache-2.0
"""A recipe for Conan 2, which builds the tree that it is in.

    conan create packaging/conan --build=missing
"""

import os

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, rm, rmdir


class TamisConan(ConanFile):
    name = "tamis"
    version = "0.5.0"
    license = "Apache-2.0"
    description = "Filters for storage engines, and a key-value store in LevelDB's format"
    topics = ("bloom-filter", "ribbon-filter", "leveldb", "key-value")
    package_type = "library"
    settings = "os", "compiler", "build_type", "arch"
    options = {"shared": [True, False], "tool": [True, False]}
    default_options = {"shared": False, "tool": False}

    def export_sources(self):
        tree = os.path.join(self.recipe_folder, "..", "..")
        for name in ("CMakeLists.txt", "LICENSE", "README.md"):
            copy(self, name, tree, self.export_sources_folder)
        for folder in ("cmake", "docs", "examples", "include", "src", "tools"):
            copy(self, folder + "/*", tree, self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def requirements(self):
        self.requires("xxhash/0.8.2")
        self.requires("lz4/1.9.4")
        self.requires("snappy/1.1.10")
        self.requires("zlib/[>=1.2.13 <2]")
        self.requires("zstd/1.5.5")
        if self.settings.arch == "x86_64":
            self.requires("isa-l/2.30.0")
        if self.options.tool:
            self.requires("fmt/10.2.1")
            self.requires("nlohmann_json/3.11.3")

    def validate(self):
        if self.settings.os != "Linux":
            raise ConanInvalidConfiguration("Tamis runs on Linux")
        check_min_cppstd(self, 20)

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["TAMIS_BUILD_TOOL"] = bool(self.options.tool)
        toolchain.cache_variables["TAMIS_REQUIRE_ALL"] = True
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build(target="product")

    def package(self):
        copy(self, "LICENSE", self.source_folder,
             os.path.join(self.package_folder, "licenses"))
        CMake(self).install()
        # The build makes both libraries, and files for CMake and pkg-config
        # that Conan writes itself.
        libraries = os.path.join(self.package_folder, "lib")
        rm(self, "libtamis.a" if self.options.shared else "libtamis.so*",
           libraries)
        rmdir(self, os.path.join(libraries, "cmake"))
        rmdir(self, os.path.join(libraries, "pkgconfig"))

    def package_info(self):
        self.cpp_info.libs = ["tamis"]
        self.cpp_info.set_property("cmake_file_name", "tamis")
        self.cpp_info.set_property("cmake_target_name", "tamis::tamis")
        self.cpp_info.set_property("pkg_config_name", "tamis")
        self.cpp_info.system_libs = ["pthread"]
