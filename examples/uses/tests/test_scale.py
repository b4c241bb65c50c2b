# SPDX-License-Identifier: Apache-2.0
"""Workers of Dask, one of which is killed: the bytes are those of one process."""

import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

import pytest

import tamis

distributed = pytest.importorskip("dask.distributed")
sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
import scale  # noqa: E402

COMMAND = os.environ["TAMIS_COMMAND"]


@pytest.fixture
def paths(tmp_path):
    made = []
    for i in range(6):
        made.append(str(tmp_path / f"keys{i}.txt"))
        pathlib.Path(made[-1]).write_text(
            "".join(f"user:{n}\n" for n in range(i * 30_000, (i + 1) * 30_000)))
    return made


def alone(folder, paths):
    """The same by one process."""
    subprocess.run([COMMAND, "build", "-q", "-o", folder / "parts", "--policy",
                    "ribbon:8", "--parts", str(scale.PARTS), *paths], check=True)
    (folder / "merged.tamis").write_bytes(
        scale.merged(*map(scale.filter_of, paths)))


def test_a_killed_worker_changes_no_byte(paths, tmp_path):
    one, many = tmp_path / "one", tmp_path / "many"
    for folder in one, many:
        folder.mkdir()
    alone(one, paths)
    with distributed.LocalCluster(
            n_workers=3, threads_per_worker=1, host="127.0.0.1",
            dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            victim = next(iter(cluster.workers.values())).pid
            worked = threading.Thread(
                target=scale.run, args=(client, str(many), paths))
            worked.start()
            parts = many / "parts"
            while worked.is_alive() and not (
                    parts.exists() and len(list(parts.glob("part-*.tamis")))):
                time.sleep(0.01)
            was_at_work = worked.is_alive()
            os.kill(victim, signal.SIGKILL)
            worked.join(60)
            assert not worked.is_alive()
    assert was_at_work
    names = sorted(path.name for path in (one / "parts").iterdir())
    assert len(names) == scale.PARTS
    for name in names:
        assert (one / "parts" / name).read_bytes() == (
            many / "parts" / name).read_bytes(), name
    assert tamis.Filter.open(one / "merged.tamis").query(
        ["user:0", "user:179999"]) == [True, True]
    merged = (many / "merged.tamis").read_bytes()
    assert (one / "merged.tamis").read_bytes() == merged
    # Behind the header, which has the number of keys where that is known, it is
    # the filter of all keys.
    assert merged[64:] == tamis.build(scale.PLAN, (
        key for path in paths for key in scale.keys_of(path)))[64:]
    asked = subprocess.run([COMMAND, "query", many / "parts", "--only", "no",
                            *paths], capture_output=True, text=True, check=True)
    assert (asked.stdout, asked.stderr) == ("", "")
