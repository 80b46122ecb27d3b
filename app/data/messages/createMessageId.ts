import type { Uuid } from '../../../wire/scalars.ts'

/** The largest value of the 12 bits that follow the time. */
const MAX_COUNTER = 0xfff

let last = { time: 0, counter: 0 }

/**
 * Creates the id of a message: a UUID of version 7 (RFC 9562, section 5.7). It begins with the time, so that the primary
 * key of messages grows at its end. The ids of a page increase, also within a millisecond and after the clock was set
 * back: the 12 bits after the time are a counter that begins at a random number (section 6.2, method 1). The other 62
 * bits are random, so that nobody can guess an id and use it first. No id orders messages: `seq` does.
 *
 * @param sendAt the time at which a scheduled message will be sent, in ms since 1970. Its id contains this time, because
 * readers of the message may not learn when its author wrote it.
 */
export function createMessageId(sendAt?: number): Uuid {
  const random = crypto.getRandomValues(new Uint16Array(5))
  if (sendAt !== undefined) return encode(sendAt, random[4]! & MAX_COUNTER, random)
  // The first half of the range, so that the other half remains for the messages of the same millisecond.
  const start = random[4]! & (MAX_COUNTER >> 1)
  const now = Date.now()
  if (now > last.time) last = { time: now, counter: start }
  else if (last.counter < MAX_COUNTER) last = { time: last.time, counter: last.counter + 1 }
  else last = { time: last.time + 1, counter: start }
  return encode(last.time, last.counter, random)
}

function encode(time: number, counter: number, random: Uint16Array): Uuid {
  const groups = [0x8000 | (random[0]! & 0x3fff), random[1]!, random[2]!, random[3]!]
  const [variant, ...rest] = groups.map((group) => toHex(group, 4))
  const hexTime = toHex(time, 12)
  return `${hexTime.slice(0, 8)}-${hexTime.slice(8)}-7${toHex(counter, 3)}-${variant}-${rest.join('')}`
}

function toHex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0')
}
