// SPDX-License-Identifier: Apache-2.0
// sstable/rebuild_undo.h -- from new files back to the old ones, after a crash
// or because somebody asked for it; and what is left of a rebuild.

#pragma once

#include <string>

#include "sstable/rebuild_journal.h"
#include "tamis/env.h"
#include "tamis/result.h"
#include "tamis/sstable_rebuild.h"

namespace tamis {

// Names within kRebuildDirectory.
std::string StagedName(const std::string& name);
std::string KeptName(const std::string& name);
inline constexpr std::string_view kJournalName = "journal";

// Returns the mark of a file.  Reads all of it for the checksum.
Result<FileMark> ReadFileMark(Env& env, const std::string& path, bool with_crc);

// NotFound: there is no journal.
Result<RebuildJournal> ReadJournal(Env& env, const std::string& own_dir);
// Writes it atomically.
Status WriteJournal(Env& env, const std::string& own_dir,
                    const RebuildJournal& journal);

// True: every move was made, and nothing changed since.
Result<bool> IsSwitched(Env& env, const std::string& dir,
                        const RebuildJournal& journal);

// Undoes the moves that were made, from the last to the first.  A unit of which
// something changed since is left alone; so is one whose anchor is gone.
// `report` gets the names of files that are there again, and notes.
// *is_whole: no unit was left alone because of a change.
Status UndoMoves(Env& env, const std::string& dir,
                 const RebuildJournal& journal, UndoReport* report,
                 bool* is_whole);

// Removes kRebuildDirectory and what rebuilds put there; the journal goes last.
// Files of other names stay, and then the directory does.
Status RemoveRebuildDirectory(Env& env, const std::string& dir);

}  // namespace tamis
