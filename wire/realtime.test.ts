import { assert, constantFrom, json as jsonText, nat, property, tuple, uint8Array } from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  MalformedFrame,
  parseClientFrame,
  parseServerFrame,
  renderBroadcast,
  renderClientFrame,
  renderFrame,
  renderPush,
  type Broadcast,
  type BroadcastPush,
  type ClientFrame,
} from './realtime.ts'
import { type Version } from './payloadText.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const parseText = (version: Version, text: string): ClientFrame =>
  parseClientFrame(version, bytes(text), false)
const parseBinary = (data: Uint8Array): ClientFrame => parseClientFrame('2.0.0', data, true)
const versions: Version[] = ['1.0.0', '2.0.0']
const json = (value: unknown, event = 'e'): Broadcast => ({
  event,
  encoding: 'json',
  body: bytes(JSON.stringify(value)),
  meta: { id: '1' },
})

describe('text frames', () => {
  it.each(versions)('%s: what is written is read', (version) => {
    const frame = { joinRef: '1', ref: '2', topic: 'realtime:a', event: 'phx_join', payload: { config: {} } }
    expect(parseText(version, renderClientFrame(version, frame))).toEqual(frame)
    const expected = { ...frame, joinRef: version === '1.0.0' ? null : '1' }
    expect(parseServerFrame(version, renderFrame(version, frame))).toEqual(expected)
  })

  it('1.0.0 has one form, whatever the type of the frame', () => {
    const frame = { joinRef: null, ref: null, topic: 't', event: 'e', payload: null }
    expect(parseClientFrame('1.0.0', bytes(renderClientFrame('1.0.0', frame)), true)).toEqual(frame)
  })

  it('refuses what is no text', () => {
    const frame = Uint8Array.from('[null,null,"t\xff","e",{}]', (letter) => letter.charCodeAt(0))
    expect(() => parseClientFrame('2.0.0', frame, false)).toThrow(MalformedFrame)
  })

  it.each([
    ['1.0.0', '[]'],
    ['1.0.0', '{"topic":1,"event":"e","payload":{},"ref":"1"}'],
    ['1.0.0', '{"topic":"t","event":"e","ref":"1"}'],
    ['1.0.0', '{"topic":"t","event":"e","payload":{}}'],
    ['2.0.0', '{}'],
    ['2.0.0', '[1,2,3]'],
    ['2.0.0', '[{},null,"t","e",{}]'],
    ['2.0.0', `["${'1'.repeat(256)}",null,"t","e",{}]`],
    ['2.0.0', '[null,null,"\\ud800","e",{}]'],
    ['2.0.0', '[null,null,"t","\\udfff","e",{}]'],
    ['2.0.0', '{'],
    ['2.0.0', 'null'],
    ['2.0.0', `[null,null,"t","e",${'['.repeat(1000)}${']'.repeat(1000)}]`],
  ] as [Version, string][])('%s refuses %s', (version, text) => {
    expect(() => parseText(version, text)).toThrow(MalformedFrame)
  })
})

it('counts brackets outside strings alone', () => {
  const payload = { text: '[{"\\'.repeat(1000), list: Array.from({ length: 2000 }, () => []) }
  const frame = { joinRef: null, ref: null, topic: 't', event: 'e', payload }
  expect(parseText('2.0.0', renderFrame('2.0.0', frame))).toEqual(frame)
})

describe('binary frames', () => {
  const push: BroadcastPush = {
    joinRef: '1',
    ref: '22',
    topic: 'realtime:комната',
    event: 'broadcast',
    broadcast: { event: '👋', encoding: 'binary', body: new Uint8Array([0, 255, 7]), meta: null },
  }

  it('has the layout of the contract', () => {
    const ascii = { ...push, topic: 'ab', broadcast: { ...push.broadcast, event: 'c' } }
    expect([...renderPush(ascii)]).toEqual([3, 1, 2, 2, 1, 0, 0, 49, 50, 50, 97, 98, 99, 0, 255, 7])
    expect([...(renderBroadcast('2.0.0', 'ab', { ...json(1), meta: null }) as Uint8Array)]).toEqual([
      4, 2, 1, 0, 1, 97, 98, 101, 49,
    ])
  })

  it('reads back what it wrote, in any script', () => {
    expect(parseBinary(renderPush(push))).toEqual(push)
    const broadcast = json({ text: 'שלום' }, 'é')
    expect(parseServerFrame('2.0.0', renderBroadcast('2.0.0', 'т', broadcast)!)).toEqual({
      topic: 'т',
      broadcast,
    })
  })

  it('renders the same as text on 1.0.0, and nothing where bytes are no text', () => {
    const text = renderBroadcast('1.0.0', 'realtime:a', json({ n: 1 })) as string
    expect(JSON.parse(text)).toEqual({
      topic: 'realtime:a',
      event: 'broadcast',
      payload: { event: 'e', payload: { n: 1 }, type: 'broadcast', meta: { id: '1' } },
      ref: null,
    })
    expect(renderBroadcast('1.0.0', 't', push.broadcast)).toBeNull()
  })

  it('falls back to text where a name is longer than a byte can count', () => {
    const frame = parseServerFrame('2.0.0', renderBroadcast('2.0.0', 't', json(1, 'e'.repeat(300)))!)
    expect(frame).toMatchObject({ topic: 't', payload: { payload: 1 } })
    expect(() => renderPush({ ...push, topic: 'т'.repeat(128) })).toThrow(MalformedFrame)
  })

  it('rejects a body that is declared as JSON and is none, since 1.0.0 would copy it into a text', () => {
    const forged = renderPush({
      ...push,
      broadcast: { ...json(0), body: bytes('1},"topic":"realtime:other","x":{"y":1') },
    })
    expect(() => parseBinary(forged)).toThrow(MalformedFrame)
  })

  it('throws only MalformedFrame for any input', () => {
    const attempt = (version: Version, data: string | Uint8Array): void => {
      const isText = typeof data === 'string'
      const received = isText ? bytes(data) : data
      for (const parse of [
        () => parseClientFrame(version, received, !isText),
        () => parseServerFrame(version, data),
      ]) {
        try {
          parse()
        } catch (error) {
          if (!(error instanceof MalformedFrame)) throw error
        }
      }
    }
    const header = tuple(
      constantFrom(3, 4),
      uint8Array({ minLength: 0, maxLength: 6 }),
      uint8Array({ maxLength: 40 }),
    )
    assert(
      property(header, constantFrom(...versions), ([kind, lengths, rest], version) => {
        attempt(version, new Uint8Array([kind, ...lengths, ...rest]))
      }),
      { numRuns: 3000 },
    )
    assert(
      property(jsonText(), nat(200), constantFrom(...versions), (text, cut, version) => {
        attempt(version, text)
        attempt(version, text.slice(0, cut))
      }),
      { numRuns: 2000 },
    )
    const whole = renderPush(push)
    for (let length = 0; length < whole.length; length++) attempt('2.0.0', whole.subarray(0, length))
    attempt('2.0.0', '['.repeat(200_000))
  })
})
