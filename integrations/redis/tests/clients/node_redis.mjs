// SPDX-License-Identifier: Apache-2.0
// node_redis.mjs PORT FILE -- every command of BF.* and CF.* by npm's `redis`,
// in both protocols, and TAMIS.* with the .tamis file of the words 0 to 99.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createClient, RESP_TYPES } from 'redis';

const [port, path] = process.argv.slice(2);

async function bloom(client) {
  const { bf } = client;
  assert.equal(await bf.reserve('f', 0.01, 100, { EXPANSION: 4 }), 'OK');
  assert.equal(await bf.reserve('n', 0.01, 2, { NONSCALING: true }), 'OK');
  assert.equal(await bf.add('f', 'a'), true);
  assert.equal(await bf.add('f', 'a'), false);
  assert.deepEqual(await bf.mAdd('f', ['a', 'b', 'c']), [false, true, true]);
  assert.deepEqual(
    await bf.insert('g', ['x', 'x'], { CAPACITY: 50, ERROR: 0.02, EXPANSION: 3 }), [true, false]);
  assert.deepEqual(await bf.insert('g', ['y'], { NOCREATE: true }), [true]);
  assert.equal(await bf.exists('f', 'b'), true);
  assert.equal(await bf.exists('f', 'z'), false);
  assert.deepEqual(await bf.mExists('f', ['a', 'z']), [true, false]);
  assert.equal(await bf.card('f'), 3);
  const info = await bf.info('f');
  assert.equal(info['Capacity'], 100);
  assert.equal(info['Number of filters'], 1);
  assert.equal(info['Number of items inserted'], 3);
  assert.equal(info['Expansion rate'], 4);
  assert.ok(info['Size'] > 0);
  await bf.mAdd('n', ['a', 'b']);
  await assert.rejects(bf.add('n', 'c'), /non scaling filter is full/);
  await assert.rejects(bf.insert('none', ['a'], { NOCREATE: true }), /not found/);
  await assert.rejects(bf.reserve('f', 0.01, 100), /item exists/);
  await assert.rejects(bf.info('none'), /not found/);
}

async function cuckoo(client) {
  const { cf } = client;
  assert.equal(
    await cf.reserve('c', 1000, { BUCKETSIZE: 4, MAXITERATIONS: 50, EXPANSION: 2 }), 'OK');
  assert.equal(await cf.add('c', 'a'), true);
  assert.equal(await cf.addNX('c', 'a'), false);
  assert.equal(await cf.add('c', 'a'), true);
  assert.equal(await cf.count('c', 'a'), 2);
  assert.equal(await cf.del('c', 'a'), true);
  assert.equal(await cf.del('c', 'z'), false);
  assert.equal(await cf.exists('c', 'a'), true);
  assert.equal(await cf.exists('c', 'z'), false);
  assert.deepEqual(await cf.insert('d', ['x', 'y'], { CAPACITY: 100 }), [true, true]);
  const once = await cf.insertNX('d', ['x', 'z']);
  assert.deepEqual(once.map(Number), [0, 1]);
  const info = await cf.info('c');
  assert.equal(info['Bucket size'], 4);
  assert.equal(info['Max iteration'] ?? info['Max iterations'], 50);
  assert.equal(info['Number of items inserted'], 1);
  assert.equal(info['Number of items deleted'], 1);
  await assert.rejects(cf.insert('none', ['a'], { NOCREATE: true }), /not found/);
  await assert.rejects(cf.add('f', 'a'), /WRONGTYPE/);
}

// Chunks are bytes, which this client takes for text unless it is told.
async function transfer(client) {
  const typeMapping = { [RESP_TYPES.BLOB_STRING]: Buffer };
  const bytes = client.withTypeMapping(typeMapping);
  for (const [module, from, to, item] of [['bf', 'f', 'f2', 'b'], ['cf', 'c', 'c2', 'a']]) {
    for (let iterator = 0; ;) {
      const { iterator: next, chunk } = await bytes[module].scanDump(from, iterator);
      if (next === 0) break;
      assert.equal(await client[module].loadChunk(to, next, chunk), 'OK');
      iterator = next;
    }
    assert.equal(await client[module].exists(to, item), true);
  }
  const file = readFileSync(path);
  assert.equal(await client.sendCommand(['TAMIS.LOAD', 'file', file]), 'OK');
  const dumped = await client.sendCommand(['TAMIS.DUMP', 'file'], { typeMapping });
  assert.ok(file.equals(dumped), 'the bytes that were loaded');
  const found = await client.sendCommand(['TAMIS.MEXISTS', 'file', '7', 'never']);
  assert.deepEqual(found.map(Number), [1, 0]);
  assert.equal(Number(await client.sendCommand(['TAMIS.EXISTS', 'file', '99'])), 1);
  assert.ok((await client.sendCommand(['TAMIS.INFO', 'file'])) !== null);
  assert.equal(
    await client.sendCommand(['BF.RESERVE', 'r', '0.01', '100', 'GENERATIONS', '2']), 'OK');
  assert.equal(await client.bf.add('r', 'a'), true);
  for (let i = 0; i < 2; ++i) assert.equal(await client.sendCommand(['TAMIS.ROTATE', 'r']), 'OK');
  assert.equal(await client.bf.exists('r', 'a'), false);
}

for (const RESP of [2, 3]) {
  const client = createClient({ RESP, socket: { host: '127.0.0.1', port: Number(port) } });
  client.on('error', (error) => { throw error; });
  await client.connect();
  await client.flushAll();
  await bloom(client);
  await cuckoo(client);
  await transfer(client);
  await client.close();
}
console.log('ok');
