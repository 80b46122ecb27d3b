import { hash as bcryptHash } from 'bcryptjs'
import { describe, expect, it } from 'vitest'
import { createPasswords, isOutdatedHash, isPasswordHash } from './passwords.ts'

const passwords = createPasswords()

const firebaseKey = 'jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA=='
const firebaseHash =
  '42xEC+ixf3L2lw==$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ=='

/** Hashes from other implementations. */
const knownAnswers: [from: string, password: string, stored: string][] = [
  [
    'argon2i of the reference implementation',
    'password',
    '$argon2i$v=19$m=256,t=2,p=1$c29tZXNhbHQ$iekCn0Y3spW+sCcFanM2xBT63UP2sghkUoHLIUpWRS8',
  ],
  [
    'argon2id of the reference implementation',
    'password',
    '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4',
  ],
  [
    'argon2id of two lanes',
    'password',
    '$argon2id$v=19$m=256,t=2,p=2$c29tZXNhbHQ$bQk8UB/VmZZF4Oo79iDXuL5/0ttZwg2f/5U52iv1cDc',
  ],
  ['bcrypt of OpenBSD', 'U*U', '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'],
  ['bcrypt of libxcrypt', 'rasmuslerdorf', '$2y$04$BCryptRequires22ChrcteQDi0HlnGbzOigg2i2tQ6M79Q0/bnJM6'],
  ['bcrypt of Python', 'Kk4DQuMMfZL9o', '$2b$04$cVWp4XaNU8a4v1uMRum2SO026BWLIoQMD/TXg5uZV.0P.uO8m3YEm'],
  [
    'scrypt of Firebase',
    'user1password',
    `$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=${firebaseKey}$${firebaseHash}`,
  ],
]

describe('passwords', () => {
  it('match their own hash and no other', async () => {
    const stored = await passwords.hash('pässword')
    expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
    expect(isOutdatedHash(stored)).toBe(false)
    expect(await passwords.verify(stored, 'pässword')).toBe(true)
    expect(await passwords.verify(stored, 'password')).toBe(false)
  })

  it.each(knownAnswers)('match %s, which is outdated', async (_, password, stored) => {
    expect(isPasswordHash(stored)).toBe(true)
    expect(isOutdatedHash(stored)).toBe(true)
    expect(await passwords.verify(stored, password)).toBe(true)
    expect(await passwords.verify(stored, `${password}!`)).toBe(false)
  })

  const argon2 = (
    parameters: string,
    hash = 'c29tZXNhbHQ$5QcGAXSsLVqqN8JN1ZVqbFKwzlTOHQIVsTYVTLbmbwA',
  ): string => `$argon2id$v=19$${parameters}$${hash}`

  it.each([
    ['nothing', ''],
    ['plain text', 'plain'],
    ['an unknown scheme', '$1$salt$hash'],
    ['a short bcrypt', '$2a$10$short'],
    ['a bcrypt below the minimum cost', '$2b$03$cVWp4XaNU8a4v1uMRum2SO026BWLIoQMD/TXg5uZV.0P.uO8m3YEm'],
    ['a bcrypt that takes a minute', '$2b$20$cVWp4XaNU8a4v1uMRum2SO026BWLIoQMD/TXg5uZV.0P.uO8m3YEm'],
    ['a broken argon2', '$argon2id$broken'],
    ['argon2d', '$argon2d$v=19$m=256,t=2,p=1$c29tZXNhbHQ$iekCn0Y3spW+sCcFanM2xBT63UP2sghkUoHLIUpWRS8'],
    [
      'argon2 version 1.0',
      '$argon2i$v=16$m=256,t=2,p=1$c29tZXNhbHQ$iekCn0Y3spW+sCcFanM2xBT63UP2sghkUoHLIUpWRS8',
    ],
    ['too much memory', argon2('m=1048577,t=2,p=1')],
    ['too many passes', argon2('m=256,t=21,p=1')],
    ['too many lanes', argon2('m=256,t=2,p=17')],
    ['no pass', argon2('m=256,t=0,p=1')],
    ['no lane', argon2('m=256,t=2,p=0')],
    ['less memory than its lanes need', argon2('m=8,t=2,p=2')],
    ['a keyid parameter', argon2('m=256,t=2,p=1,keyid=a')],
    ['a data parameter', argon2('m=256,t=2,p=1,data=a')],
    ['padding', argon2('m=256,t=2,p=1', 'c29tZXNhbHQ=$5QcGAXSsLVqqN8JN1ZVqbFKwzlTOHQIVsTYVTLbmbwA=')],
    ['a scrypt of 256 MiB', `$fbscrypt$v=1,n=18,r=8,p=1,ss=Bw==,sk=${firebaseKey}$${firebaseHash}`],
    ['a scrypt of many lanes', `$fbscrypt$v=1,n=14,r=8,p=16,ss=Bw==,sk=${firebaseKey}$${firebaseHash}`],
    ['a scrypt of no memory', `$fbscrypt$v=1,n=0,r=8,p=1,ss=Bw==,sk=${firebaseKey}$${firebaseHash}`],
    ['a scrypt of no blocks', `$fbscrypt$v=1,n=14,r=0,p=1,ss=Bw==,sk=${firebaseKey}$${firebaseHash}`],
    ['another version of scrypt', `$fbscrypt$v=2,n=14,r=8,p=1,ss=Bw==,sk=${firebaseKey}$${firebaseHash}`],
    ['a scrypt without its key', `$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==$${firebaseHash}`],
    ['a trailing newline', `${knownAnswers[0]![2]}\n`],
  ])('match nothing if the hash is %s, which cannot be imported', async (_, stored) => {
    expect(isPasswordHash(stored)).toBe(false)
    expect(await passwords.verify(stored, 'plain')).toBe(false)
    expect(await passwords.verify(stored, '')).toBe(false)
  })

  it('match nothing if base64 leaves bits over', async () => {
    const malformed = '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHR$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4'
    expect(await passwords.verify(malformed, 'password')).toBe(false)
  })

  it('do not block the event loop, whatever the format', async () => {
    const slowHash = await bcryptHash('moved', 9)
    let ticks = 0
    let done = false
    const tick = (): void => {
      ticks++
      if (!done) setImmediate(tick)
    }
    const fits = passwords.verify(slowHash, 'moved')
    tick()
    expect(await fits).toBe(true)
    done = true
    // In this thread the loop would have turned a few times at most.
    expect(ticks).toBeGreaterThan(10)
  })

  it('take as long without a hash to verify as with one', async () => {
    const stored = await passwords.hash('x')
    for (const candidate of [null, 'plain', stored]) {
      const few = createPasswords({ atOnce: 1, queue: 1 })
      const verifications = Array.from({ length: 3 }, () => few.verify(candidate, 'y'))
      const results = await Promise.allSettled(verifications)
      expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected'])
    }
  })

  it('are rejected with 429 while too many wait, and accepted again afterwards', async () => {
    const few = createPasswords({ atOnce: 1, queue: 2 })
    const results = await Promise.allSettled(Array.from({ length: 6 }, () => few.hash('x')))
    const refused = results.filter((one) => one.status === 'rejected')
    expect(refused).toHaveLength(3)
    for (const { reason } of refused) {
      expect(reason).toMatchObject({ status: 429, code: 'over_request_rate_limit', retryAfter: 1 })
    }
    expect(await few.hash('x')).toMatch(/^\$argon2id/)
  })
})
