import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Message } from '../../wire/linnet.ts'
import { faultsOfDifference } from './faultsOfStore.ts'
import { contentOf, faultsOfFile, versionIn } from './fileClaims.ts'
import { faultsOf, runKills } from './kills.ts'

const root = join(import.meta.dirname, '../..')

const message = (id: string, seq: number): Message => ({ id, seq }) as Message

// The counts themselves have to be able to say no.
it('calls a lost, a doubled and a misnumbered message by name', () => {
  const acknowledged = new Set(['a', 'b'])
  expect(faultsOf([message('a', 1), message('b', 2)], [{ acknowledged }])).toEqual([])
  expect(faultsOf([message('a', 1)], [{ acknowledged }])).toHaveLength(1)
  expect(faultsOf([message('a', 1), message('b', 2), message('b', 3)], [{ acknowledged }])).toHaveLength(1)
  expect(faultsOf([message('a', 1), message('b', 3)], [{ acknowledged }])).toHaveLength(1)
})

it('calls a lost, an outdated and a mixed file by name', () => {
  const file = { name: 'a', size: 1000, acknowledged: 2, attempted: 3 }
  const [one, two] = [contentOf(file, 1), contentOf(file, 2)]
  const found = {
    'what was acknowledged': two,
    'what may have arrived': contentOf(file, 3),
    'what was overwritten': one,
    'half of each': Buffer.concat([two.subarray(0, 500), contentOf(file, 3).subarray(500)]),
    'the beginning': two.subarray(0, 500),
    'another file': contentOf({ ...file, name: 'b' }, 2),
    'no byte': Buffer.alloc(0),
  }
  const faulty = Object.entries(found).filter(
    ([, bytes]) => faultsOfFile(file, versionIn(file, bytes)).length > 0,
  )
  expect(faulty.map(([name]) => name)).toEqual(Object.keys(found).slice(2))
  expect(faultsOfFile(file, 'nothing')).toHaveLength(1)
  expect(faultsOfFile({ ...file, acknowledged: 0 }, 'nothing')).toEqual([])
  expect(faultsOfFile({ ...file, acknowledged: 0, attempted: 0 }, 1)).toHaveLength(1)
})

it('says where rows and files differ, and what is left over', () => {
  expect(faultsOfDifference({ withoutBytes: 0, withoutRow: 0 }, [])).toEqual([])
  expect(faultsOfDifference({ withoutBytes: 1, withoutRow: 0 }, [])).toHaveLength(1)
  expect(faultsOfDifference({ withoutBytes: 0, withoutRow: 1 }, [])).toHaveLength(1)
  expect(faultsOfDifference({ withoutBytes: 0, withoutRow: 0 }, ['journal/x'])).toHaveLength(1)
  expect(faultsOfDifference(null, [])).toHaveLength(1)
})

it(
  'keeps every acknowledged message exactly once and every file whole over 15 kills',
  { timeout: 300_000 },
  async () => {
    const { acknowledged, uploads, faults } = await runKills({ cycles: 15, seed: 7, root })
    expect(faults).toEqual([])
    expect(acknowledged).toBeGreaterThan(100)
    expect(uploads.acknowledged).toBeGreaterThan(15)
    expect(uploads.cut).toBeGreaterThan(15)
    expect(uploads.resumed).toBeGreaterThan(0)
  },
)
