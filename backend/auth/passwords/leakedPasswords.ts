import { createHash } from 'node:crypto'
import { createRequire } from 'node:module'
import { createThread } from '../../runtime/createThread.ts'

/**
 * The first eight bytes of the SHA-256 of each leaked password, sorted. Computed in a thread that then exits:
 * the list itself would take 15 MiB in this process and block it for half a second; the hashes take 400 KiB.
 */
const hashesThread = createThread<string, BigUint64Array>(`(library) => {
  const { createHash } = require('node:crypto')
  const { dictionary } = require(library)
  const known = dictionary['passwords-common'].map((one) => createHash('sha256').update(one).digest().readBigUInt64LE())
  return BigUint64Array.from(known).sort()
}`)

let loading: Promise<BigUint64Array> | null = null

/**
 * Whether this password, in any case, is one of the 49,000 that leaked most often (@zxcvbn-ts/language-common).
 * Hosted Supabase queries a service on the network; here nothing about a password is sent to another server.
 */
export async function isLeakedPassword(password: string): Promise<boolean> {
  loading ??= hashesThread.run(createRequire(import.meta.url).resolve('@zxcvbn-ts/language-common'))
  const hashes = await loading
  return includesHash(hashes, password) || includesHash(hashes, password.toLowerCase())
}

function includesHash(hashes: BigUint64Array, password: string): boolean {
  const sought = createHash('sha256').update(password).digest().readBigUInt64LE()
  let [low, high] = [0, hashes.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (hashes[middle]! < sought) low = middle + 1
    else high = middle
  }
  return hashes[low] === sought
}
