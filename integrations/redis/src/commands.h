// SPDX-License-Identifier: Apache-2.0
// commands.h -- the commands of the module; command_table.cc has their names,
// flags and documentation.

#pragma once

#include "redis_api.h"

namespace tamis {

// All have the type of RedisCommandFunction.
int BloomReserve(RedisContext* context, RedisString** values, int count);
int BloomAdd(RedisContext* context, RedisString** values, int count);
int BloomAddMany(RedisContext* context, RedisString** values, int count);
int BloomInsert(RedisContext* context, RedisString** values, int count);
int BloomExists(RedisContext* context, RedisString** values, int count);
int BloomExistsMany(RedisContext* context, RedisString** values, int count);
int BloomCard(RedisContext* context, RedisString** values, int count);
int BloomInfo(RedisContext* context, RedisString** values, int count);
int BloomScanDump(RedisContext* context, RedisString** values, int count);
int BloomLoadChunk(RedisContext* context, RedisString** values, int count);

int CuckooReserve(RedisContext* context, RedisString** values, int count);
int CuckooAdd(RedisContext* context, RedisString** values, int count);
int CuckooAddNew(RedisContext* context, RedisString** values, int count);
int CuckooInsert(RedisContext* context, RedisString** values, int count);
int CuckooInsertNew(RedisContext* context, RedisString** values, int count);
int CuckooExists(RedisContext* context, RedisString** values, int count);
int CuckooExistsMany(RedisContext* context, RedisString** values, int count);
int CuckooErase(RedisContext* context, RedisString** values, int count);
int CuckooCount(RedisContext* context, RedisString** values, int count);
int CuckooInfo(RedisContext* context, RedisString** values, int count);
int CuckooScanDump(RedisContext* context, RedisString** values, int count);
int CuckooLoadChunk(RedisContext* context, RedisString** values, int count);

int FileLoad(RedisContext* context, RedisString** values, int count);
int FileDump(RedisContext* context, RedisString** values, int count);
int FileExists(RedisContext* context, RedisString** values, int count);
int FileExistsMany(RedisContext* context, RedisString** values, int count);
int FileInfo(RedisContext* context, RedisString** values, int count);
int FileMerge(RedisContext* context, RedisString** values, int count);
int FileShrink(RedisContext* context, RedisString** values, int count);
// Of both: filters with generations, and files of the kind rotating.
int Rotate(RedisContext* context, RedisString** values, int count);

// Creates all commands of the table, with their documentation.  Returns whether
// the server took them.
bool CreateCommands(RedisContext* context);

}  // namespace tamis
