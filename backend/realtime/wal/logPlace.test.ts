import { expect, it } from 'vitest'
import { createLogPlace, type LogPlace } from './logPlace.ts'

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

/** What a stream passes on: `|` for a row that was told before. */
const stream = (place: LogPlace, messages: Buffer[]): string => {
  place.beginStream()
  return messages.map((data) => (place.pass(data) ? String.fromCharCode(data[0]!) : '|')).join('')
}

it('ends behind the last commit, and nowhere within a transaction', () => {
  const place = createLogPlace()
  stream(place, [begin(90), relation, row, row, commit(100), begin(190), row])
  expect(place.position()).toBe(100n)
  place.reach(150n)
  expect(place.position()).toBe(100n)
  place.pass(commit(200))
  place.reach(150n)
  expect(place.position()).toBe(200n)
  place.reach(250n)
  expect(place.position()).toBe(250n)
})

it('passes over the rows of a broken transaction that were told, and over nothing else', () => {
  const place = createLogPlace()
  expect(stream(place, [begin(90), relation, row, row])).toBe('BRII')
  expect(stream(place, [begin(90), relation, row, row, row, commit(100)])).toBe('BR||IC')
  expect(stream(place, [begin(190), relation, row, commit(200)])).toBe('BRIC')
})

it('remembers the longest telling where it breaks again and again', () => {
  const place = createLogPlace()
  stream(place, [begin(90), row, row, row])
  expect(stream(place, [begin(90), row])).toBe('B|')
  expect(stream(place, [begin(90), row, row, row, row])).toBe('B|||I')
  expect(stream(place, [])).toBe('')
  expect(stream(place, [begin(90), row, row, row, row, row, commit(100)])).toBe('B||||IC')
})

it('expects nothing of what broke off once it begins elsewhere', () => {
  const place = createLogPlace()
  stream(place, [begin(90), row])
  place.set(80n)
  expect(stream(place, [begin(90), row])).toBe('BI')
})
