import { createHash } from 'node:crypto'

/** The application's nonce, and the hash that the provider signs. */
export const nonce = 'a nonce of the application'
export const hashedNonce = createHash('sha256').update(nonce).digest('hex')

/** Invalid requests with ID tokens, and their errors. */
export const invalidIdTokens: [
  what: string,
  body: Record<string, unknown>,
  claims: Record<string, unknown>,
  error: object,
][] = [
  ['no token', { id_token: '' }, {}, { error: 'invalid request', error_description: 'id_token required' }],
  [
    'no provider',
    { provider: '' },
    {},
    { error: 'invalid request', error_description: 'provider or client_id and issuer required' },
  ],
  [
    'another nonce',
    { nonce: 'another' },
    { nonce: hashedNonce },
    { error: 'invalid nonce', error_description: 'Nonces mismatch' },
  ],
  [
    'a nonce that is not hashed',
    { nonce },
    { nonce },
    { error: 'invalid nonce', error_description: 'Nonces mismatch' },
  ],
  [
    'a nonce in the token only',
    {},
    { nonce: hashedNonce },
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
    'no subject',
    {},
    { sub: '' },
    { error: 'invalid request', error_description: 'Missing sub claim in id_token' },
  ],
  [
    'an expired token',
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
    `"an attacker's issuer for Apple`,
    { provider: 'apple' },
    { iss: 'https://evil.example' },
    {
      error_code: 'validation_failed',
      msg: 'Detected ID token issuer is not an Apple ID token issuer',
    },
  ],
  [
    `"an attacker's issuer for Azure`,
    { provider: 'azure' },
    { iss: 'https://login.microsoftonline.com.evil.example/t/v2.0' },
    { error_code: 'validation_failed', msg: 'Detected ID token issuer is not an Azure ID token issuer' },
  ],
  [
    'a tenant that changes the host',
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
    'an invalid token for Apple',
    { provider: 'apple', id_token: 'x' },
    {},
    { error_code: 'validation_failed', msg: 'Unable to detect issuer in ID token for Apple provider' },
  ],
  [
    'an issuer in the request',
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
