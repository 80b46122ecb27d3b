import { createHash } from 'node:crypto'

/** A version 5 UUID (RFC 9562): the same for the same namespace and name. */
export function uuidOf(namespace: string, name: string): string {
  const hash = createHash('sha1')
    .update(Buffer.from(namespace.replaceAll('-', ''), 'hex'))
    .update(name)
    .digest()
  hash[6] = (hash[6]! & 0x0f) | 0x50
  hash[8] = (hash[8]! & 0x3f) | 0x80
  const hex = hash.toString('hex', 0, 16)
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

/** The ids of rows. They depend on the workspace, so that an export can be imported into several ones. */
export interface SlackIds {
  channel(channel: string): string
  person(user: string): string
  /** @param at the time of the message in microseconds */
  message(channel: string, at: number): string
  upload(channel: string, file: string): string
}

/** @param team the id of the Slack workspace */
export function createSlackIds(workspaceId: string, team: string): SlackIds {
  const id = (...parts: string[]): string => uuidOf(workspaceId, ['slack', team, ...parts].join('/'))
  return {
    channel: (channel) => id('channel', channel),
    person: (user) => id('person', user),
    message: (channel, at) => id('message', channel, tsOf(at)),
    upload: (channel, file) => id('upload', channel, file),
  }
}

/**
 * The microseconds of a `ts`, such as "1700000000.000100", which is a text: a number would lose its last digits. Null if it is
 * none.
 */
export function microsecondsOf(ts: unknown): number | null {
  const match = typeof ts === 'string' ? /^(-?\d{1,12})(?:\.(\d{1,6}))?$/.exec(ts) : null
  if (match === null) return null
  const fraction = Number((match[2] ?? '').padEnd(6, '0'))
  const seconds = Number(match[1])
  return seconds * 1_000_000 + (match[1]!.startsWith('-') ? -fraction : fraction)
}

/** The `ts` of a time in microseconds. */
export function tsOf(microseconds: number): string {
  const [seconds, fraction] = [Math.trunc(microseconds / 1_000_000), Math.abs(microseconds % 1_000_000)]
  const sign = microseconds < 0 && seconds === 0 ? '-' : ''
  return `${sign}${seconds}.${String(fraction).padStart(6, '0')}`
}

/** A time in microseconds as ISO 8601; null outside of the years that are stored. */
export function timestampOf(microseconds: number): string | null {
  const seconds = Math.floor(microseconds / 1_000_000)
  const date = new Date(seconds * 1_000)
  const year = date.getUTCFullYear()
  if (Number.isNaN(year) || year < 1 || year > 9_998) return null
  const fraction = String(microseconds - seconds * 1_000_000).padStart(6, '0')
  return `${date.toISOString().slice(0, 19)}.${fraction}Z`
}
