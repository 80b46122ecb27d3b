import { createCipheriv, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { verifyArgon2 } from './argon2Thread.ts'
import { createRequire } from 'node:module'
import { createThread } from '../../runtime/createThread.ts'

/** A stored password hash that can be verified, and the cost of that. */
export interface PasswordHash {
  /** Memory that verifying takes, in KiB. */
  memory: number
  /** Whether the hash is weaker than new ones. */
  outdated: boolean
  matches(password: string): Promise<boolean>
}

/**
 * OWASP's parameters of argon2id: 19 MiB, two passes, one lane. Hosted Supabase can verify these hashes too.
 */
export const newHashParameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/**
 * Parses a stored hash in one of the formats that rows of hosted Supabase have. Null for other formats, and for
 * hashes that cost more than hosted Supabase accepts or this server can afford: otherwise anyone who can import
 * accounts could block everybody's sign-in.
 */
export function parsePasswordHash(stored: string): PasswordHash | null {
  return parseArgon2(stored) ?? parseBcrypt(stored) ?? parseFirebase(stored)
}

const argon2 =
  /^\$argon2(i|id)\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,})\$([A-Za-z0-9+/]{6,})$/

/** `$argon2id$v=19$m=…,t=…,p=…$salt$hash`, base64 without padding; `$argon2i$` as well. */
function parseArgon2(stored: string): PasswordHash | null {
  const [, kind, m, t, p] = argon2.exec(stored) ?? []
  const [memory, passes, parallelism] = [Number(m), Number(t), Number(p)]
  if (!kind || passes < 1 || passes > 20 || parallelism < 1 || parallelism > 16) return null
  if (memory < 8 * parallelism || memory > 1_048_576) return null
  return {
    memory,
    outdated: kind !== 'id' || memory < newHashParameters.memoryCost || passes < newHashParameters.timeCost,
    // A salt or hash with leftover bits that form no byte matches nothing.
    matches: (password) => verifyArgon2(stored, password).catch(() => false),
  }
}

/** Each step of the cost doubles the time; this one takes about 3 s. */
const maxBcryptCost = 15

/** `$2a$`, `$2b$` and `$2y$`, which all mean the same today. */
function parseBcrypt(stored: string): PasswordHash | null {
  const cost = Number(/^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/.exec(stored)?.[1])
  if (!(cost >= 4 && cost <= maxBcryptCost)) return null
  return { memory: 4, outdated: true, matches: (password) => verifyBcrypt(stored, password) }
}

const base64 = '[A-Za-z0-9+/]+={0,2}'
const firebase = new RegExp(
  `^\\$fbscrypt\\$v=1,n=(\\d{1,2}),r=(\\d{1,3}),p=(\\d{1,2})(?:,ss=(${base64}))?,sk=(${base64})\\$(${base64})\\$(${base64})$`,
)
/** In KiB; Firebase's parameters take 16 MiB. */
const maxScryptMemory = 131_072

const scryptAsync = promisify<Buffer, Buffer, number, object, Buffer>(scrypt)

/**
 * `$fbscrypt$v=1,n=…,r=…,p=…,ss=<salt separator>,sk=<signer key>$salt$hash`, base64 with padding. Firebase
 * encrypts its signer key with a key that scrypt derives from the password, and stores the result
 * (github.com/firebase/scrypt). `n` is the binary logarithm of scrypt's N.
 */
function parseFirebase(stored: string): PasswordHash | null {
  const [, n, r, p, separator, signerKey, salt, hash] = firebase.exec(stored) ?? []
  if (!n || !r || !p || !signerKey || !salt || !hash) return null
  const [N, blockSize, parallelism] = [2 ** Number(n), Number(r), Number(p)]
  const memory = (N * blockSize) / 8
  if (N < 2 || blockSize < 1 || parallelism < 1 || memory * parallelism > maxScryptMemory) return null
  const bytes = (text: string): Buffer => Buffer.from(text, 'base64')
  return {
    memory,
    outdated: true,
    async matches(password) {
      const salted = Buffer.concat([bytes(salt), bytes(separator ?? '')])
      const parameters = { N, r: blockSize, p: parallelism, maxmem: 1024 * memory + 1_048_576 }
      const key = await scryptAsync(Buffer.from(password), salted, 32, parameters)
      // Firebase uses a nonce of zeros.
      const computed = createCipheriv('aes-256-ctr', key, Buffer.alloc(16)).update(bytes(signerKey))
      const expected = bytes(hash)
      return computed.length === expected.length && timingSafeEqual(computed, expected)
    },
  }
}

const bcryptLibrary = createRequire(import.meta.url).resolve('bcryptjs')

const bcryptThread = createThread<[stored: string, password: string], boolean>(
  `([stored, password]) => require(${JSON.stringify(bcryptLibrary)}).compareSync(password, stored)`,
)

/**
 * Whether the password matches a bcrypt hash. Takes 100 ms of JavaScript at the usual cost, so it runs in its
 * own thread.
 */
function verifyBcrypt(stored: string, password: string): Promise<boolean> {
  return bcryptThread.run([stored, password])
}
