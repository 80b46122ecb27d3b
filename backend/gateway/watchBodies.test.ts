import type { IncomingMessage } from 'node:http'
import { expect, it } from 'vitest'
import { createBudget } from '../budgets/createBudget.ts'
import { openLease } from '../budgets/openLease.ts'
import { watchBodies } from './watchBodies.ts'

/** A body whose arrival and clock the test controls. */
function watched(charged: number) {
  let at = 0
  const socket = { bytesRead: 700 }
  const incoming = {
    socket,
    complete: false,
    destroyed: false,
    readableLength: 0,
    readableHighWaterMark: 65_536,
    isPaused: () => false,
  }
  const bytes = createBudget({ capacity: 1_000_000 })
  const watch = watchBodies({ stallTimeoutMs: 20_000, minBodyBytesPerSecond: 1_000 }, () => at)
  const cuts: number[] = []
  watch.add({
    incoming: incoming as unknown as IncomingMessage,
    lease: openLease(bytes, 'omar'),
    charged,
    cut: ({ status }) => cuts.push(status),
  })
  return {
    incoming,
    bytes,
    cuts,
    /** Advances by `seconds`, receiving `bytesEach` in each. */
    pass(seconds: number, bytesEach: number) {
      for (let second = 0; second < seconds; second++) {
        at += 1_000
        socket.bytesRead += bytesEach
        watch.check()
      }
      return cuts
    },
    close: () => watch.close(),
  }
}

it('cuts off a stalled body', () => {
  const body = watched(1_000_000)
  expect(body.pass(60, 2_000)).toEqual([])
  expect(body.pass(20, 0)).toEqual([])
  expect(body.pass(1, 0)).toEqual([408])
  expect(body.pass(60, 0)).toEqual([408])
  body.close()
})

it('cuts off a body that arrives too slowly, but not one that is slow only at first', () => {
  const trickle = watched(1_000_000)
  expect(trickle.pass(20, 10)).toEqual([])
  expect(trickle.pass(2, 10)).toEqual([408])
  trickle.close()
  const steady = watched(1_000_000)
  expect(steady.pass(600, 1_001)).toEqual([])
  steady.close()
})

it('does not cut off a body that the server does not read', () => {
  const body = watched(1_000_000)
  body.incoming.readableLength = 65_536
  expect(body.pass(600, 0)).toEqual([])
  body.incoming.readableLength = 0
  expect(body.pass(1, 700_000)).toEqual([])
  body.close()
})

it('charges a body without a length for what has arrived, within the share of its caller', () => {
  const body = watched(1_000)
  expect(body.pass(4, 100_000)).toEqual([])
  expect(body.bytes.takenBy('omar')).toBe(399_000)
  expect(body.pass(2, 100_000)).toEqual([429])
  body.close()
})

it('stops watching a complete body', () => {
  const body = watched(1_000)
  body.incoming.complete = true
  expect(body.pass(60, 0)).toEqual([])
  body.close()
})
