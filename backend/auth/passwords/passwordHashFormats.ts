import { createCipheriv, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { fitsArgon2 } from './argon2Thread.ts'
import { fitsBcrypt } from './bcryptThread.ts'

/** A stored password hash that can be verified, and the cost of that. */
export interface PasswordForm {
  /** Memory that verifying takes, in KiB. */
  memory: number
  /** Whether the hash is weaker than new ones. */
  outdated: boolean
  fits(password: string): Promise<boolean>
}

/**
 * OWASP's parameters of argon2id: 19 MiB, two passes, one lane. Hosted Supabase can verify these hashes too.
 */
export const newForm = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/**
 * Parses a stored hash in one of the formats that rows of hosted Supabase have. Null for other formats, and for
 * hashes that cost more than hosted Supabase accepts or this server can afford: otherwise whoever can import
 * accounts could block everybody's sign-in.
 */
export function parsePasswordForm(stored: string): PasswordForm | null {
  return parseArgon2(stored) ?? parseBcrypt(stored) ?? parseFirebase(stored)
}

const argon2 =
  /^\$argon2(i|id)\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,})\$([A-Za-z0-9+/]{6,})$/

/** `$argon2id$v=19$m=…,t=…,p=…$salt$hash`, base64 without padding; `$argon2i$` as well. */
function parseArgon2(stored: string): PasswordForm | null {
  const [, kind, m, t, p] = argon2.exec(stored) ?? []
  const [memory, passes, lanes] = [Number(m), Number(t), Number(p)]
  if (!kind || passes < 1 || passes > 20 || lanes < 1 || lanes > 16) return null
  if (memory < 8 * lanes || memory > 1_048_576) return null
  return {
    memory,
    outdated: kind !== 'id' || memory < newForm.memoryCost || passes < newForm.timeCost,
    // A salt or hash with leftover bits that form no byte matches nothing.
    fits: (password) => fitsArgon2(stored, password).catch(() => false),
  }
}

/** Each step of the cost doubles the time; this one takes about 3 s. */
const dearestBcrypt = 15

/** `$2a$`, `$2b$` and `$2y$`, which all mean the same today. */
function parseBcrypt(stored: string): PasswordForm | null {
  const cost = Number(/^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/.exec(stored)?.[1])
  if (!(cost >= 4 && cost <= dearestBcrypt)) return null
  return { memory: 4, outdated: true, fits: (password) => fitsBcrypt(stored, password) }
}

const base64 = '[A-Za-z0-9+/]+={0,2}'
const firebase = new RegExp(
  `^\\$fbscrypt\\$v=1,n=(\\d{1,2}),r=(\\d{1,3}),p=(\\d{1,2})(?:,ss=(${base64}))?,sk=(${base64})\\$(${base64})\\$(${base64})$`,
)
/** In KiB; Firebase's parameters take 16 MiB. */
const mostScryptMemory = 131_072

const deriveByScrypt = promisify<Buffer, Buffer, number, object, Buffer>(scrypt)

/**
 * `$fbscrypt$v=1,n=…,r=…,p=…,ss=<salt separator>,sk=<signer key>$salt$hash`, base64 with padding. Firebase
 * encrypts its signer key with a key that scrypt derives from the password, and stores the result
 * (github.com/firebase/scrypt). `n` is the binary logarithm of scrypt's N.
 */
function parseFirebase(stored: string): PasswordForm | null {
  const [, n, r, p, separator, signerKey, salt, hash] = firebase.exec(stored) ?? []
  if (!n || !r || !p || !signerKey || !salt || !hash) return null
  const [N, blockSize, lanes] = [2 ** Number(n), Number(r), Number(p)]
  const memory = (N * blockSize) / 8
  if (N < 2 || blockSize < 1 || lanes < 1 || memory * lanes > mostScryptMemory) return null
  const bytes = (text: string): Buffer => Buffer.from(text, 'base64')
  return {
    memory,
    outdated: true,
    async fits(password) {
      const salted = Buffer.concat([bytes(salt), bytes(separator ?? '')])
      const parameters = { N, r: blockSize, p: lanes, maxmem: 1024 * memory + 1_048_576 }
      const key = await deriveByScrypt(Buffer.from(password), salted, 32, parameters)
      // Firebase uses a nonce of zeros.
      const made = createCipheriv('aes-256-ctr', key, Buffer.alloc(16)).update(bytes(signerKey))
      const kept = bytes(hash)
      return made.length === kept.length && timingSafeEqual(made, kept)
    },
  }
}
