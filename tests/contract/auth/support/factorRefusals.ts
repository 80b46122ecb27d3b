import { nobody } from './person.ts'

/** A request and how it is refused. */
export interface Refusal {
  title: string
  /** Of one's own app, which counts; `:id` is it. */
  path?: string
  method?: string
  json?: unknown
  status: number
  code: string
}
/** Of someone whose app counts and is called "App". */
export const factorRefusals: Refusal[] = [
  { title: 'an unknown kind', json: { factor_type: 'palm' }, status: 400, code: 'validation_failed' },
  { title: 'no kind', json: {}, status: 400, code: 'validation_failed' },
  {
    title: 'a kind by inheritance',
    json: { factor_type: 'toString' },
    status: 400,
    code: 'validation_failed',
  },
  {
    title: 'a name twice',
    json: { factor_type: 'webauthn', friendly_name: 'App' },
    status: 422,
    code: 'mfa_factor_name_conflict',
  },
  {
    title: 'a name that no index holds',
    json: { factor_type: 'totp', friendly_name: 'x'.repeat(3000) },
    status: 400,
    code: 'validation_failed',
  },
  {
    title: 'a name that can’t be stored',
    json: { factor_type: 'totp', friendly_name: '\u0000' },
    status: 400,
    code: 'validation_failed',
  },
  {
    title: 'an issuer that no picture holds',
    json: { factor_type: 'totp', issuer: 'x'.repeat(3000), friendly_name: 'B' },
    status: 400,
    code: 'validation_failed',
  },
  { title: 'no number', json: { factor_type: 'phone' }, status: 400, code: 'validation_failed' },
  {
    title: 'a number that is none',
    json: { factor_type: 'phone', phone: '+0 12' },
    status: 400,
    code: 'validation_failed',
  },
  { title: 'no id', path: '/factors/7/challenge', json: {}, status: 404, code: 'validation_failed' },
  {
    title: 'a factor that isn’t there',
    path: `/factors/${nobody}/challenge`,
    json: {},
    status: 404,
    code: 'mfa_factor_not_found',
  },
  {
    title: 'no code',
    path: '/factors/:id/verify',
    json: { challenge_id: nobody },
    status: 400,
    code: 'validation_failed',
  },
  {
    title: 'a challenge that is no id',
    path: '/factors/:id/verify',
    json: { challenge_id: '7', code: '1' },
    status: 400,
    code: 'bad_json',
  },
  {
    title: 'a challenge that isn’t there',
    path: '/factors/:id/verify',
    json: { challenge_id: nobody, code: '123456' },
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
  { title: 'nonsense', path: '/factors/:id/verify', json: [], status: 400, code: 'bad_json' },
  // Recovery codes, which hosted does not serve either.
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
