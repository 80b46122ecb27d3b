import type { Faults } from '../../../support/oidc/startProvider.ts'

const exchange = /^Unable to exchange external code: [0-9a-f]{4}$/
const profile = 'Error getting user profile from external provider'
const email = 'Error getting user email from external provider'
/** What providers do wrong, and what people are told of it: no more than at which step. */
export const wrongProviders: [what: string, name: string, faults: Faults, message: string | RegExp][] = [
  ['answers 500 to the code', 'google', { token: 'down' }, exchange],
  ['answers with a page', 'google', { token: 'html' }, exchange],
  ['answers without end', 'google', { token: 'huge' }, exchange],
  ['never answers', 'google', { token: 'slow' }, exchange],
  ['hangs up halfway', 'google', { token: 'cut' }, exchange],
  ['refuses with 200', 'google', { token: 'refusedWith200' }, exchange],
  ['signs with nothing', 'google', { sign: 'none' }, profile],
  ['signs with the published key as a secret', 'google', { sign: 'publicKeyAsSecret' }, profile],
  ['publishes a shared secret', 'google', { sign: 'publicKeyAsSecret', keys: 'secret' }, profile],
  ["signs with a stranger's key", 'google', { sign: 'strangersKey' }, profile],
  ['means another application', 'google', { claims: { aud: 'other' } }, profile],
  ['names another issuer', 'google', { claims: { iss: 'https://evil.example' } }, profile],
  ['gives what has expired', 'google', { claims: { exp: 1_600_000_000 } }, profile],
  ['gives what never expires', 'google', { claims: { exp: undefined } }, profile],
  ['gives what is not valid yet', 'google', { claims: { nbf: 4_000_000_000 } }, profile],
  ['signs for another access token', 'google', { claims: { at_hash: 'AAAAAAAAAAAAAAAAAAAAAA' } }, profile],
  ['does not say who it is', 'google', { claims: { sub: undefined } }, profile],
  ['says that with a number', 'google', { claims: { sub: 5 } }, profile],
  ['tells no address', 'google', { claims: { email: undefined } }, email],
  ['gives no token that says who it is', 'apple', { sign: 'withoutToken' }, profile],
  ["lets a stranger's issuer vouch", 'azure', { claims: { iss: 'https://evil.example/v2.0' } }, profile],
  [
    'lets a path be a tenant',
    'azure',
    { claims: { iss: 'https://login.microsoftonline.com/a/b/v2.0' } },
    profile,
  ],
  ['has an API that is down', 'github', { api: 'down' }, profile],
  ['has an API that answers with a page', 'github', { api: 'html' }, profile],
  ['has an API without end', 'github', { api: 'huge' }, profile],
  ['has an API that hangs up', 'github', { api: 'cut' }, profile],
  ['has an API that says nothing', 'github', { api: 'empty' }, profile],
]
