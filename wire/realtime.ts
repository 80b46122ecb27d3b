/**
 * Frames of the realtime contract, for server, tests and bench: versions 1.0.0 (JSON objects) and 2.0.0
 * (JSON arrays, and binary frames for broadcasts), as realtime-js and the realtime service speak them
 * on top of Phoenix channels.
 */

import { payloadText, type Version } from './payloadText.ts'

/** Chosen by the client and echoed; a string in realtime-js, a number in some other clients. */
export type Ref = string | number | null

/** Any message but a binary broadcast. */
export interface JsonFrame {
  joinRef: Ref
  ref: Ref
  topic: string
  event: string
  payload: unknown
}

/** A broadcast whose payload stays as bytes: JSON text in UTF-8, or anything. */
export interface Broadcast {
  /** The sender's name for it, not the frame's event (which is "broadcast"). */
  event: string
  encoding: 'json' | 'binary'
  body: Uint8Array
  /** `{id}` on messages from the database, `{replayed, id}` on replayed ones; null: none. */
  meta: Record<string, unknown> | null
}

/** A binary frame from a client: it pushes a broadcast on a topic that it joined. */
export interface BroadcastPush {
  joinRef: Ref
  ref: Ref
  topic: string
  event: 'broadcast'
  broadcast: Broadcast
}

/** A text frame from a client; `payloadText` is what a broadcast's payload was read from. */
type TextFrame = JsonFrame & { broadcast?: undefined; payloadText?: string }

export type ClientFrame = TextFrame | BroadcastPush

/** A frame that does not follow the protocol; `message` names the part. */
export class MalformedFrame extends Error {
  override name = 'MalformedFrame'
}

const kinds = { push: 3, broadcast: 4 } as const
const binaryEncoding = 0
const jsonEncoding = 1
/** Deeper payloads are refused: what can be read can't always be written again, since that recurses. */
const deepest = 500
/** Lengths of the strings in a binary frame are single bytes. */
const longestString = 255

const loneSurrogate = /\p{Surrogate}/u
const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function decode(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes)
  } catch {
    throw new MalformedFrame('a string is not UTF-8')
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new MalformedFrame('not JSON')
  }
}

function isTooDeep(text: string): boolean {
  if (text.length <= deepest) return false
  let depth = 0
  let inString = false
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (inString) {
      if (char === 0x5c) at++
      else if (char === 0x22) inString = false
    } else if (char === 0x22) inString = true
    else if (char === 0x5b || char === 0x7b) {
      if (++depth > deepest) return true
    } else if (char === 0x5d || char === 0x7d) depth--
  }
  return false
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function parseRef(value: unknown): Ref {
  if (value === undefined || value === null) return null
  if (typeof value !== 'string' && typeof value !== 'number') {
    throw new MalformedFrame('a ref is a string or a number')
  }
  return checkRef(value)
}

/** Each ref is stored for as long as its topic is joined, and repeated in each response. */
function checkRef(ref: string | number): string | number {
  if (typeof ref === 'string' && ref.length > longestString) throw new MalformedFrame('a ref is too long')
  return ref
}

/** Half a surrogate pair would come back as another character: two names could pass for one. */
function checkName(name: unknown): string {
  if (typeof name !== 'string') throw new MalformedFrame('topic and event are strings')
  if (loneSurrogate.test(name)) throw new MalformedFrame('topic and event are Unicode')
  return name
}

function parseText(version: Version, text: string): JsonFrame {
  if (isTooDeep(text)) throw new MalformedFrame('nested too deeply')
  const parsed = parseJson(text)
  let parts: unknown[]
  if (version === '1.0.0') {
    if (!isRecord(parsed)) throw new MalformedFrame('expected an object')
    const missing = ['topic', 'event', 'payload', 'ref'].find((name) => !Object.hasOwn(parsed, name))
    if (missing) throw new MalformedFrame(`missing ${missing}`)
    parts = [parsed['join_ref'], parsed['ref'], parsed['topic'], parsed['event'], parsed['payload']]
  } else {
    if (!Array.isArray(parsed) || parsed.length < 5) throw new MalformedFrame('expected an array of five')
    parts = parsed
  }
  const [joinRef, ref, topic, event, payload] = parts
  return {
    joinRef: parseRef(joinRef),
    ref: parseRef(ref),
    topic: checkName(topic),
    event: checkName(event),
    payload,
  }
}

/** Reads strings whose lengths were announced; throws where the frame ends before them. */
function sliceStrings(
  bytes: Uint8Array,
  from: number,
  lengths: number[],
): { texts: string[]; rest: Uint8Array } {
  let at = from
  const texts = lengths.map((length) => {
    if (at + length > bytes.length) throw new MalformedFrame('a length points past the end')
    const text = decode(bytes.subarray(at, at + length))
    at += length
    return text
  })
  return { texts, rest: bytes.subarray(at) }
}

function parseMeta(text: string): Record<string, unknown> | null {
  if (text === '') return null
  const meta = parseJson(text)
  if (!isRecord(meta)) throw new MalformedFrame('metadata is an object')
  return meta
}

/** `body` views `bytes`: copy it to keep it longer than them. */
function parsePush(bytes: Uint8Array): BroadcastPush {
  if (bytes.length < 7) throw new MalformedFrame('too short')
  if (bytes[0] !== kinds.push) throw new MalformedFrame(`unknown kind ${bytes[0]}`)
  const { texts, rest } = sliceStrings(bytes, 7, [...bytes.subarray(1, 6)])
  const [joinRef, ref, topic, event, meta] = texts as [string, string, string, string, string]
  const encoding = bytes[6] === binaryEncoding ? 'binary' : 'json'
  // Checked here, since for 1.0.0 these bytes become part of a JSON text: a body that closes its object
  // early could name another topic.
  if (encoding === 'json') parseJson(decode(rest))
  return {
    joinRef: joinRef === '' ? null : joinRef,
    ref: ref === '' ? null : ref,
    topic,
    event: 'broadcast',
    broadcast: { event, encoding, body: rest, meta: parseMeta(meta) },
  }
}

/**
 * Reads a frame that a client sent. Version 1.0.0 has only one form, whatever the type of its frame. Of
 * the binary forms of 2.0.0 only the broadcast is read: the others, which Phoenix has for bytes, would have
 * to be sent in a form that realtime-js fails to read. Throws MalformedFrame.
 * @param isBinary whether the WebSocket frame of `data` is binary
 */
export function parseClientFrame(version: Version, data: Uint8Array, isBinary: boolean): ClientFrame {
  if (isBinary && version === '2.0.0') return parsePush(data)
  const text = decode(data)
  const frame = parseText(version, text)
  return frame.event === 'broadcast' ? { ...frame, payloadText: payloadText(version, text) } : frame
}

/** Writes a message of a client; 1.0.0 names the join that it belongs to as well. */
export function renderClientFrame(version: Version, frame: JsonFrame): string {
  const { joinRef, ref, topic, event, payload } = frame
  return version === '1.0.0'
    ? JSON.stringify({ topic, event, payload, ref, join_ref: joinRef })
    : renderFrame(version, frame)
}

/** Writes any message of the server but a binary broadcast; 1.0.0 has no field for the join. */
export function renderFrame(version: Version, frame: JsonFrame): string {
  return renderJson(version, frame, JSON.stringify(frame.payload) ?? 'null')
}

/** The same of a payload that is a JSON text already: a payload for many subscribers is serialized once. */
export function renderJson(version: Version, frame: Omit<JsonFrame, 'payload'>, payload: string): string {
  const [topic, event, ref] = [frame.topic, frame.event, frame.ref].map((part) => JSON.stringify(part))
  return version === '1.0.0'
    ? `{"topic":${topic},"event":${event},"payload":${payload},"ref":${ref}}`
    : `[${JSON.stringify(frame.joinRef)},${ref},${topic},${event},${payload}]`
}

function renderBinary(kind: number, strings: string[], broadcast: Broadcast): Uint8Array | null {
  const parts = strings.map((text) => encoder.encode(text))
  if (parts.some((part) => part.length > longestString)) return null
  const head = 2 + parts.length
  const length = parts.reduce((sum, part) => sum + part.length, head) + broadcast.body.length
  const bytes = new Uint8Array(length)
  bytes[0] = kind
  bytes.set(
    parts.map((part) => part.length),
    1,
  )
  bytes[head - 1] = broadcast.encoding === 'json' ? jsonEncoding : binaryEncoding
  let at = head
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  bytes.set(broadcast.body, at)
  return bytes
}

function renderMeta(broadcast: Broadcast): string {
  return broadcast.meta ? JSON.stringify(broadcast.meta) : ''
}

/**
 * Writes a broadcast for those who listen. Binary on 2.0.0; a JSON text on 1.0.0, and where a name is too
 * long for a binary frame. Null where the version cannot say it (bytes as JSON).
 */
export function renderBroadcast(
  version: Version,
  topic: string,
  broadcast: Broadcast,
): string | Uint8Array | null {
  if (version === '2.0.0') {
    const bytes = renderBinary(kinds.broadcast, [topic, broadcast.event, renderMeta(broadcast)], broadcast)
    if (bytes) return bytes
  }
  if (broadcast.encoding === 'binary') return null
  const meta = broadcast.meta ? `,"meta":${renderMeta(broadcast)}` : ''
  const payload = `{"event":${JSON.stringify(broadcast.event)},"payload":${decode(broadcast.body)},"type":"broadcast"${meta}}`
  return version === '1.0.0'
    ? `{"topic":${JSON.stringify(topic)},"event":"broadcast","payload":${payload},"ref":null}`
    : `[null,null,${JSON.stringify(topic)},"broadcast",${payload}]`
}

/** Writes a client's binary push, as realtime-js does. Throws MalformedFrame where a name is too long. */
export function renderPush(frame: BroadcastPush): Uint8Array {
  const { joinRef, ref, topic, broadcast } = frame
  const strings = [`${joinRef ?? ''}`, `${ref ?? ''}`, topic, broadcast.event, renderMeta(broadcast)]
  const bytes = renderBinary(kinds.push, strings, broadcast)
  if (!bytes) throw new MalformedFrame('a name is longer than 255 bytes')
  return bytes
}

/** What a client reads: `broadcast` is set for binary frames. */
export type ServerFrame = (JsonFrame & { broadcast?: undefined }) | { topic: string; broadcast: Broadcast }

/** Reads a frame that a server sent. Throws MalformedFrame. */
export function parseServerFrame(version: Version, data: string | Uint8Array): ServerFrame {
  if (typeof data === 'string') return parseText(version, data)
  if (data.length < 5) throw new MalformedFrame('too short')
  if (data[0] !== kinds.broadcast) throw new MalformedFrame(`unknown kind ${data[0]}`)
  const { texts, rest } = sliceStrings(data, 5, [...data.subarray(1, 4)])
  const [topic, event, meta] = texts as [string, string, string]
  const encoding = data[4] === binaryEncoding ? 'binary' : 'json'
  return { topic, broadcast: { event, encoding, body: rest, meta: parseMeta(meta) } }
}
