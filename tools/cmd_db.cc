// tamis db: a store in LevelDB's format, from the command line.

#include <CLI/CLI.hpp>

#include "commands.h"
#include "db_commands.h"

namespace tamis::tools {

void AddDb(CLI::App* app, const Console& console, int* exit_code) {
  CLI::App* db = app->add_subcommand(
      "db", "Read, write, check and explain a store in LevelDB's format");
  db->require_subcommand(1);
  AddDbPut(db, console, exit_code);
  AddDbGet(db, console, exit_code);
  AddDbDelete(db, console, exit_code);
  AddDbScan(db, console, exit_code);
  AddDbLoad(db, console, exit_code);
  AddDbStats(db, console, exit_code);
  AddDbCompact(db, console, exit_code);
  AddDbCheck(db, console, exit_code);
  AddDbRepair(db, console, exit_code);
  AddDbExplain(db, console, exit_code);
  AddDbDestroy(db, console, exit_code);
  db->footer(
      "Only put and load make a store, and only with --create.  get, scan,\n"
      "stats, check and explain write nothing and take no lock.  A key that\n"
      "begins with '-' stands behind '--'.  Most commands have --json;\n"
      "'tamis db COMMAND --help' tells more.\n\n"
      "Example:\n"
      "  tamis db put fruit.db apple red --create\n"
      "  tamis db get fruit.db apple\n"
      "  tamis db explain fruit.db apple");
}

}  // namespace tamis::tools
