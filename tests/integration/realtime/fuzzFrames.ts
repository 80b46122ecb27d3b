import {
  array,
  constantFrom,
  integer,
  json,
  nat,
  oneof,
  record,
  sample,
  string,
  tuple,
  uint8Array,
  type Arbitrary,
} from 'fast-check'
import { renderClientFrame } from '../../../wire/realtime.ts'
import { type Version } from '../../../wire/payloadText.ts'

/** Names that are special to JavaScript, PostgreSQL, text or our own keys. */
const names = constantFrom(
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '',
  '\0',
  'a\0b',
  '\u{10ffff}',
  '\ud800',
  'private:calm',
  'public:calm',
  'realtime:calm',
  "'; drop table realtime.messages; --",
  '%',
  '*',
  'x'.repeat(300),
)
const odd = oneof(
  { weight: 100, arbitrary: names },
  { weight: 1, arbitrary: constantFrom('x'.repeat(70_000)) },
)
const events = constantFrom(
  'phx_join',
  'phx_leave',
  'phx_close',
  'phx_error',
  'phx_reply',
  'heartbeat',
  'broadcast',
  'presence',
  'presence_diff',
  'presence_state',
  'access_token',
  'system',
  'postgres_changes',
)
const refs = oneof(constantFrom<unknown>(null, '1', 1, '', -0.5, true, [], {}), odd, nat())
/** Of any shape, far too deep at times. */
const nonsense = oneof(
  { weight: 120, arbitrary: json({ maxDepth: 6 }) },
  { weight: 20, arbitrary: string().map((text) => JSON.stringify(text)) },
  {
    weight: 1,
    arbitrary: constantFrom('['.repeat(100_000) + ']'.repeat(100_000), '{"a":'.repeat(400) + '1'),
  },
)

function joinPayload(token: string): Arbitrary<unknown> {
  const flag = constantFrom<unknown>(true, false, 'TRUE', 'no', 1, null, {}, [])
  const change = record({ event: constantFrom('*', 'INSERT', 'x'), schema: odd, table: odd, filter: odd })
  return record(
    {
      config: record(
        {
          private: flag,
          broadcast: record(
            {
              ack: flag,
              self: flag,
              replication_ready: flag,
              replay: constantFrom<unknown>(
                {},
                { since: 0, limit: 1e9 },
                { since: -1 },
                { since: 'x' },
                null,
                7,
              ),
            },
            { requiredKeys: [] },
          ),
          presence: record(
            { key: oneof(odd, constantFrom<unknown>(7, {}, [])), enabled: flag },
            { requiredKeys: [] },
          ),
          postgres_changes: oneof(
            array(change, { maxLength: 3 }),
            constantFrom<unknown[]>([null], [7], [[]]),
          ),
        },
        { requiredKeys: [] },
      ),
      access_token: constantFrom<unknown>(token, token, 'x.y.z', '', 'sb_x', 7, null, '\0'),
    },
    { requiredKeys: [] },
  )
}

/** Frames as a client may write them; topics that nobody but the attacker means to join. */
function wellFormed(version: Version, token: string): Arbitrary<string> {
  const own = constantFrom('realtime:own', 'realtime:own2', 'realtime:calm', 'phoenix')
  const topics = oneof(
    { weight: 6, arbitrary: own },
    { weight: 1, arbitrary: odd.map((name) => `realtime:${name}`) },
    { weight: 1, arbitrary: odd },
  )
  const presence = record({ event: constantFrom('track', 'untrack', 'TRACK', 'x'), payload: nonsense })
  const payloads = oneof(
    joinPayload(token),
    presence,
    record({ event: odd, payload: nonsense, meta: nonsense, ids: nonsense }),
    record({ access_token: constantFrom<unknown>(token, 'x', 7) }),
    nonsense.map((text): unknown => (text.length > 1_000 ? text : JSON.parse(text))),
  )
  const join = tuple(constantFrom('realtime:own', 'realtime:own2', 'realtime:calm'), joinPayload(token)).map(
    ([topic, payload]) => ({ joinRef: '1', ref: '1', topic, event: 'phx_join', payload }),
  )
  const any = record({
    joinRef: refs,
    ref: refs,
    topic: topics,
    event: oneof(events, odd),
    payload: payloads,
  })
  // Frames for a topic that was not joined: joining a public one would be no attack.
  const otherTopic = record({
    joinRef: refs,
    ref: refs,
    topic: constantFrom('realtime:quiet'),
    event: constantFrom('broadcast', 'presence', 'phx_leave', 'access_token', 'presence_diff', 'system'),
    payload: payloads,
  })
  return oneof(
    { weight: 2, arbitrary: join },
    { weight: 5, arbitrary: any },
    { weight: 2, arbitrary: otherTopic },
  ).map((frame) => renderClientFrame(version, frame as never))
}

/** Binary pushes whose lengths may lie. */
const binary = tuple(
  constantFrom(3, 3, 3, 3, 0, 1, 2, 4, 255),
  constantFrom('', '1', 'x'),
  constantFrom('realtime:own', 'realtime:quiet', 'realtime:calm', 'realtime:', '\0'),
  oneof(odd, events).filter((name) => name.length < 256),
  constantFrom('', '{}', '{"persist":true}', '[', '"'),
  integer({ min: 0, max: 3 }),
  oneof(
    nonsense.map((text) => Buffer.from(text)),
    uint8Array({ maxLength: 60 }),
    constantFrom(Buffer.from('1},"topic":"realtime:quiet","event":"broadcast","x":{"y":1')),
  ),
  array(tuple(nat(6), nat(255)), { maxLength: 2 }),
).map(([kind, ref, topic, event, meta, encoding, body, lies]) => {
  const parts = [ref, ref, topic, event, meta].map((text) => Buffer.from(text))
  const head = Buffer.from([kind, ...parts.map((part) => part.length), encoding])
  for (const [at, length] of lies) head[at] = length
  return Buffer.concat([head, ...parts, body])
})

type Change = [kind: 'cut' | 'flip' | 'double' | 'drop', at: number, byte: number]
const changes: Arbitrary<Change[]> = array(
  tuple(constantFrom('cut' as const, 'flip' as const, 'double' as const, 'drop' as const), nat(), nat(255)),
  { minLength: 1, maxLength: 4 },
)

function mutate(frame: Buffer, list: Change[]): Buffer {
  let bytes = Buffer.from(frame)
  for (const [kind, position, byte] of list) {
    const at = position % (bytes.length + 1)
    if (kind === 'cut') bytes = bytes.subarray(0, at)
    else if (kind === 'flip' && at < bytes.length) bytes[at] = byte
    else if (kind === 'double') bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at >> 1)])
    else bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + (byte % 8))])
  }
  return bytes
}

/**
 * Websocket frames whose bits, opcodes, masks and lengths are anything, for a line whose handshake is done.
 */
export function fuzzLines(count: number, seed: number): Buffer[] {
  const length = oneof(
    nat(125).map((size) => Buffer.from([128 | size])),
    nat(125).map((size) => Buffer.from([size])),
    uint8Array({ minLength: 2, maxLength: 2 }).map((size) => Buffer.from([254, ...size])),
    uint8Array({ minLength: 8, maxLength: 8 }).map((size) => Buffer.from([255, ...size])),
    constantFrom(Buffer.from([255, 0, 0, 0, 0, 0, 1, 0, 0])),
  )
  const frame = tuple(nat(255), length, uint8Array({ minLength: 4, maxLength: 200 })).map(
    ([first, size, rest]) => Buffer.concat([Buffer.from([first]), size, rest]),
  )
  const line = array(oneof({ weight: 5, arbitrary: frame }, uint8Array({ maxLength: 20 })), { maxLength: 8 })
  return sample(
    line.map((parts) => Buffer.concat(parts)),
    { numRuns: count, seed },
  )
}

export interface FuzzFrame {
  data: Buffer
  isBinary: boolean
}

/**
 * Frames to break a server with: well-formed ones, the same with bytes changed, binary ones whose lengths
 * lie, and plain noise. None of them joins `realtime:quiet`.
 * @param o.token of somebody who may join nothing in private
 */
export function fuzzFrames(o: { version: Version; token: string; count: number; seed: number }): FuzzFrame[] {
  const text = wellFormed(o.version, o.token).map((frame) => Buffer.from(frame))
  const texts = oneof(
    { weight: 4, arbitrary: text },
    { weight: 3, arbitrary: tuple(text, changes).map(([frame, list]) => mutate(frame, list)) },
    { weight: 1, arbitrary: nonsense.map((noise) => Buffer.from(noise)) },
    { weight: 1, arbitrary: uint8Array({ maxLength: 40 }).map((noise) => Buffer.from(noise)) },
  ).map((data) => ({ data, isBinary: false }))
  const binaries = oneof(
    { weight: 3, arbitrary: binary },
    { weight: 2, arbitrary: tuple(binary, changes).map(([frame, list]) => mutate(frame, list)) },
    { weight: 1, arbitrary: uint8Array({ maxLength: 40 }).map((noise) => Buffer.from(noise)) },
  ).map((data) => ({ data, isBinary: true }))
  const frames = oneof({ weight: 3, arbitrary: texts }, { weight: 2, arbitrary: binaries })
  return sample(frames, { numRuns: o.count, seed: o.seed })
}
