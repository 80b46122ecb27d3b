import { createHash } from 'node:crypto'
import { createRequire } from 'node:module'
import { createThread } from './createThread.ts'

/**
 * The first eight bytes of each one's SHA-256, sorted. Made in a thread that then ends: the list itself would take
 * 15 MiB here and half a second of everybody's time, these take 400 KiB.
 */
const load = createThread<string, BigUint64Array>(`(library) => {
  const { createHash } = require('node:crypto')
  const { dictionary } = require(library)
  const known = dictionary['passwords-common'].map((one) => createHash('sha256').update(one).digest().readBigUInt64LE())
  return BigUint64Array.from(known).sort()
}`)

let loading: Promise<BigUint64Array> | null = null

/**
 * Whether everybody knows this password, in whatever case it is written: one of 49,000 that leaked most often
 * (@zxcvbn-ts/language-common). Hosted asks a service on the network; nothing of a password leaves this house.
 */
export async function isLeaked(password: string): Promise<boolean> {
  loading ??= load(createRequire(import.meta.url).resolve('@zxcvbn-ts/language-common'))
  const known = await loading
  return has(known, password) || has(known, password.toLowerCase())
}

function has(known: BigUint64Array, password: string): boolean {
  const sought = createHash('sha256').update(password).digest().readBigUInt64LE()
  let [low, high] = [0, known.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (known[middle]! < sought) low = middle + 1
    else high = middle
  }
  return known[low] === sought
}
