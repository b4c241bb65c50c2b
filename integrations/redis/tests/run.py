# SPDX-License-Identifier: Apache-2.0
"""run.py MODULE [ARGUMENT...] -- tests the module in servers of this machine.

77, which ctest shows as skipped: there is no server or no client here.
"""
import os
import shutil
import sys


def missing():
    """Returns what the tests need and this machine has not, or None."""
    if shutil.which("redis-server") is None:
        return "redis-server"
    for module, package in (("redis", "python3-redis"), ("pytest", "python3-pytest")):
        try:
            __import__(module)
        except ImportError:
            return package
    return None


def main():
    lacks = missing()
    if lacks is not None:
        print(f"skipped: {lacks} is not installed; ./run test installs it as root")
        return 77
    import pytest

    os.environ["TAMIS_REDIS_MODULE"] = os.path.abspath(sys.argv[1])
    here = os.path.dirname(os.path.abspath(__file__))
    return pytest.main(["-q", "-p", "no:cacheprovider", here, *sys.argv[2:]])


if __name__ == "__main__":
    sys.exit(main())
