import { expect, it } from 'vitest'
import { createDeliveredIds } from './deliveredIds.ts'

const snapshot = (oldest: number, next: number, position: number) => ({
  oldest: BigInt(oldest),
  next: BigInt(next),
  open: new Set<bigint>(),
  position: BigInt(position),
})

it('has no oldest undelivered transaction before the WAL reaches a snapshot', () => {
  const ids = createDeliveredIds()
  expect(ids.oldestUndelivered()).toBeNull()
  ids.addSnapshot(ids.counts(), snapshot(5, 9, 100))
  ids.advanceTo(99n)
  expect(ids.oldestUndelivered()).toBeNull()
  ids.advanceTo(100n)
  expect(ids.oldestUndelivered()).toBe(5n)
})

it('keeps IDs that may belong to an open transaction, and drops the rest', () => {
  const ids = createDeliveredIds()
  ids.addFromWal('first')
  ids.addSnapshot(ids.counts(), snapshot(5, 9, 100))
  ids.addFromWal('second')
  ids.advanceTo(100n)
  // Transaction 5 is open: delivered messages may have a higher ID.
  expect(ids.addFromTable('first')).toBe(false)
  ids.addSnapshot(ids.counts(), snapshot(9, 12, 200))
  ids.advanceTo(200n)
  // All below 9 have ended; the transaction of "second" may not have.
  expect(ids.addFromTable('first')).toBe(true)
  expect(ids.addFromTable('second')).toBe(false)
})

it('does not deliver a message from the WAL again that was delivered from the table', () => {
  const ids = createDeliveredIds()
  ids.addSnapshot(ids.counts(), snapshot(5, 9, 100))
  ids.advanceTo(100n)
  const before = ids.counts()
  expect(ids.addFromTable('missed')).toBe(true)
  ids.advanceToSnapshot(before, snapshot(8, 20, 150))
  expect(ids.oldestUndelivered()).toBe(8n)
  // Counted before the table was read: its transaction may end after this snapshot.
  ids.addSnapshot(before, snapshot(9, 20, 160))
  ids.advanceTo(160n)
  expect(ids.addFromWal('missed')).toBe(false)
})

it('delivers messages of applications that use an ID twice', () => {
  const ids = createDeliveredIds()
  expect(ids.addFromWal('same')).toBe(true)
  expect(ids.addFromWal('same')).toBe(true)
})
