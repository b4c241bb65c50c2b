// SPDX-License-Identifier: Apache-2.0
// node_ioredis.mjs PORT FILE -- the commands by npm's `ioredis`, which knows no
// module: call() sends any command.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Redis } from 'ioredis';

const [port, path] = process.argv.slice(2);
const redis = new Redis({ host: '127.0.0.1', port: Number(port) });
const call = (...words) => redis.call(...words);

async function check(words, expected) {
  assert.deepEqual(await call(...words.split(' ')), expected, words);
}

await redis.flushall();
await check('BF.RESERVE f 0.01 100 EXPANSION 2', 'OK');
await check('BF.ADD f a', 1);
await check('BF.MADD f a b', [0, 1]);
await check('BF.INSERT g CAPACITY 10 ERROR 0.1 NONSCALING ITEMS x', [1]);
await check('BF.EXISTS f a', 1);
await check('BF.MEXISTS f a z', [1, 0]);
await check('BF.CARD f', 2);
await check('BF.INFO f CAPACITY', [100]);
assert.equal((await call('BF.INFO', 'f'))[0], 'Capacity');
await check('CF.RESERVE c 1000 BUCKETSIZE 2', 'OK');
await check('CF.ADD c a', 1);
await check('CF.ADDNX c a', 0);
await check('CF.INSERT c ITEMS b b', [1, 1]);
await check('CF.INSERTNX c ITEMS b d', [0, 1]);
await check('CF.EXISTS c a', 1);
await check('CF.MEXISTS c a z', [1, 0]);
await check('CF.COUNT c b', 2);
await check('CF.DEL c b', 1);
assert.equal((await call('CF.INFO', 'c'))[0], 'Size');
for (const [prefix, from, item] of [['BF', 'f', 'b'], ['CF', 'c', 'a']]) {
  for (let iterator = 0; ;) {
    const [next, chunk] = await redis.callBuffer(`${prefix}.SCANDUMP`, from, iterator);
    if (next === 0) break;
    assert.equal(await call(`${prefix}.LOADCHUNK`, `${from}2`, next, chunk), 'OK');
    iterator = next;
  }
  await check(`${prefix}.EXISTS ${from}2 ${item}`, 1);
}
const file = readFileSync(path);
assert.equal(await call('TAMIS.LOAD', 'file', file), 'OK');
assert.ok(file.equals(await redis.callBuffer('TAMIS.DUMP', 'file')), 'the bytes that were loaded');
await check('TAMIS.EXISTS file 7', 1);
await check('TAMIS.MEXISTS file 99 never', [1, 0]);
await check('TAMIS.MERGE both file file', 'OK');
await check('TAMIS.SHRINK both 2', 'OK');
await check('TAMIS.EXISTS both 7', 1);
assert.equal((await call('TAMIS.INFO', 'file'))[0], 'Kind');
await check('BF.RESERVE r 0.01 100 GENERATIONS 2', 'OK');
await check('TAMIS.ROTATE r', 'OK');
await assert.rejects(call('BF.ADD', 'c', 'x'), /WRONGTYPE/);
await assert.rejects(call('BF.RESERVE', 'f', '2', '10'), /error rate range/);
// A pipeline answers in order.
const replies = await redis.pipeline().call('BF.ADD', 'p', 'a').call('BF.EXISTS', 'p', 'a').exec();
assert.deepEqual(replies, [[null, 1], [null, 1]]);
await redis.quit();
console.log('ok');
