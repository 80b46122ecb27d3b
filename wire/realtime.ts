/**
 * Frames of the Realtime protocol, for server, tests and bench: versions 1.0.0 (JSON objects) and 2.0.0 (JSON arrays,
 * and binary frames for broadcasts), as realtime-js and Supabase Realtime exchange them on top of Phoenix channels.
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

/** A broadcast; its payload is bytes: JSON text in UTF-8, or binary. */
export interface Broadcast {
  /** The event that the sender chose; the frame's own event is "broadcast". */
  event: string
  encoding: 'json' | 'binary'
  body: Uint8Array
  /** `{id}` on messages from the database, `{replayed, id}` on replayed ones; otherwise null. */
  meta: Record<string, unknown> | null
}

/** A binary frame from a client: a broadcast to a topic that it has joined. */
export interface BroadcastPush {
  joinRef: Ref
  ref: Ref
  topic: string
  event: 'broadcast'
  broadcast: Broadcast
}

/** A text frame from a client; `payloadText` is the unparsed payload of a broadcast. */
type TextFrame = JsonFrame & { broadcast?: undefined; payloadText?: string }

export type ClientFrame = TextFrame | BroadcastPush

/** A frame that does not follow the protocol; `message` names the part. */
export class MalformedFrame extends Error {
  override name = 'MalformedFrame'
}

const kinds = { push: 3, broadcast: 4 } as const
const binaryEncoding = 0
const jsonEncoding = 1
/** Deeper payloads are refused: `JSON.stringify` may overflow the stack where `JSON.parse` did not. */
const maxDepth = 500
/** Bytes. Lengths of the strings in a binary frame are single bytes. */
const maxStringLength = 255

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
  if (text.length <= maxDepth) return false
  let depth = 0
  let inString = false
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (inString) {
      if (char === 0x5c) at++
      else if (char === 0x22) inString = false
    } else if (char === 0x22) inString = true
    else if (char === 0x5b || char === 0x7b) {
      if (++depth > maxDepth) return true
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
  if (typeof ref === 'string' && ref.length > maxStringLength) throw new MalformedFrame('a ref is too long')
  return ref
}

/** Encoding replaces lone surrogates by U+FFFD, so that two names would become equal. */
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

/** Reads consecutive strings of these lengths; throws if the frame is shorter. */
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

/** `body` is a view of `bytes`: copy it before `bytes` are reused. */
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
 * Parses a frame that a client sent. In version 1.0.0 binary WebSocket frames contain JSON too. Of the binary forms
 * of 2.0.0 only the broadcast is accepted: replies to the others would have a form that realtime-js fails to parse.
 * Throws MalformedFrame.
 * @param isBinary whether the WebSocket frame of `data` is binary
 */
export function parseClientFrame(version: Version, data: Uint8Array, isBinary: boolean): ClientFrame {
  if (isBinary && version === '2.0.0') return parsePush(data)
  const text = decode(data)
  const frame = parseText(version, text)
  return frame.event === 'broadcast' ? { ...frame, payloadText: payloadText(version, text) } : frame
}

/** Serializes a message of a client. */
export function renderClientFrame(version: Version, frame: JsonFrame): string {
  const { joinRef, ref, topic, event, payload } = frame
  return version === '1.0.0'
    ? JSON.stringify({ topic, event, payload, ref, join_ref: joinRef })
    : renderFrame(version, frame)
}

/** Serializes a message of the server other than a binary broadcast; 1.0.0 has no `join_ref` there. */
export function renderFrame(version: Version, frame: JsonFrame): string {
  return renderJson(version, frame, JSON.stringify(frame.payload) ?? 'null')
}

/** The same with a payload that is JSON text already, since a payload for many subscribers is serialized once. */
export function renderJson(version: Version, frame: Omit<JsonFrame, 'payload'>, payload: string): string {
  const [topic, event, ref] = [frame.topic, frame.event, frame.ref].map((part) => JSON.stringify(part))
  return version === '1.0.0'
    ? `{"topic":${topic},"event":${event},"payload":${payload},"ref":${ref}}`
    : `[${JSON.stringify(frame.joinRef)},${ref},${topic},${event},${payload}]`
}

function renderBinary(kind: number, strings: string[], broadcast: Broadcast): Uint8Array | null {
  const parts = strings.map((text) => encoder.encode(text))
  if (parts.some((part) => part.length > maxStringLength)) return null
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
 * Serializes a broadcast for subscribers: binary in 2.0.0; JSON text in 1.0.0 and where a name is too long for a
 * binary frame. Null for a binary payload where JSON would be needed.
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

/** Serializes a client's binary push, as realtime-js does. Throws MalformedFrame where a name is too long. */
export function renderPush(frame: BroadcastPush): Uint8Array {
  const { joinRef, ref, topic, broadcast } = frame
  const strings = [`${joinRef ?? ''}`, `${ref ?? ''}`, topic, broadcast.event, renderMeta(broadcast)]
  const bytes = renderBinary(kinds.push, strings, broadcast)
  if (!bytes) throw new MalformedFrame('a name is longer than 255 bytes')
  return bytes
}

/** A frame that a client receives; `broadcast` is set for binary frames. */
export type ServerFrame = (JsonFrame & { broadcast?: undefined }) | { topic: string; broadcast: Broadcast }

/** Parses a frame that a server sent. Throws MalformedFrame. */
export function parseServerFrame(version: Version, data: string | Uint8Array): ServerFrame {
  if (typeof data === 'string') return parseText(version, data)
  if (data.length < 5) throw new MalformedFrame('too short')
  if (data[0] !== kinds.broadcast) throw new MalformedFrame(`unknown kind ${data[0]}`)
  const { texts, rest } = sliceStrings(data, 5, [...data.subarray(1, 4)])
  const [topic, event, meta] = texts as [string, string, string]
  const encoding = data[4] === binaryEncoding ? 'binary' : 'json'
  return { topic, broadcast: { event, encoding, body: rest, meta: parseMeta(meta) } }
}
