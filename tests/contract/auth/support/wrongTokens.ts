import { createHash } from 'node:crypto'

/** What an application keeps, and what it gives the provider to sign. */
export const nonce = 'a nonce of the application'
export const hashed = createHash('sha256').update(nonce).digest('hex')

/** What applications bring that is refused, and how. */
export const wrongTokens: [
  what: string,
  body: Record<string, unknown>,
  claims: Record<string, unknown>,
  error: object,
][] = [
  ['no token', { id_token: '' }, {}, { error: 'invalid request', error_description: 'id_token required' }],
  [
    'nobody named',
    { provider: '' },
    {},
    { error: 'invalid request', error_description: 'provider or client_id and issuer required' },
  ],
  [
    'another nonce',
    { nonce: 'another' },
    { nonce: hashed },
    { error: 'invalid nonce', error_description: 'Nonces mismatch' },
  ],
  [
    'a nonce that is not hashed',
    { nonce },
    { nonce },
    { error: 'invalid nonce', error_description: 'Nonces mismatch' },
  ],
  [
    'a nonce on one side',
    {},
    { nonce: hashed },
    {
      error: 'invalid request',
      error_description: 'Passed nonce and nonce in id_token should either both exist or not.',
    },
  ],
  [
    'another application',
    {},
    { aud: ['other', 'others'] },
    { error: 'invalid request', error_description: 'Unacceptable audience in id_token: [other others]' },
  ],
  [
    'nobody described',
    {},
    { sub: '' },
    { error: 'invalid request', error_description: 'Missing sub claim in id_token' },
  ],
  [
    'an expired one',
    {},
    { exp: 1_600_000_000 },
    { error: 'invalid request', error_description: 'Bad ID token' },
  ],
  ['another issuer', {}, { iss: 'https://evil.example' }, { error_description: 'Bad ID token' }],
  [
    'another access token',
    { access_token: 'other' },
    { at_hash: 'AAAA' },
    { error_description: 'Bad ID token' },
  ],
  ['no JWT', { id_token: 'x.y.z' }, {}, { error_description: 'Bad ID token' }],
  [
    "a stranger's issuer for Apple (CVE-2026-31813)",
    { provider: 'apple' },
    { iss: 'https://evil.example' },
    {
      error_code: 'validation_failed',
      msg: 'Detected ID token issuer is not an Apple ID token issuer',
    },
  ],
  [
    "a stranger's issuer for Azure (CVE-2026-31813)",
    { provider: 'azure' },
    { iss: 'https://login.microsoftonline.com.evil.example/t/v2.0' },
    { error_code: 'validation_failed', msg: 'Detected ID token issuer is not an Azure ID token issuer' },
  ],
  [
    'a tenant that leads elsewhere',
    { provider: 'azure' },
    { iss: 'https://login.microsoftonline.com/@evil.example/v2.0' },
    { error_code: 'validation_failed' },
  ],
  [
    'an issuer that is not the one named',
    { provider: 'apple', issuer: 'https://account.apple.com' },
    { iss: 'https://appleid.apple.com' },
    { error_code: 'validation_failed', msg: 'Provided issuer does not match ID token issuer' },
  ],
  [
    'what is no token for Apple',
    { provider: 'apple', id_token: 'x' },
    {},
    { error_code: 'validation_failed', msg: 'Unable to detect issuer in ID token for Apple provider' },
  ],
  [
    'an issuer of the request',
    { provider: '', issuer: 'https://evil.example', client_id: 'app' },
    {},
    { error_code: 'validation_failed', msg: 'Custom OIDC provider "" not allowed' },
  ],
  [
    'an unknown custom provider',
    { provider: 'custom:nobody' },
    {},
    { error_code: 'validation_failed', msg: 'Custom provider "custom:nobody" not found' },
  ],
]
