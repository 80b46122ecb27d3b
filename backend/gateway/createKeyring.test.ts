import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { createKeyring } from './createKeyring.ts'

const legacy = (role: string): string =>
  `h.${Buffer.from(JSON.stringify({ iss: 'supabase', role })).toString('base64url')}.s`

const keys = {
  anonKey: legacy('anon'),
  serviceRoleKey: legacy('service_role'),
  publishableKey: 'sb_publishable_a',
  secretKey: 'sb_secret_a',
}
const keyring = createKeyring(keys)

const admit = (headers: IncomingHttpHeaders, url = '/rest/v1/x', keyless = false): unknown =>
  keyring.authenticate({ headers, url } as IncomingMessage, { keyless })

const access = (role: string, bearer: string | null = null): unknown =>
  expect.objectContaining({ apiCaller: expect.objectContaining({ role }), bearer })

const refused = (message: string): unknown =>
  expect.objectContaining({ status: 401, body: expect.objectContaining({ message }) })

test('each key stands for its role, in the header or in the query', () => {
  expect(admit({ apikey: keys.anonKey })).toEqual(access('anon'))
  expect(admit({ apikey: keys.publishableKey })).toEqual(access('anon'))
  expect(admit({ apikey: keys.serviceRoleKey })).toEqual(access('service_role'))
  expect(admit({ apikey: keys.secretKey })).toEqual(access('service_role'))
  expect(admit({}, `/x?a=b&apikey=${keys.publishableKey}`)).toEqual(access('anon'))
  expect(admit({ apikey: keys.anonKey })).toMatchObject({
    apiCaller: { claims: { iss: 'supabase', role: 'anon' }, claimsJson: '{"iss":"supabase","role":"anon"}' },
  })
})

test('a missing key and a wrong key have different errors', () => {
  expect(admit({})).toEqual(refused('No API key found in request'))
  expect(admit({}, '/x?noapikey=1&apikeyx=2')).toEqual(refused('No API key found in request'))
  expect(admit({ apikey: 'sb_secret_' })).toEqual(refused('Invalid API key'))
  expect(admit({ apikey: `${keys.anonKey}x` })).toEqual(refused('Invalid API key'))
  expect(admit({ apikey: `${keys.anonKey}, ${keys.anonKey}` })).toEqual(refused('Invalid API key'))
  expect(admit({ apikey: 'wrong' }, `/x?apikey=${keys.secretKey}`)).toEqual(refused('Invalid API key'))
  expect(admit({ apikey: '__proto__' })).toEqual(refused('Invalid API key'))
})

test('keyless requests have the role anon, and a wrong key is still refused', () => {
  expect(admit({}, '/x', true)).toEqual(access('anon'))
  expect(admit({ apikey: 'wrong' }, '/x', true)).toEqual(refused('Invalid API key'))
})

test('the bearer token is passed on unless it is a key', () => {
  const apikey = keys.publishableKey
  expect(admit({ apikey, authorization: 'Bearer a.b.c' })).toEqual(access('anon', 'a.b.c'))
  expect(admit({ apikey, authorization: 'bearer a.b.c' })).toEqual(access('anon', 'a.b.c'))
  expect(admit({ apikey, authorization: `Bearer ${apikey}` })).toEqual(access('anon'))
  expect(admit({ apikey, authorization: `Bearer ${keys.secretKey}` })).toEqual(access('anon'))
  expect(admit({ apikey: keys.anonKey, authorization: `Bearer ${keys.anonKey}` })).toEqual(access('anon'))
  // A token with fewer permissions than the key is used, and verified.
  expect(admit({ apikey: keys.serviceRoleKey, authorization: `Bearer ${keys.anonKey}` })).toEqual(
    access('service_role', keys.anonKey),
  )
  for (const authorization of ['Basic YTpi', 'Bearera.b.c', 'a.b.c', 'sb_secret_a']) {
    expect(admit({ apikey, authorization })).toEqual(access('anon'))
  }
  for (const authorization of ['Bearer', 'bearer ']) {
    expect(admit({ apikey, authorization })).toEqual(access('anon', ''))
  }
})

test('a secret key is refused from a browser and accepted from a server', () => {
  const apikey = keys.secretKey
  const browser = refused('Forbidden use of secret API key in browser')
  expect(admit({ apikey, 'user-agent': 'Mozilla/5.0 (X11)' })).toEqual(browser)
  expect(admit({ apikey, origin: 'https://a.example' })).toEqual(browser)
  expect(admit({ apikey, 'sec-fetch-site': 'cross-site' })).toEqual(browser)
  expect(admit({ apikey, 'user-agent': 'node', 'sec-fetch-mode': 'cors' })).toEqual(access('service_role'))
  expect(admit({ apikey: keys.publishableKey, origin: 'https://a.example' })).toEqual(access('anon'))
})
