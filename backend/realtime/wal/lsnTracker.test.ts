import { expect, it } from 'vitest'
import { createLsnTracker, type LsnTracker } from './lsnTracker.ts'

const begin = (commitAt: number): Buffer => {
  const data = Buffer.alloc(21)
  data.write('B')
  data.writeBigUInt64BE(BigInt(commitAt), 1)
  return data
}
const commit = (end: number): Buffer => {
  const data = Buffer.alloc(26)
  data.write('C')
  data.writeBigUInt64BE(BigInt(end), 10)
  return data
}
const row = Buffer.from('I')
const relation = Buffer.from('R')

/** What a stream delivers: `|` for a row that was delivered before. */
const stream = (tracker: LsnTracker, messages: Buffer[]): string => {
  tracker.beginStream()
  return messages.map((data) => (tracker.track(data) ? String.fromCharCode(data[0]!) : '|')).join('')
}

it('the position is the end of the last commit, never within a transaction', () => {
  const tracker = createLsnTracker()
  stream(tracker, [begin(90), relation, row, row, commit(100), begin(190), row])
  expect(tracker.position()).toBe(100n)
  tracker.advanceTo(150n)
  expect(tracker.position()).toBe(100n)
  tracker.track(commit(200))
  tracker.advanceTo(150n)
  expect(tracker.position()).toBe(200n)
  tracker.advanceTo(250n)
  expect(tracker.position()).toBe(250n)
})

it('skips delivered rows of an interrupted transaction, and nothing else', () => {
  const tracker = createLsnTracker()
  expect(stream(tracker, [begin(90), relation, row, row])).toBe('BRII')
  expect(stream(tracker, [begin(90), relation, row, row, row, commit(100)])).toBe('BR||IC')
  expect(stream(tracker, [begin(190), relation, row, commit(200)])).toBe('BRIC')
})

it('remembers the maximum of delivered rows over several interruptions', () => {
  const tracker = createLsnTracker()
  stream(tracker, [begin(90), row, row, row])
  expect(stream(tracker, [begin(90), row])).toBe('B|')
  expect(stream(tracker, [begin(90), row, row, row, row])).toBe('B|||I')
  expect(stream(tracker, [])).toBe('')
  expect(stream(tracker, [begin(90), row, row, row, row, row, commit(100)])).toBe('B||||IC')
})

it('forgets an interrupted transaction when the position is set', () => {
  const tracker = createLsnTracker()
  stream(tracker, [begin(90), row])
  tracker.set(80n)
  expect(stream(tracker, [begin(90), row])).toBe('BI')
})
