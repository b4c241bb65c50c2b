# SPDX-License-Identifier: Apache-2.0
"""Six nodes on loopback: filters in parts, and filters under load while nodes are
killed and slots move.  --cluster-rounds N repeats what happens to them."""
import os
import random
import subprocess
import sys
import threading
import time

import pytest
from cluster_client import ClusterClient, slot_of
from conftest import LONGEST_LIFE, MODULE

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import cluster as clusters  # noqa: E402

TOOL = os.environ.get("TAMIS_COMMAND")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory, request):
    rounds = request.config.getoption("--cluster-rounds")
    first = random.SystemRandom().randrange(20000, 30000)
    running = clusters.Cluster(MODULE, str(tmp_path_factory.mktemp("cluster")),
                               clusters.free_ports(first, clusters.NODES), node_timeout_ms=1500,
                               longest_life=int(LONGEST_LIFE) + 60 * rounds)
    yield running
    running.stop()


def tamis(cluster, *words, check=True, stdin=""):
    server = f"127.0.0.1:{cluster.running()[0]}"
    return subprocess.run([TOOL, "redis", *words, "--server", server], check=check, text=True,
                          input=stdin, capture_output=True, timeout=120)


@pytest.mark.skipif(not TOOL, reason="the command tamis was not built")
def test_a_filter_in_parts_answers_as_the_file_does(cluster, tmp_path):
    path = tmp_path / "words.tamis"
    subprocess.run([TOOL, "build", "-q", "--policy", "bloom:fpr=0.05,fold=64,seed=5", "-o", path],
                   input="".join(f"{i}\n" for i in range(20000)), text=True, check=True)
    if "without hiredis" in tamis(cluster, "query", "none", "-k", "x", check=False).stderr:
        pytest.skip("the command tamis was built without hiredis")
    tamis(cluster, "push", str(path), "--parts", "32")
    # They are on every primary.
    assert len({owner(cluster, f"words#{i}")["port"] for i in range(32)}) == clusters.PRIMARIES
    keys = "".join(f"{i}\n" for i in range(15000, 40000))
    asked = tamis(cluster, "query", "words", stdin=keys).stdout
    local = subprocess.run([TOOL, "query", path], input=keys, text=True, check=True,
                           capture_output=True).stdout
    assert asked == local and asked.count("maybe\t") > 5000
    tamis(cluster, "pull", "words", "-o", str(tmp_path / "copy.tamis"))
    assert (tmp_path / "copy.tamis").read_bytes() == path.read_bytes()
    # The page of the layout, in the words of another client.
    xxhash = pytest.importorskip("xxhash", reason="python3-xxhash is not installed")
    client = ClusterClient(cluster.ports)
    names = (b"parts", b"blocks", b"seed")
    parts, blocks, seed = map(int, client("HMGET", "words", *names))
    for line in local.splitlines()[:300]:
        answer, key = line.split("\t")
        part = (xxhash.xxh3_64_intdigest(key.encode(), seed) * blocks >> 64) % parts
        assert client("TAMIS.EXISTS", f"words#{part}", key) == (answer == "maybe")
    client.close()


def owner(cluster, name):
    slot = slot_of(name)
    for link in cluster.links():
        for span in link["slots"]:
            first, _, last = span.partition("-")
            if first.isdigit() and int(first) <= slot <= int(last or first):
                return link
    raise AssertionError(f"nobody has slot {slot}")


MOVED_SLOTS = 200  # at a time


def name_in(start, first, slots):
    """A name whose slot is one of those."""
    number = 0
    while not first <= slot_of(f"{start}-{number}") < first + slots:
        number += 1
    return f"{start}-{number}"


MOVED = name_in("seen-0", 0, MOVED_SLOTS)


class Load(threading.Thread):
    """Adds to a few filters, and asks for what was acknowledged."""

    def __init__(self, cluster, number, stop):
        super().__init__()
        self.client = ClusterClient(cluster.ports)
        self.number, self.stop = number, stop
        self.chance = random.Random(number)
        self.acknowledged, self.asked, self.hidden, self.error = {}, 0, 0, None
        firsts = (0, 5461, 10923)  # of the primaries, at the beginning
        self.names = {name_in(f"seen-{number}", first, MOVED_SLOTS): "BF" for first in firsts}
        self.names.update({name_in(f"counted-{number}", first, MOVED_SLOTS): "CF"
                           for first in firsts})

    def run(self):
        try:
            while not self.stop.is_set():
                self.step()
        except BaseException as error:  # pylint: disable=broad-except
            self.error = error

    def step(self):
        name = self.chance.choice(list(self.names))
        kind, items = self.names[name], self.acknowledged.setdefault(name, [])
        new = [f"{name}-{len(items) + i}" for i in range(20)]
        if kind == "BF":
            self.client("BF.MADD", name, *new, replicas=1)
        else:
            self.client("CF.INSERTNX", name, "ITEMS", *new, replicas=1)
        items += new
        self.ask(name, self.chance.sample(items, 20))

    def ask(self, name, items):
        answers = self.client(self.names[name] + ".MEXISTS", name, *items)
        self.asked += len(items)
        self.hidden += answers.count(0)


def other_of(cluster, port):
    """The running node that is the pair of this one, as soon as it is known."""
    end = time.monotonic() + 30
    while time.monotonic() < end:
        links = cluster.links()
        mine = next(link for link in links if link["port"] == port)
        for link in links:
            if link["primary"] == mine["id"] or link["id"] == mine["primary"]:
                return link["port"]
        time.sleep(0.1)
    raise AssertionError("a node without its pair")


def primaries(cluster):
    return [link for link in cluster.links() if "master" in link["flags"] and link["slots"]]


def kill_a_primary(cluster):
    victim = primaries(cluster)[0]["port"]
    heir = other_of(cluster, victim)
    cluster.kill(victim)
    end = time.monotonic() + 30
    while "role:master" not in cluster.cli(heir, "INFO", "replication"):
        assert time.monotonic() < end, "nobody took over"
        time.sleep(0.1)
    cluster.start(victim)
    cluster.wait_for(victim)
    cluster.wait_until_ok()


def kill_a_replica(cluster):
    victim = other_of(cluster, primaries(cluster)[1]["port"])
    cluster.kill(victim)
    time.sleep(0.5)
    cluster.start(victim)
    cluster.wait_for(victim)
    cluster.wait_until_ok()


def hand_over(cluster):
    """A failover that an administrator asks for."""
    heir = other_of(cluster, primaries(cluster)[2]["port"])
    assert "OK" in cluster.cli(heir, "CLUSTER", "FAILOVER")
    end = time.monotonic() + 30
    while "role:master" not in cluster.cli(heir, "INFO", "replication"):
        assert time.monotonic() < end, "nobody took over"
        time.sleep(0.1)
    cluster.wait_until_ok()


def move_slots(cluster):
    """Moves the first slots of a primary to another one, with what is in them."""
    giver = owner(cluster, MOVED)
    taker = next(link for link in primaries(cluster) if link["id"] != giver["id"])
    cluster.cli(giver["port"], "--cluster", "reshard", f"127.0.0.1:{giver['port']}",
                "--cluster-from", giver["id"], "--cluster-to", taker["id"],
                "--cluster-slots", MOVED_SLOTS, "--cluster-yes")
    assert owner(cluster, MOVED)["id"] == taker["id"]
    cluster.wait_until_ok()


def test_nothing_acknowledged_is_hidden(cluster, request, capsys):
    stop = threading.Event()
    loads = [Load(cluster, number, stop) for number in range(3)]
    for load in loads:
        load.start()
    happened = []
    try:
        for _ in range(request.config.getoption("--cluster-rounds")):
            for event in (kill_a_primary, move_slots, hand_over, kill_a_replica):
                start = time.monotonic()
                event(cluster)
                happened.append(f"{event.__name__} {time.monotonic() - start:.1f} s")
                time.sleep(0.5)
    finally:
        stop.set()
        for load in loads:
            load.join(60)
    acknowledged = 0
    for load in loads:
        assert load.error is None, load.error
        assert load.hidden == 0
        for name, items in load.acknowledged.items():
            acknowledged += len(items)
            for first in range(0, len(items), 1000):
                load.ask(name, items[first:first + 1000])
        assert load.hidden == 0, "keys were lost"
        load.client.close()
    with capsys.disabled():
        print(f"\n{acknowledged} acknowledged keys, {sum(load.asked for load in loads)} questions, "
              f"0 hidden; {', '.join(happened)}")
    assert acknowledged > 1000
