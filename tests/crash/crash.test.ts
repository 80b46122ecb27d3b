import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Message } from '../../wire/messages.ts'
import { describeDifference } from './checkStore.ts'
import { contentOfVersion, checkFile, identifyVersion } from './expectedFile.ts'
import { checkMessages, runCrashCycles } from './crash.ts'
import { retryUntilRecovered } from './retryUntilRecovered.ts'

const root = join(import.meta.dirname, '../..')

const message = (id: string, seq: number): Message => ({ id, seq }) as Message

it('reports lost, duplicated and misnumbered messages', () => {
  const acknowledged = new Set(['a', 'b'])
  expect(checkMessages([message('a', 1), message('b', 2)], [{ acknowledged }])).toEqual([])
  expect(checkMessages([message('a', 1)], [{ acknowledged }])).toHaveLength(1)
  expect(checkMessages([message('a', 1), message('b', 2), message('b', 3)], [{ acknowledged }])).toHaveLength(
    1,
  )
  expect(checkMessages([message('a', 1), message('b', 3)], [{ acknowledged }])).toHaveLength(1)
})

it('reports lost, outdated and mixed files', () => {
  const file = { name: 'a', size: 1000, acknowledged: 2, attempted: 3 }
  const [one, two] = [contentOfVersion(file, 1), contentOfVersion(file, 2)]
  const found = {
    'the acknowledged version': two,
    'an unacknowledged version': contentOfVersion(file, 3),
    'the overwritten version': one,
    'half of each': Buffer.concat([two.subarray(0, 500), contentOfVersion(file, 3).subarray(500)]),
    'a prefix': two.subarray(0, 500),
    'another file': contentOfVersion({ ...file, name: 'b' }, 2),
    empty: Buffer.alloc(0),
  }
  const faulty = Object.entries(found).filter(
    ([, bytes]) => checkFile(file, identifyVersion(file, bytes)).length > 0,
  )
  expect(faulty.map(([name]) => name)).toEqual(Object.keys(found).slice(2))
  expect(checkFile(file, 'nothing')).toHaveLength(1)
  expect(checkFile({ ...file, acknowledged: 0 }, 'nothing')).toEqual([])
  expect(checkFile({ ...file, acknowledged: 0, attempted: 0 }, 1)).toHaveLength(1)
})

it('reports differences between rows and files, and leftover files', () => {
  expect(describeDifference({ withoutBytes: 0, withoutRow: 0 }, [])).toEqual([])
  expect(describeDifference({ withoutBytes: 1, withoutRow: 0 }, [])).toHaveLength(1)
  expect(describeDifference({ withoutBytes: 0, withoutRow: 1 }, [])).toHaveLength(1)
  expect(describeDifference({ withoutBytes: 0, withoutRow: 0 }, ['journal/x'])).toHaveLength(1)
  expect(describeDifference(null, [])).toHaveLength(1)
})

it('ends where the server does not recover, or does not respond', async () => {
  const [unavailable, silent] = [async () => null, () => new Promise<null>(() => {})]
  for (const attempt of [unavailable, silent])
    await expect(retryUntilRecovered('no response', attempt, 50)).rejects.toThrow(
      'The server has not recovered within 0.05 s: no response.',
    )
  let attempts = 0
  const third = async (): Promise<number | null> => (++attempts < 3 ? null : attempts)
  expect(await retryUntilRecovered('no response', third)).toBe(3)
})

it('keeps every acknowledged message exactly once and every file intact over 6 kills', async () => {
  const { acknowledged, uploads, faults } = await runCrashCycles({ cycles: 6, seed: 7, root })
  expect(faults).toEqual([])
  expect(acknowledged).toBeGreaterThan(60)
  expect(uploads.acknowledged).toBeGreaterThan(6)
  expect(uploads.interrupted).toBeGreaterThan(6)
  expect(uploads.resumed).toBeGreaterThan(0)
})
