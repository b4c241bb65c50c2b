#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""scale.py FOLDER KEYS...: filters of keys that are in many files, made by
several workers of Dask's scheduler on this machine.

FOLDER/merged.tamis is one Bloom filter: each worker makes the filter of some
files, all by one plan, and the results are merged.  FOLDER/parts is a directory
of ribbon filters, one for each part of the keys: each worker makes some, without
knowing of the others.  Workers may die: their work is done again, and the bytes
are those that one process makes."""

import os
import subprocess
import sys

import dask.distributed
import tamis

PLAN = "bloom:m=2000000,k=6"  # for 200,000 keys, of all files together
PARTS = 8
COMMAND = os.environ.get("TAMIS_COMMAND", "tamis")


def keys_of(path):
    with open(path, "rb") as file:
        for line in file:
            yield line.rstrip(b"\n")


def filter_of(path):
    """One file's filter, as large as that of all: such filters can be merged."""
    return tamis.build(PLAN, keys_of(path))


def merged(*filters):
    return tamis.combine(PLAN, filters)


def make_part(folder, part, paths):
    """A part of all files' keys, written so that only whole files are there."""
    subprocess.run([COMMAND, "build", "--quiet", "--force", "--output", folder,
                    "--policy", "ribbon:8", "--part", f"{part}/{PARTS}", *paths],
                   check=True)


def run(client, folder, paths):
    parts = client.map(make_part, [folder + "/parts"] * PARTS, range(PARTS),
                       [paths] * PARTS, pure=False)
    whole = client.submit(merged, *client.map(filter_of, paths))
    tamis.write_file(folder + "/merged.tamis", whole.result(), replace=True)
    dask.distributed.wait(parts)
    client.gather(parts)  # raises what a worker raised


def main():
    folder, *paths = sys.argv[1:]
    os.makedirs(folder + "/parts", exist_ok=True)
    with dask.distributed.LocalCluster(
            n_workers=3, threads_per_worker=1, host="127.0.0.1",
            dashboard_address=None) as cluster:
        with dask.distributed.Client(cluster) as client:
            run(client, folder, paths)


if __name__ == "__main__":
    main()
