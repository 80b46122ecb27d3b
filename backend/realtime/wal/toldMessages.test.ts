import { expect, it } from 'vitest'
import { createToldMessages } from './toldMessages.ts'

const mark = (oldest: number, next: number, position: number) => ({
  oldest: BigInt(oldest),
  next: BigInt(next),
  position: BigInt(position),
})

it('does not know from where anything may be untold before the log has come to a mark', () => {
  const told = createToldMessages()
  expect(told.oldestUntold()).toBeNull()
  told.note(told.sofar(), mark(5, 9, 100))
  told.reach(99n)
  expect(told.oldestUntold()).toBeNull()
  told.reach(100n)
  expect(told.oldestUntold()).toBe(5n)
})

it('keeps what a transaction that stays open puts in question, and forgets the rest', () => {
  const told = createToldMessages()
  told.addFromLog('first')
  told.note(told.sofar(), mark(5, 9, 100))
  told.addFromLog('second')
  told.reach(100n)
  // Number 5 is open: what was told may have a higher one.
  expect(told.addFromTable('first')).toBe(false)
  told.note(told.sofar(), mark(9, 12, 200))
  told.reach(200n)
  // All below 9 are over, which "second" need not be.
  expect(told.addFromTable('first')).toBe(true)
  expect(told.addFromTable('second')).toBe(false)
})

it('tells what the table told not again from the log, as long as it may come', () => {
  const told = createToldMessages()
  told.note(told.sofar(), mark(5, 9, 100))
  told.reach(100n)
  const before = told.sofar()
  expect(told.addFromTable('missed')).toBe(true)
  told.reachMark(before, mark(8, 20, 150))
  expect(told.oldestUntold()).toBe(8n)
  // Asked before the table was read: its transaction may end behind this mark.
  told.note(before, mark(9, 20, 160))
  told.reach(160n)
  expect(told.addFromLog('missed')).toBe(false)
})

it('lets an application say the same id twice', () => {
  const told = createToldMessages()
  expect(told.addFromLog('same')).toBe(true)
  expect(told.addFromLog('same')).toBe(true)
})
