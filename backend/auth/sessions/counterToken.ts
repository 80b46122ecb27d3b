import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/**
 * A refresh token of GoTrue's second format, which contains the session id and a counter, signed with a key of
 * the session. Sessions of a project that moves here from hosted Supabase may have it, and continue to work;
 * new sessions use the first format, whose tokens are rows.
 *
 * base64url of: version 0 · session (16 bytes) · counter (LEB128) · HMAC-SHA-256 cut to 16 bytes · first 4
 * bytes of SHA-256 over all before, so that most invalid tokens are rejected without a query.
 */
export interface CounterToken {
  sessionId: string
  counter: number
  /** The signed bytes. */
  signed: Buffer
  signature: Buffer
}

const signatureLength = 16
const checksumLength = 4
const headLength = 1 + 16

const checksum = (bytes: Buffer): Buffer =>
  createHash('sha256').update(bytes).digest().subarray(0, checksumLength)
const sign = (key: Buffer, bytes: Buffer): Buffer =>
  createHmac('sha256', key).update(bytes).digest().subarray(0, signatureLength)

/** Parses a token without verifying its signature; null if it is malformed. */
export function parseCounterToken(token: string): CounterToken | null {
  const bytes = Buffer.from(token, 'base64url')
  // Node skips what is no base64url; a token has one spelling.
  if (bytes.toString('base64url') !== token) return null
  const end = bytes.length - signatureLength - checksumLength
  if (end <= headLength || bytes[0] !== 0) return null
  const whole = bytes.subarray(0, bytes.length - checksumLength)
  if (!checksum(whole).equals(bytes.subarray(whole.length))) return null
  const counter = readCounter(bytes.subarray(headLength, end))
  if (counter === null) return null
  const hex = bytes.toString('hex', 1, headLength)
  const sessionId = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  return { sessionId, counter, signed: bytes.subarray(0, end), signature: bytes.subarray(end, whole.length) }
}

/** Whether the token was signed with this key of its session. */
export function isSignedWith(key: Buffer, token: CounterToken): boolean {
  return timingSafeEqual(sign(key, token.signed), token.signature)
}

/** The token with this counter. */
export function renderCounterToken(key: Buffer, sessionId: string, counter: number): string {
  const session = Buffer.from(sessionId.replaceAll('-', ''), 'hex')
  const signed = Buffer.concat([Buffer.from([0]), session, renderCounter(counter)])
  const whole = Buffer.concat([signed, sign(key, signed)])
  return Buffer.concat([whole, checksum(whole)]).toString('base64url')
}

/** Seven bits a byte, lowest first; null unless it ends with the last byte. */
function readCounter(bytes: Buffer): number | null {
  if (bytes.length > 10 || bytes.at(-1)! >= 0x80) return null
  let value = 0
  for (const [index, byte] of bytes.entries()) {
    if (byte < 0x80 && index < bytes.length - 1) return null
    value += (byte & 0x7f) * 2 ** (7 * index)
  }
  return value
}

function renderCounter(counter: number): Buffer {
  const bytes: number[] = []
  let rest = counter
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80)
  return Buffer.from([...bytes, rest])
}
