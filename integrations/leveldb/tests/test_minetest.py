# SPDX-License-Identifier: Apache-2.0
"""minetestserver, a program of Debian that keeps its world in LevelDB,
unmodified: on our library, then on LevelDB's, then on ours again, on one world.
TAMIS_MINETESTSERVER names it if it is not installed."""
import os
import shutil
import socket

import pytest
from conftest import run

# Debian's script in /usr/games writes to the log of the system's server.
SERVER = (os.environ.get("TAMIS_MINETESTSERVER") or
          shutil.which("minetestserver", path="/usr/lib/minetest") or
          shutil.which("minetestserver"))

WORLD = """gameid = devtest
backend = leveldb
player_backend = leveldb
auth_backend = leveldb
"""

# Makes a part of the world, changes a node of each block of it, and stops; a
# later run counts the changes of the earlier ones.
MOD = """
local from, to = {x = -48, y = -48, z = -48}, {x = 47, y = 47, z = 47}
local function at_each_block(visit)
  for x = from.x, to.x, 16 do for y = from.y, to.y, 16 do
    for z = from.z, to.z, 16 do visit({x = x + 3, y = y + 3, z = z + 3}) end
  end end
end
minetest.register_on_mods_loaded(function()
  minetest.after(0, function()
    minetest.emerge_area(from, to, function(_, _, rest)
      if rest > 0 then return end
      local changed, kept = 0, 0
      at_each_block(function(place)
        local meta = minetest.get_meta(place)
        if meta:get_string("tamis") == "here" then kept = kept + 1 end
        meta:set_string("tamis", "here")
        changed = changed + 1
      end)
      minetest.log("action", "blocks " .. changed .. " kept " .. kept)
      minetest.request_shutdown("done", false, 0)
    end)
  end)
end)
"""


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def serve(library, home):
    """Runs the server until its mod stops it.  Returns what the mod says."""
    done = run(library, SERVER, "--world", home / "world", "--config",
               home / "minetest.conf", "--port", free_port(), "--color", "never",
               more={"HOME": str(home)})
    text = (done.stdout + done.stderr).decode(errors="replace")
    said = [line.split("blocks ")[1] for line in text.splitlines()
            if "blocks " in line and " kept " in line]
    assert len(said) == 1, text[-2000:]
    return said[0]


@pytest.mark.skipif(SERVER is None, reason="there is no minetestserver; "
                    "install minetest-server, or set TAMIS_MINETESTSERVER")
def test_a_world_runs_on_either_library_in_turn(fresh):
    home = fresh()
    mod = home / "world" / "worldmods" / "visit"
    mod.mkdir(parents=True)
    (home / "world" / "world.mt").write_text(WORLD)
    (mod / "mod.conf").write_text("name = visit\n")
    (mod / "init.lua").write_text(MOD)
    (home / "minetest.conf").write_text(
        "bind_address = 127.0.0.1\nserver_announce = false\n"
        "mg_name = v7\nfixed_map_seed = 5\n")
    blocks = 6 ** 3
    assert serve("ours", home) == f"{blocks} kept 0"
    assert (home / "world" / "map.db" / "TAMIS").exists()
    assert serve("theirs", home) == f"{blocks} kept {blocks}"
    assert serve("ours", home) == f"{blocks} kept {blocks}"
