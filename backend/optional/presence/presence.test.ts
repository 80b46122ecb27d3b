import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { parseServerFrame, type JsonFrame } from '../../../wire/realtime.ts'
import { type Version } from '../../../wire/payloadText.ts'
import { createHub, type Hub } from '../../realtime/hub.ts'
import { createPresence, type Member, type Presence } from './presence.ts'

interface Meta {
  phx_ref: string
  phx_ref_prev?: string
  [name: string]: unknown
}
type State = Record<string, { metas: Meta[] }>

/** A reader like those of client libraries, which also counts frames and records errors. */
interface Reader extends Member {
  presenceKey: string
  frames: number
  bytes: number
  events: JsonFrame[]
  /** Visible metas by ref. */
  visible: Map<string, Meta>
  /** Joins of visible metas, and leaves of metas that were not visible. */
  errors: string[]
}

let hub: Hub
let presence: Presence
let delivered: number

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  delivered = 0
  hub = createHub({ error() {} })
  presence = createPresence(hub, { add: (count) => (delivered += count) })
})
afterEach(() => {
  presence.close()
  vi.useRealTimers()
})

const track = (reader: Reader, payload: Record<string, unknown>): void =>
  presence.track(reader, reader.presenceKey, payload)

function* framesOf(data: Buffer): Generator<Buffer> {
  for (let at = 0; at < data.length;) {
    const short = data[at + 1]!
    const head = short < 126 ? 2 : short === 126 ? 4 : 10
    const length =
      short < 126 ? short : short === 126 ? data.readUInt16BE(at + 2) : Number(data.readBigUInt64BE(at + 2))
    yield data.subarray(at + head, at + head + length)
    at += head + length
  }
}

const metasOf = (state: State): Meta[] => Object.values(state).flatMap(({ metas }) => metas)

function take(reader: Reader, frame: JsonFrame): void {
  if (frame.event === 'presence_state') {
    for (const meta of metasOf(frame.payload as State)) reader.visible.set(meta.phx_ref, meta)
    return
  }
  const { joins, leaves } = frame.payload as { joins: State; leaves: State }
  for (const meta of metasOf(joins)) {
    if (reader.visible.has(meta.phx_ref)) reader.errors.push(`joined twice: ${meta.phx_ref}`)
    reader.visible.set(meta.phx_ref, meta)
  }
  for (const meta of metasOf(leaves)) {
    if (!reader.visible.delete(meta.phx_ref)) reader.errors.push(`never seen: ${meta.phx_ref}`)
  }
}

function join(
  presenceKey: string,
  o: { version?: Version; readsState?: boolean; reads?: boolean } = {},
): Reader {
  const version = o.version ?? '2.0.0'
  const reader: Reader = {
    key: 'public:room',
    name: 'room',
    joinRef: '1',
    presenceKey,
    reads: { broadcast: true, presence: true },
    replayed: null,
    frames: 0,
    bytes: 0,
    events: [],
    visible: new Map(),
    errors: [],
    sink: {
      version,
      write(data) {
        reader.bytes += data.length
        for (const text of framesOf(data)) {
          reader.frames += 1
          if (o.reads === false) continue
          const frame = parseServerFrame(version, text.toString()) as JsonFrame
          reader.events.push(frame)
          take(reader, frame)
        }
      },
    },
  }
  hub.join(reader.key, reader)
  if (o.readsState !== false) presence.sendState(reader)
  return reader
}

function leave(reader: Reader): void {
  hub.leave(reader.key, reader)
  presence.leave(reader)
}

/** Advances time until all changes are sent. */
const settle = (): Promise<unknown> => vi.advanceTimersByTimeAsync(5_000)

const diffsOf = (reader: Reader): unknown[] =>
  reader.events.filter(({ event }) => event === 'presence_diff').map(({ payload }) => payload)

const meta = (fields: object): object => ({ phx_ref: expect.any(String), ...fields })

describe('events', () => {
  it.each(['1.0.0', '2.0.0'] as const)('a state, then joins, updates and leaves, on %s', async (version) => {
    const reader = join('ear', { version })
    const ann = join('ann')
    track(ann, { mood: 'calm' })
    await settle()
    track(ann, { mood: 'glad' })
    await settle()
    presence.untrack(ann)
    await settle()
    expect(reader.events[0]).toMatchObject({ event: 'presence_state', topic: 'realtime:room', payload: {} })
    const [joined, updated, left] = diffsOf(reader) as { joins: State; leaves: State }[]
    expect(joined).toEqual({ joins: { ann: { metas: [meta({ mood: 'calm' })] } }, leaves: {} })
    const before = metasOf(joined!.joins)[0]!
    expect(updated).toEqual({
      joins: { ann: { metas: [meta({ mood: 'glad', phx_ref_prev: before.phx_ref })] } },
      leaves: { ann: { metas: [before] } },
    })
    expect(left).toEqual({ joins: {}, leaves: updated!.joins })
    expect(reader.errors).toEqual([])
  })

  it('devices under one key are separate metas and leave one by one', async () => {
    const [phone, desk] = [join('ann'), join('ann')]
    track(phone, { on: 'phone' })
    track(desk, { on: 'desk' })
    await settle()
    const late = join('late')
    expect(late.events[0]!.payload).toEqual({
      ann: { metas: [meta({ on: 'phone' }), meta({ on: 'desk' })] },
    })
    leave(phone)
    await settle()
    expect(diffsOf(late)).toEqual([{ joins: {}, leaves: { ann: { metas: [meta({ on: 'phone' })] } } }])
  })

  it('accepts any presence key, and ignores refs from clients', async () => {
    const odd = join('__proto__')
    track(odd, { phx_ref: 'mine', phx_ref_prev: 'mine', '"': '\u2028' })
    const state = join('late').events[0]!.payload as State
    expect(Object.entries(state)).toEqual([['__proto__', { metas: [meta({ '"': '\u2028' })] }]])
    expect(metasOf(state)[0]).not.toMatchObject({ phx_ref: 'mine' })
    expect(presence.isTracked(odd, { '"': '\u2028', phx_ref: 'other' })).toBe(true)
    expect(presence.isTracked(odd, { '"': '\u2029' })).toBe(false)
  })

  it('reports a leave before the join of a member that came back', async () => {
    const reader = join('ear')
    const before = join('ann')
    track(before, { at: 1 })
    await settle()
    leave(before)
    track(join('ann'), { at: 2 })
    await settle()
    expect(diffsOf(reader).slice(1)).toEqual([
      { joins: {}, leaves: { ann: { metas: [meta({ at: 1 })] } } },
      { joins: { ann: { metas: [meta({ at: 2 })] } }, leaves: {} },
    ])
  })

  it('refs of one process differ from those of another', () => {
    const other = createPresence(hub, { add() {} })
    const [one, two] = [join('one', { readsState: false }), join('two', { readsState: false })]
    track(one, {})
    other.track(two, two.presenceKey, {})
    presence.sendState(one)
    other.sendState(two)
    const [first, second] = [one, two].map((reader) => [...reader.visible.keys()][0]!)
    expect(first).not.toBe(second)
    other.close()
  })

  it('removes the state of a topic that all members have left', async () => {
    const ann = join('ann')
    track(ann, {})
    expect(presence.stats().members).toBe(1)
    leave(ann)
    await settle()
    expect(presence.stats().members).toBe(0)
    expect(join('late').events[0]!.payload).toEqual({})
  })
})

describe('between state and diff', () => {
  it('no reader gets a join twice or misses one, whenever it joins', async () => {
    const everyone: Reader[] = []
    let seed = 7
    const random = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below
    for (let step = 0; step < 1_000; step++) {
      const someone = everyone[random(everyone.length || 1)]
      const what = random(10)
      if (what < 3 || !someone)
        everyone.push(join(`key ${random(20)}`, { version: step % 2 ? '1.0.0' : '2.0.0' }))
      else if (what < 6) track(someone, { step })
      else if (what === 6) presence.untrack(someone)
      else if (what === 7) leave(everyone.splice(everyone.indexOf(someone), 1)[0]!)
      else await vi.advanceTimersByTimeAsync(random(40))
    }
    await settle()
    const there = [...join('late').visible.keys()].sort()
    expect(there.length).toBeGreaterThan(20)
    for (const reader of everyone) {
      expect(reader.errors).toEqual([])
      expect([...reader.visible.keys()].sort()).toEqual(there)
    }
  })

  it('a pending diff is not sent to a reader that joins meanwhile', async () => {
    const ann = join('ann')
    track(ann, {})
    await vi.advanceTimersByTimeAsync(1)
    const late = join('late')
    await settle()
    expect([late.visible.size, late.errors, diffsOf(late)]).toEqual([1, [], []])
    expect(diffsOf(ann)).toHaveLength(1)
  })
})

describe('cost', () => {
  /** Joins many members, one per millisecond, until all are visible to all. */
  async function crowd(size: number): Promise<{ readers: Reader[]; perReader: number; frames: number }> {
    const readers: Reader[] = []
    for (let at = 0; at < size; at++) {
      // All count; in large crowds only some parse frames, which is slow.
      const reader = join(`member ${String(at).padStart(6, '0')}`, { reads: at % Math.ceil(size / 50) === 0 })
      readers.push(reader)
      track(reader, { name: 'somebody', at: 1_000_000 + at })
      await vi.advanceTimersByTimeAsync(1)
    }
    await settle()
    const reading = readers.filter(({ events }) => events.length > 0)
    expect(reading.length).toBeGreaterThanOrEqual(50)
    for (const reader of reading) expect([reader.visible.size, reader.errors]).toEqual([size, []])
    const frames = readers.reduce((sum, reader) => sum + reader.frames, 0)
    const bytes = readers.reduce((sum, reader) => sum + reader.bytes, 0)
    return { readers, perReader: bytes / size, frames: frames / size }
  }

  it('joins of many members cost each reader bytes in proportion, and few frames', async () => {
    const measurements: { size: number; perMember: number; frames: number }[] = []
    for (const size of [100, 300, 1_000]) {
      const { readers, perReader, frames } = await crowd(size)
      measurements.push({
        size,
        perMember: Math.round(perReader / size),
        frames: Math.round(frames * 10) / 10,
      })
      for (const reader of readers) leave(reader)
      await settle()
    }
    const [small, , large] = measurements
    // Each member is sent to each reader once: the size of one meta, and little more for envelopes.
    expect(large!.perMember).toBeLessThan(small!.perMember * 1.1)
    for (const { frames, size } of measurements) expect([size, frames < 12]).toEqual([size, true])
  })

  it('leaves of many members at once are one frame', async () => {
    const { readers } = await crowd(300)
    const before = readers[0]!.frames
    for (const reader of readers.slice(1)) leave(reader)
    await settle()
    expect([readers[0]!.frames - before, readers[0]!.visible.size]).toEqual([1, 1])
  })

  it('a busy topic sends one diff per as many milliseconds as it has subscribers', async () => {
    const { readers } = await crowd(100)
    const before = delivered + hub.stats().deliveries
    for (let ms = 0; ms < 1_000; ms++) {
      track(readers[ms % 100]!, { ms })
      await vi.advanceTimersByTimeAsync(1)
    }
    expect((delivered + hub.stats().deliveries - before) / 100).toBeLessThanOrEqual(11)
  })
})
