import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { someone, startAuth, startDatabase, type AuthDatabase, type AuthServer } from './support/startAuth.ts'

let database: AuthDatabase
let auth: AuthServer
let bearer: string
beforeAll(async () => {
  database = await startDatabase()
  auth = await startAuth(database, '[auth]\nenable_anonymous_sign_ins = true\n')
  const response = await auth.request('/signup', { json: { email: someone(), password: 'long enough' } })
  bearer = ((await response.json()) as { access_token: string }).access_token
})
afterAll(async () => {
  await auth.stop()
  await database.stop()
})

const paths = [
  ['POST', '/signup'],
  ['POST', '/otp'],
  ['POST', '/magiclink'],
  ['POST', '/recover'],
  ['POST', '/resend'],
  ['POST', '/verify'],
  ['GET', '/verify'],
  ['POST', '/token?grant_type=password'],
  ['POST', '/token?grant_type=refresh_token'],
  ['POST', '/token?grant_type=pkce'],
  ['POST', '/token?grant_type=id_token'],
  ['PUT', '/user'],
  ['POST', '/admin/users'],
  ['GET', '/admin/users'],
  ['POST', '/admin/generate_link'],
  ['POST', '/invite'],
  ['POST', '/factors'],
  ['DELETE', '/admin/users/x'],
] as const

const odd = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    '',
    'a@b.example',
    'signup',
    'email',
    'magiclink',
    'recovery',
    's256',
    '\u0000',
    'x'.repeat(50),
    '../..',
    '%00',
  ),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  fc.array(fc.integer(), { maxLength: 3 }),
  fc.dictionary(fc.string({ maxLength: 5 }), fc.string({ unit: 'binary', maxLength: 5 }), { maxKeys: 3 }),
)
const names = [
  'email',
  'phone',
  'password',
  'data',
  'type',
  'token',
  'token_hash',
  'refresh_token',
  'auth_code',
  'code_verifier',
  'code_challenge',
  'code_challenge_method',
  'create_user',
  'redirect_to',
  'id',
  'role',
  'ban_duration',
  'user_metadata',
  'app_metadata',
  'nonce',
  'factor_type',
  'channel',
  '__proto__',
]
const body = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .dictionary(fc.constantFrom(...names), odd, { maxKeys: 5 })
      .map((value) => JSON.stringify(value)),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
  { weight: 1, arbitrary: fc.json({ maxDepth: 3 }) },
)

it('answers nothing with a failure of its own, whatever is asked', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...paths),
      body,
      fc.dictionary(
        fc.constantFrom('type', 'token', 'redirect_to', 'page', 'per_page', 'filter', 'sort'),
        fc.string({ unit: 'binary', maxLength: 20 }),
      ),
      fc.constantFrom('anon', 'member', 'service'),
      async ([method, path], content, query, who) => {
        const key = who === 'service' ? auth.serviceRoleKey : auth.anonKey
        const search = new URLSearchParams(query).toString()
        const response = await fetch(`${auth.url}/auth/v1${path}${path.includes('?') ? '&' : '?'}${search}`, {
          method,
          redirect: 'manual',
          headers: { apikey: key, authorization: `Bearer ${who === 'member' ? bearer : key}` },
          ...(method === 'GET' ? {} : { body: content }),
        })
        await response.arrayBuffer()
        expect(response.status, `${method} ${path} ${content}: ${auth.logged.at(-1) ?? ''}`).toBeLessThan(500)
      },
    ),
    { numRuns: 600, endOnFailure: false },
  )
})
