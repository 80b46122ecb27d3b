import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createRenderCache } from './createRenderCache.ts'
import type { RenderCache } from './createRenderCache.ts'

let dir: string
let cache: RenderCache
/** Versions that objects have. */
let versions: Set<string>

const open = (): RenderCache =>
  createRenderCache({ dir, maxTotalBytes: 100, exists: async (version) => versions.has(version) })

async function keep(version: string, key: string, size = 40): Promise<void> {
  const target = await cache.createTarget(key)
  writeFileSync(target, Buffer.alloc(size))
  await cache.add({ version, key, format: 'webp', createTarget: target })
}

async function has(version: string, key: string): Promise<boolean> {
  const found = await cache.find(version, key)
  await found?.close()
  return found !== null
}

const filesOf = (folder: string): string[] =>
  readdirSync(join(dir, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name)
    .sort()

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'linnet-kept-'))
  versions = new Set(['v', 'w'])
  cache = open()
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

test('the least recently used entries are evicted first', async () => {
  await keep('v', 'a')
  await keep('v', 'b')
  expect(await has('v', 'a')).toBe(true)
  await keep('w', 'c')
  expect(filesOf('kept')).toEqual(['a.webp', 'c.webp'])
  expect(await has('v', 'b')).toBe(false)
  // One that is larger than everything together is not kept at all.
  await keep('w', 'd', 101)
  expect(filesOf('kept')).toEqual([])
})

test('removing a version removes all its entries, also those finished later', async () => {
  await keep('v', 'a')
  await keep('w', 'a')
  versions.delete('v')
  await cache.remove('v')
  await keep('v', 'b')
  expect(readdirSync(join(dir, 'kept'))).toEqual(['w'])
  expect([await has('v', 'a'), await has('v', 'b'), await has('w', 'a')]).toEqual([false, false, true])
})

test('the next start reads the cache and removes leftovers of a crash', async () => {
  await keep('v', 'a')
  await keep('w', 'b')
  writeFileSync(await cache.createTarget('half'), 'x')
  versions.delete('w')
  cache = open()
  expect([await has('v', 'a'), await has('w', 'b')]).toEqual([true, false])
  expect(readdirSync(join(dir, 'kept'))).toEqual(['v'])
  expect(filesOf('incoming')).toEqual([])
})

test('a deleted file is rendered again', async () => {
  await keep('v', 'a')
  rmSync(join(dir, 'kept', 'v', 'a.webp'))
  expect(await has('v', 'a')).toBe(false)
  await keep('v', 'a')
  expect(await has('v', 'a')).toBe(true)
})
