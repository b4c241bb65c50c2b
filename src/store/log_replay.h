// SPDX-License-Identifier: Apache-2.0
// store/log_replay.h -- how far to replay the logs of a store, and what happens
// to the rest.
//
// Writes that were not synced may be lost in a power loss, and a disk writes
// sectors in any order: a log then has holes.  The part that is replayed is a
// prefix of all writes: it ends at the first hole, and everything after it is
// dropped, in later logs, too.  A hole before a sync mark cannot be a loss of
// unsynced writes: it is damage.  Logs without marks, LevelDB's and those of
// older versions, may lack their end; other holes in them are damage.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "store/log_markers.h"
#include "store/manifest.h"
#include "tamis/env.h"

namespace tamis {

// One log, entirely in memory, and what PlanReplay() decides about it.
struct ReplayLog {
  std::uint64_t number = 0;
  std::string path;
  std::string contents;
  // Bytes could not be read and are zeros in the contents: a hole then means
  // nothing.  `damage` already reports them.
  bool is_read_in_part = false;

  bool is_ours = false;
  LogHead head;                   // if it is ours
  std::uint64_t replay_to = 0;    // records that end after this are dropped
  std::uint64_t end = 0;          // of the last replayed record
  Sequence next = 0;              // after the last write in it; 0: none
  bool can_be_continued = false;  // writing may continue at `end`
  std::uint64_t records = 0;      // that are replayed
  std::uint64_t changes = 0;      // in them
  std::uint64_t dropped = 0;  // records that are not: the last note says why
  // True: the part that is not replayed may contain more records.
  bool may_hide_records = false;
  // Sentences without the file's name: expected losses, and damage that was
  // skipped.  At most about a hundred sentences of damage per log, and then the
  // number of others.
  std::vector<std::string> notes;
  std::vector<std::string> damage;
};

// Reads the logs that may contain writes that are in no table, in order.
// ResourceExhausted: one has more than `limit` bytes.
Result<std::vector<ReplayLog>> ReadLogs(Env& env, const std::string& dir,
                                        const ManifestState& state,
                                        std::uint64_t limit);

// Reads one log, which may have bad sectors.  Fails for reasons other than
// damage (see base/damage.h), or if there is no such file or none of it can be
// read.  Every message names the file.
Result<ReplayLog> ReadLogInPart(Env& env, const std::string& dir,
                                std::uint64_t number, std::uint64_t limit);

// Plans the replay of the logs.  Damage is recorded in them, and skipped; a
// caller that does not accept damage must check.  Takes time in proportion to
// the logs.
void PlanReplay(const ManifestState& state, std::vector<ReplayLog>* logs);

// Calls visit(batch) for the batches of a log that are replayed, or for those
// that are dropped, in order, until it fails.
enum class LogPart { kReplayed, kDropped };
Status ForEachBatch(const ReplayLog& log, LogPart part,
                    const std::function<Status(Slice batch)>& visit);

// Writes the batches that are dropped to a log in DIR/lost, and makes that
// durable.  If dropped bytes may contain more batches, it is a copy of the
// whole log.  Sets *path to its name; empty: nothing is dropped.
Status SaveDropped(Env& env, const std::string& dir, const ReplayLog& log,
                   std::string* path);

}  // namespace tamis
