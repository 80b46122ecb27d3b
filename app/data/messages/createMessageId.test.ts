import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

const V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
/** The example of RFC 9562, appendix A.6. */
const TIME = Date.parse('2022-02-22T19:22:22Z')
const timeOf = (id: string) => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
const counterOf = (id: string) => Number.parseInt(id.slice(15, 18), 16)
const randomOf = (id: string) => id.slice(19)

describe('createMessageId', () => {
  let createMessageId: (sendAt?: number) => string
  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: TIME })
    vi.resetModules()
    ;({ createMessageId } = await import('./createMessageId.ts'))
  })
  afterEach(() => void vi.useRealTimers())

  it('returns a UUID of version 7 that begins with the time', () => {
    const id = createMessageId()
    expect(id).toMatch(V7)
    expect(id.slice(0, 13)).toBe('017f22e2-79b0')
  })

  it('returns increasing ids within one millisecond', () => {
    const ids = Array.from({ length: 1000 }, () => createMessageId())
    expect(ids).toEqual([...ids].sort())
    expect(new Set(ids.map(timeOf))).toEqual(new Set([TIME]))
    expect(new Set(ids.map(randomOf)).size).toBe(1000)
  })

  it('continues with the next millisecond once the counter is exhausted', () => {
    const ids = Array.from({ length: 10_000 }, () => createMessageId())
    expect(ids).toEqual([...ids].sort())
    expect(new Set(ids).size).toBe(10_000)
    for (const id of ids) expect(id).toMatch(V7)
    expect(timeOf(ids.at(-1)!)).toBeGreaterThan(TIME)
    expect(timeOf(ids.at(-1)!)).toBeLessThan(TIME + 6)
  })

  it('returns increasing ids after the clock was set back', () => {
    const before = createMessageId()
    vi.setSystemTime(TIME - 60_000)
    expect(createMessageId() > before).toBe(true)
    vi.setSystemTime(TIME + 1)
    expect(timeOf(createMessageId())).toBe(TIME + 1)
  })

  it('begins the counter of each millisecond at a random number of its lower half', () => {
    const counters = Array.from({ length: 100 }, (_, n) => {
      vi.setSystemTime(TIME + n)
      return counterOf(createMessageId())
    })
    expect(new Set(counters).size).toBeGreaterThan(50)
    expect(Math.max(...counters)).toBeLessThan(2048)
  })

  it('gives a scheduled message the time at which it will be sent, and later messages their own time', () => {
    const at = TIME + 3_600_000
    const ids = Array.from({ length: 100 }, () => createMessageId(at))
    for (const id of ids) expect(id).toMatch(V7)
    expect(new Set(ids.map(timeOf))).toEqual(new Set([at]))
    expect(new Set(ids.map(randomOf)).size).toBe(100)
    expect(timeOf(createMessageId())).toBe(TIME)
  })
})
