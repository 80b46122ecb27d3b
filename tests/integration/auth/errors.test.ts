import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createKeys, issueLegacyKey, loadKeys } from '../../../backend/auth/tokens/keys.ts'
import { signToken } from '../../../backend/auth/tokens/signToken.ts'
import { fullConfig } from './support/fullConfig.ts'
import { errorLedger, type SendRequest, type LedgerFixture } from './support/errorLedger.ts'
import { signIn } from './support/testUser.ts'
import { startCaptchaProvider, type CaptchaProvider } from './support/startCaptchaProvider.ts'
import {
  latestMailTo,
  uniqueEmail,
  startAuth,
  startDatabase,
  type AuthDatabase,
  type AuthServer,
} from './support/startAuth.ts'
import { signHs256 } from './support/signTokens.ts'

const nothing = `
[auth]
enable_signup = false
[auth.email]
enable_signup = false
`
const strictly = `
[auth]
require_current_password = true
[auth.email]
enable_confirmations = true
[auth.captcha]
enabled = true
provider = "turnstile"
secret = "captcha secret"
[auth.oauth_server]
enabled = true
[auth.rate_limit]
token_refresh = 0
sign_in_sign_ups = 1000
`

let database: AuthDatabase
let judge: CaptchaProvider
let stage: LedgerFixture
/** Everything is enabled. */
let auth: AuthServer
beforeAll(async () => {
  ;[database, judge] = await Promise.all([startDatabase(), startCaptchaProvider()])
  const [on, off, strict] = await Promise.all([
    startAuth(database, fullConfig),
    startAuth(database, nothing),
    startAuth(database, strictly, { captchaUrl: judge.url }),
  ])
  auth = on
  stage = { database, on, off, strict, member: await signIn(on) }
})
afterAll(async () => {
  await Promise.all([stage.on.stop(), stage.off.stop(), stage.strict.stop(), judge.stop()])
  await database.stop()
})

const newForm = { 'x-supabase-api-version': '2024-01-01' }

/** Sends with the older or the newer error format. */
const sending =
  (form: object): SendRequest =>
  (server, path, o = {}) =>
    server.request(path, { ...o, headers: { ...o.headers, ...form } })

describe('the error ledger', () => {
  const triggered = errorLedger.filter((entry) => 'trigger' in entry)
  it.each(triggered)('$code', async ({ code, status, trigger }) => {
    const older = await trigger(sending({}), stage)
    const olderBody: unknown = await older.json()
    expect([older.status, olderBody]).toEqual([
      status,
      expect.objectContaining({ code: status, error_code: code, msg: expect.any(String) }),
    ])
    const newer = await trigger(sending(newForm), stage)
    expect([newer.status, await newer.json()]).toEqual([
      status,
      expect.objectContaining({ code, message: expect.any(String) }),
    ])
    for (const { headers } of [older, newer]) expect(headers.get('x-sb-error-code')).toBe(code)
    expect(older.headers.get('retry-after') !== null).toBe(status === 429)
  })

  const read = (path: string): string => readFileSync(join(import.meta.dirname, path), 'utf8')

  it('names the test that reaches each of the others', () => {
    const missing = errorLedger.filter(
      (entry) => 'testedBy' in entry && !read(entry.testedBy).includes(entry.code),
    )
    expect(missing).toEqual([])
  })

  it('contains every code of the service and of its client library, once', () => {
    const client = read('../../../node_modules/@supabase/auth-js/dist/module/lib/error-codes.d.ts')
    const service = read('../../../backend/auth/http/AuthErrorCode.ts')
    const codes = new Set([...`${client}${service}`.matchAll(/'([a-z0-9_]+)'/g)].map(([, code]) => code!))
    const listed = errorLedger.map(({ code }) => code)
    expect(listed.toSorted()).toEqual([...codes].toSorted())
  })
})

describe('a captcha', () => {
  const path = '/recover'
  const withToken = (token: unknown): object => ({
    email: uniqueEmail(),
    gotrue_meta_security: { captcha_token: token },
  })

  it('accepts a token that the provider accepts, and passes the client’s IP address on', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.7' }
    const response = await stage.strict.request(path, { json: withToken(' good '), headers })
    expect(response.status).toBe(200)
    expect(judge.received.at(-1)).toEqual({
      secret: 'captcha secret',
      response: 'good',
      remoteip: '203.0.113.7',
    })
    const client = stage.strict.client()
    const { error } = await client.auth.signInWithOtp({
      email: uniqueEmail(),
      options: { captchaToken: 'good' },
    })
    expect(error).toBeNull()
  })

  it.each<[what: string, body: object, status: number, message: string]>([
    [
      'an invalid token',
      withToken('bad'),
      400,
      'captcha protection: request disallowed (invalid-input-response, stale)',
    ],
    [
      'none',
      { email: 'a@example.com' },
      400,
      'captcha protection: request disallowed (no captcha_token found)',
    ],
    ['blanks', withToken('  '), 400, 'captcha protection: request disallowed (no captcha_token found)'],
    [
      'a token that is a number',
      withToken(1),
      400,
      'Could not parse request body as JSON: field captcha_token must be of type string',
    ],
    [
      'a token that the provider cannot verify',
      withToken('no answer'),
      500,
      'captcha verification process failed',
    ],
  ])('rejects %s', async (_, json, status, message) => {
    const response = await stage.strict.request(path, { json, headers: newForm })
    expect([response.status, await response.json()]).toEqual([status, expect.objectContaining({ message })])
  })

  it('is required for unauthenticated requests before anything else, but not with a grant that is a proof, nor with a service key', async () => {
    const codeOf = async (path: string, init: RequestInit = {}): Promise<string | null> =>
      (await stage.strict.request(path, { method: 'POST', body: '{}', ...init })).headers.get(
        'x-sb-error-code',
      )
    const paths = [
      '/signup',
      '/recover',
      '/resend',
      '/magiclink',
      '/otp',
      '/token?grant_type=password',
      '/token?grant_type=web3',
      '/token',
    ]
    for (const path of paths) expect([path, await codeOf(path)]).toEqual([path, 'captcha_failed'])
    for (const grant of ['pkce', 'refresh_token', 'id_token']) {
      expect(await codeOf(`/token?grant_type=${grant}`)).not.toBe('captcha_failed')
    }
    expect(await codeOf('/verify')).toBe('validation_failed')
    const key = stage.strict.serviceRoleKey
    expect(await codeOf('/recover', { headers: { apikey: key, authorization: `Bearer ${key}` } })).toBe(
      'validation_failed',
    )
  })
})

const password = 'long enough'

async function signUp(): Promise<{ access_token: string; user: { id: string } }> {
  const response = await auth.request('/signup', { json: { email: uniqueEmail(), password } })
  return (await response.json()) as { access_token: string; user: { id: string } }
}

describe('an error', () => {
  it('has the older format unless the newer is requested', async () => {
    const json = { email: 'nobody@example.com', password: 'wrong' }
    const older = await auth.request('/token?grant_type=password', { json })
    expect(older.status).toBe(400)
    expect(await older.json()).toEqual({
      code: 400,
      error_code: 'invalid_credentials',
      msg: 'Invalid login credentials',
    })
    expect(older.headers.get('x-sb-error-code')).toBe('invalid_credentials')
    expect(older.headers.get('x-supabase-api-version')).toBeNull()
    const newer = await auth.request('/token?grant_type=password', {
      json,
      headers: { 'x-supabase-api-version': '2024-01-01' },
    })
    expect(newer.headers.get('x-supabase-api-version')).toBe('2024-01-01')
    expect(newer.headers.get('x-sb-error-code')).toBe('invalid_credentials')
    expect(await newer.json()).toEqual({ code: 'invalid_credentials', message: 'Invalid login credentials' })
    const strange = await auth.request('/token?grant_type=password', {
      json,
      headers: { 'x-supabase-api-version': 'tomorrow' },
    })
    expect(await strange.json()).toMatchObject({ code: 400, error_code: 'invalid_credentials' })
  })

  it('lists in both formats why a password is weak', async () => {
    const json = { email: uniqueEmail(), password: 'x' }
    const older = await auth.request('/signup', { json })
    expect(await older.json()).toMatchObject({
      code: 422,
      error_code: 'weak_password',
      weak_password: { reasons: ['length'] },
    })
    const newer = await auth.request('/signup', { json, headers: { 'x-supabase-api-version': '2024-01-01' } })
    expect(await newer.json()).toMatchObject({
      code: 'weak_password',
      weak_password: { reasons: ['length'] },
    })
  })

  it.each([
    ['not JSON', '{"email":', 400, 'bad_json'],
    ['nothing', '', 400, 'bad_json'],
    ['an array', '[]', 400, 'bad_json'],
    ['a number as an address', '{"email":1,"password":"x"}', 400, 'bad_json'],
    ['an array as metadata', '{"email":"a@b.c","password":"xxxxxx","data":[]}', 400, 'bad_json'],
    [
      'a zero character',
      '{"email":"zero@b.example","password":"xxxxxx","data":{"a":"\\u0000"}}',
      400,
      'validation_failed',
    ],
  ])('is returned for a body that is %s', async (_, body, status, code) => {
    const response = await auth.request('/signup', { method: 'POST', body })
    expect([response.status, response.headers.get('x-sb-error-code')]).toEqual([status, code])
  })

  it('is returned for a body that is too large', async () => {
    const response = await auth.request('/signup', {
      json: { email: uniqueEmail(), password, data: { a: 'x'.repeat(2 ** 16) } },
    })
    expect([response.status, response.headers.get('x-sb-error-code')]).toEqual([
      413,
      'request_entity_too_large',
    ])
  })

  it('is returned for an unknown path', async () => {
    const response = await auth.request('/nowhere')
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({ code: 404, error_code: 'not_found' })
  })
})

describe('a bearer', () => {
  const refusal = async (bearer: string | null): Promise<[number, string | null]> => {
    const response = await fetch(`${auth.url}/auth/v1/user`, {
      headers: { apikey: auth.anonKey, ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }) },
    })
    return [response.status, response.headers.get('x-sb-error-code')]
  }

  it('is required', async () => {
    expect(await refusal(null)).toEqual([401, 'no_authorization'])
    expect(await refusal(auth.anonKey)).toEqual([403, 'bad_jwt'])
  })

  it('must be unaltered, unexpired, and signed by this server with the key’s own algorithm', async () => {
    const { access_token: good, user } = await signUp()
    const { keys } = auth
    const now = Math.floor(Date.now() / 1000)
    const claims = { sub: user.id, role: 'authenticated', aud: 'authenticated' }
    expect((await refusal(good))[0]).toBe(200)
    expect((await refusal(signHs256(keys.jwtSecret, { ...claims, exp: now + 60 })))[0]).toBe(200)
    const [head, body, signature] = good.split('.') as [string, string, string]
    const raised = Buffer.from(
      JSON.stringify({
        ...(JSON.parse(Buffer.from(body, 'base64url').toString()) as object),
        role: 'service_role',
      }),
    ).toString('base64url')
    const none = Buffer.from('{"alg":"none"}').toString('base64url')
    const confused = Buffer.from(JSON.stringify({ alg: 'HS256', kid: keys.signingKey.kid })).toString(
      'base64url',
    )
    const byPublicKey = createHmac('sha256', JSON.stringify(keys.signingKey.x))
      .update(`${confused}.${body}`)
      .digest('base64url')
    const otherKeys = await loadKeys(await createKeys())
    const forged = [
      `${head}.${raised}.${signature}`,
      `${none}.${body}.`,
      `${confused}.${body}.${byPublicKey}`,
      signToken(otherKeys, { ...claims, exp: now + 60 }),
      signHs256('another secret', { ...claims, exp: now + 60 }),
      signHs256(keys.jwtSecret, { ...claims, exp: now - 1 }),
      signHs256(keys.jwtSecret, { ...claims, exp: now + 60, nbf: now + 30 }),
      signHs256(keys.jwtSecret, { ...claims, exp: 'never' }),
      signHs256(keys.jwtSecret, { role: 'authenticated', exp: now + 60 }),
      'a.b.c',
      'x'.repeat(9000),
    ]
    for (const token of forged) expect(await refusal(token)).toEqual([403, 'bad_jwt'])
    expect(await refusal(signHs256(keys.jwtSecret, { ...claims, sub: 'me', exp: now + 60 }))).toEqual([
      400,
      'bad_jwt',
    ])
  })

  it('is invalid after its session, or with another user’s', async () => {
    const [ann, bea] = [await signUp(), await signUp()]
    const sessionOf = (token: string): string =>
      (JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as { session_id: string })
        .session_id
    const mixed = signHs256(auth.keys.jwtSecret, {
      sub: ann.user.id,
      session_id: sessionOf(bea.access_token),
      role: 'authenticated',
      exp: Math.floor(Date.now() / 1000) + 60,
    })
    expect(await refusal(mixed)).toEqual([403, 'session_not_found'])
    expect((await auth.request('/logout', { method: 'POST', bearer: ann.access_token })).status).toBe(204)
    expect(await refusal(ann.access_token)).toEqual([403, 'session_not_found'])
  })
})

describe('the admin API', () => {
  it('requires a service key', async () => {
    const { access_token: bearer } = await signUp()
    const paths = ['/admin/users', '/admin/users/00000000-0000-0000-0000-000000000001', '/admin/audit']
    for (const path of paths) {
      const anonymous = await auth.request(path)
      expect([anonymous.status, anonymous.headers.get('x-sb-error-code')]).toEqual([403, 'not_admin'])
      const member = await auth.request(path, { bearer })
      expect([member.status, member.headers.get('x-sb-error-code')]).toEqual([403, 'not_admin'])
      const bare = await fetch(`${auth.url}/auth/v1${path}`, { headers: { apikey: auth.anonKey } })
      expect([bare.status, bare.headers.get('x-sb-error-code')]).toEqual([401, 'no_authorization'])
    }
    for (const path of ['/invite', '/admin/generate_link', '/admin/users']) {
      const response = await auth.request(path, { json: { email: uniqueEmail(), type: 'magiclink' }, bearer })
      expect(response.status).toBe(403)
    }
    const strange = await auth.request('/admin/users', {
      bearer: issueLegacyKey('another secret', 'service_role'),
    })
    expect([strange.status, strange.headers.get('x-sb-error-code')]).toEqual([403, 'bad_jwt'])
  })
})

it('publishes only the public part of its key', async () => {
  const response = await fetch(`${auth.url}/auth/v1/.well-known/jwks.json`)
  const { keys } = (await response.json()) as { keys: Record<string, unknown>[] }
  expect(keys).toHaveLength(1)
  expect(keys[0]).toMatchObject({ kty: 'EC', crv: 'P-256', alg: 'ES256', kid: auth.keys.signingKey.kid })
  expect(keys[0]).not.toHaveProperty('d')
  expect(JSON.stringify(keys)).not.toContain(auth.keys.signingKey.d)
})

describe('limits', () => {
  it('wrong codes of other callers do not reject the right code', async () => {
    const limited = await startAuth(database, '[auth.rate_limit]\nsign_in_sign_ups = 100\n')
    try {
      const email = uniqueEmail()
      const made = await limited.asService().auth.admin.createUser({ email, email_confirm: true })
      expect(made.error).toBeNull()
      const owner = limited.client({ ip: '203.0.113.30' })
      expect((await owner.auth.signInWithOtp({ email })).error).toBeNull()
      const token = latestMailTo(limited, email).code!
      const wrong = token === '000000' ? '000001' : '000000'
      for (const ip of ['203.0.113.31', '203.0.113.32']) {
        const { auth: attacker } = limited.client({ ip })
        const codes: (string | undefined)[] = []
        for (let i = 0; i < 31; i++) {
          codes.push((await attacker.verifyOtp({ email, token: wrong, type: 'email' })).error?.code)
        }
        const refused = 'over_request_rate_limit'
        expect([ip, codes]).toEqual([ip, [...Array.from({ length: 30 }, () => 'otp_expired'), refused]])
        // Also the right code: it is not verified after too many guesses.
        const right = await attacker.verifyOtp({ email, token, type: 'email' })
        expect(right.error).toMatchObject({ status: 429, code: refused })
      }
      expect((await owner.auth.verifyOtp({ email, token, type: 'email' })).error).toBeNull()
    } finally {
      await limited.stop()
    }
  })

  it('reject the first request beyond the limit with Retry-After', async () => {
    const limited = await startAuth(database, '[auth.rate_limit]\nsign_in_sign_ups = 3\ntoken_refresh = 2\n')
    try {
      for (let i = 0; i < 3; i++) {
        expect((await limited.request('/otp', { json: { email: uniqueEmail() } })).status).toBe(200)
      }
      const refused = await limited.request('/otp', { json: { email: uniqueEmail() } })
      expect([refused.status, refused.headers.get('x-sb-error-code')]).toEqual([
        429,
        'over_request_rate_limit',
      ])
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
      // Earlier addresses in X-Forwarded-For are set by the client and have no effect.
      const claimed = (first: string): Promise<Response> =>
        limited.request('/token?grant_type=refresh_token', {
          json: { refresh_token: 'x' },
          headers: { 'x-forwarded-for': `${first}, 203.0.113.9` },
        })
      expect([(await claimed('1.1.1.1')).status, (await claimed('1.1.1.2')).status]).toEqual([400, 400])
      expect((await claimed('1.1.1.3')).status).toBe(429)
    } finally {
      await limited.stop()
    }
  })
})
