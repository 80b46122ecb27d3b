import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Message } from '../../wire/linnet.ts'
import { faultsOf, runKills } from './kills.ts'

const root = join(import.meta.dirname, '../..')

const message = (id: string, seq: number): Message => ({ id, seq }) as Message

// The count itself has to be able to say no.
it('calls a lost, a doubled and a misnumbered message by name', () => {
  const acknowledged = new Set(['a', 'b'])
  expect(faultsOf([message('a', 1), message('b', 2)], [{ acknowledged }])).toEqual([])
  expect(faultsOf([message('a', 1)], [{ acknowledged }])).toHaveLength(1)
  expect(faultsOf([message('a', 1), message('b', 2), message('b', 3)], [{ acknowledged }])).toHaveLength(1)
  expect(faultsOf([message('a', 1), message('b', 3)], [{ acknowledged }])).toHaveLength(1)
})

it('keeps every acknowledged message exactly once over 25 kills', { timeout: 300_000 }, async () => {
  const { acknowledged, faults } = await runKills({ cycles: 25, seed: 7, root })
  expect(faults).toEqual([])
  expect(acknowledged).toBeGreaterThan(100)
})
