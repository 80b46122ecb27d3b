import { expect, it } from 'vitest'
import { createDeliveredIds } from './deliveredIds.ts'

const snapshot = (oldest: number, next: number, position: number) => ({
  oldest: BigInt(oldest),
  next: BigInt(next),
  position: BigInt(position),
})

it('does not know from where anything may be untold before the log has come to a mark', () => {
  const ids = createDeliveredIds()
  expect(ids.oldestUndelivered()).toBeNull()
  ids.addSnapshot(ids.counts(), snapshot(5, 9, 100))
  ids.advanceTo(99n)
  expect(ids.oldestUndelivered()).toBeNull()
  ids.advanceTo(100n)
  expect(ids.oldestUndelivered()).toBe(5n)
})

it('keeps what a transaction that stays open puts in question, and forgets the rest', () => {
  const ids = createDeliveredIds()
  ids.addFromWal('first')
  ids.addSnapshot(ids.counts(), snapshot(5, 9, 100))
  ids.addFromWal('second')
  ids.advanceTo(100n)
  // Number 5 is open: what was told may have a higher one.
  expect(ids.addFromTable('first')).toBe(false)
  ids.addSnapshot(ids.counts(), snapshot(9, 12, 200))
  ids.advanceTo(200n)
  // All below 9 are over, which "second" need not be.
  expect(ids.addFromTable('first')).toBe(true)
  expect(ids.addFromTable('second')).toBe(false)
})

it('tells what the table told not again from the log, as long as it may come', () => {
  const ids = createDeliveredIds()
  ids.addSnapshot(ids.counts(), snapshot(5, 9, 100))
  ids.advanceTo(100n)
  const before = ids.counts()
  expect(ids.addFromTable('missed')).toBe(true)
  ids.advanceToSnapshot(before, snapshot(8, 20, 150))
  expect(ids.oldestUndelivered()).toBe(8n)
  // Asked before the table was read: its transaction may end behind this mark.
  ids.addSnapshot(before, snapshot(9, 20, 160))
  ids.advanceTo(160n)
  expect(ids.addFromWal('missed')).toBe(false)
})

it('lets an application say the same id twice', () => {
  const ids = createDeliveredIds()
  expect(ids.addFromWal('same')).toBe(true)
  expect(ids.addFromWal('same')).toBe(true)
})
