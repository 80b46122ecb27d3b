import { unknownId } from './testUser.ts'

/** An invalid request and its error. */
export interface InvalidRequest {
  title: string
  /** The path; `:id` is the user's own verified app. */
  path?: string
  method?: string
  json?: unknown
  status: number
  code: string
}
/** Requests of a user with a verified app named "App". */
export const invalidFactorRequests: InvalidRequest[] = [
  { title: 'an unknown type', json: { factor_type: 'palm' }, status: 400, code: 'validation_failed' },
  { title: 'no type', json: {}, status: 400, code: 'validation_failed' },
  {
    title: 'an inherited property as type',
    json: { factor_type: 'toString' },
    status: 400,
    code: 'validation_failed',
  },
  {
    title: 'a duplicate name',
    json: { factor_type: 'webauthn', friendly_name: 'App' },
    status: 422,
    code: 'mfa_factor_name_conflict',
  },
  {
    title: 'a name that is too long',
    json: { factor_type: 'totp', friendly_name: 'x'.repeat(3000) },
    status: 400,
    code: 'validation_failed',
  },
  {
    title: 'a name with U+0000',
    json: { factor_type: 'totp', friendly_name: '\u0000' },
    status: 400,
    code: 'validation_failed',
  },
  {
    title: 'an issuer that is too long for a QR code',
    json: { factor_type: 'totp', issuer: 'x'.repeat(3000), friendly_name: 'B' },
    status: 400,
    code: 'validation_failed',
  },
  { title: 'no number', json: { factor_type: 'phone' }, status: 400, code: 'validation_failed' },
  {
    title: 'an invalid number',
    json: { factor_type: 'phone', phone: '+0 12' },
    status: 400,
    code: 'validation_failed',
  },
  { title: 'no id', path: '/factors/7/challenge', json: {}, status: 404, code: 'validation_failed' },
  {
    title: 'an unknown factor',
    path: `/factors/${unknownId}/challenge`,
    json: {},
    status: 404,
    code: 'mfa_factor_not_found',
  },
  {
    title: 'no code',
    path: '/factors/:id/verify',
    json: { challenge_id: unknownId },
    status: 400,
    code: 'validation_failed',
  },
  {
    title: 'an invalid challenge id',
    path: '/factors/:id/verify',
    json: { challenge_id: '7', code: '1' },
    status: 400,
    code: 'bad_json',
  },
  {
    title: 'an unknown challenge',
    path: '/factors/:id/verify',
    json: { challenge_id: unknownId, code: '123456' },
    status: 422,
    code: 'mfa_factor_not_found',
  },
  {
    title: 'no challenge',
    path: '/factors/:id/verify',
    json: { code: '123456' },
    status: 422,
    code: 'mfa_factor_not_found',
  },
  { title: 'an array as body', path: '/factors/:id/verify', json: [], status: 400, code: 'bad_json' },
  // Recovery codes, which hosted Supabase does not serve either.
  {
    title: 'recovery codes',
    path: '/factors/recovery-codes',
    method: 'GET',
    status: 404,
    code: 'validation_failed',
  },
  {
    title: 'a recovery code',
    path: '/factors/recovery-codes/verify',
    json: { code: 'x' },
    status: 404,
    code: 'validation_failed',
  },
]
