import type { Faults } from '../../../support/oidc/startProvider.ts'

const exchange = /^Unable to exchange external code: [0-9a-f]{4}$/
const profile = 'Error getting user profile from external provider'
const email = 'Error getting user email from external provider'
/** Faults of providers, with the error: it names only the step. */
export const faultyProviders: [what: string, name: string, faults: Faults, message: string | RegExp][] = [
  ['responds with 500 to the code', 'google', { token: 'down' }, exchange],
  ['responds with HTML', 'google', { token: 'html' }, exchange],
  ['responds endlessly', 'google', { token: 'huge' }, exchange],
  ['never responds', 'google', { token: 'slow' }, exchange],
  ['closes the connection halfway', 'google', { token: 'cut' }, exchange],
  ['returns an error with 200', 'google', { token: 'refusedWith200' }, exchange],
  ['signs with nothing', 'google', { sign: 'none' }, profile],
  ['signs with the published key as a secret', 'google', { sign: 'publicKeyAsSecret' }, profile],
  ['publishes a shared secret', 'google', { sign: 'publicKeyAsSecret', keys: 'secret' }, profile],
  ['signs with another key', 'google', { sign: 'strangersKey' }, profile],
  ['has another audience', 'google', { claims: { aud: 'other' } }, profile],
  ['names another issuer', 'google', { claims: { iss: 'https://evil.example' } }, profile],
  ['returns an expired token', 'google', { claims: { exp: 1_600_000_000 } }, profile],
  ['returns a token without exp', 'google', { claims: { exp: undefined } }, profile],
  ['returns a token that is not valid yet', 'google', { claims: { nbf: 4_000_000_000 } }, profile],
  ['signs for another access token', 'google', { claims: { at_hash: 'AAAAAAAAAAAAAAAAAAAAAA' } }, profile],
  ['returns no sub', 'google', { claims: { sub: undefined } }, profile],
  ['returns a number as sub', 'google', { claims: { sub: 5 } }, profile],
  ['returns no address', 'google', { claims: { email: undefined } }, email],
  ['returns no ID token', 'apple', { sign: 'withoutToken' }, profile],
  ["names an attacker's issuer", 'azure', { claims: { iss: 'https://evil.example/v2.0' } }, profile],
  [
    'names a path as tenant',
    'azure',
    { claims: { iss: 'https://login.microsoftonline.com/a/b/v2.0' } },
    profile,
  ],
  ['has an API that is down', 'github', { api: 'down' }, profile],
  ['has an API that responds with HTML', 'github', { api: 'html' }, profile],
  ['has an API that responds endlessly', 'github', { api: 'huge' }, profile],
  ['has an API that closes the connection', 'github', { api: 'cut' }, profile],
  ['has an API that responds with nothing', 'github', { api: 'empty' }, profile],
]
