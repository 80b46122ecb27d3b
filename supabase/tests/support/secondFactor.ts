import type { Fixture, Name, TestTransaction } from './fixture.ts'

/** Continues the transaction as this person, whose session has verified the second factor (`aal2`) or not. */
export async function becomeWithLevel(
  fixture: Fixture,
  s: TestTransaction,
  who: Name | 'postgres',
  aal: 'aal1' | 'aal2' = 'aal1',
): Promise<void> {
  await s.rows('reset role')
  if (who === 'postgres') return
  const account = fixture.account[who]
  await s.rows('update auth.sessions set aal = $2 where id = $1', [account, aal])
  await s.rows(
    `select set_config('request.jwt.claims', $1, true), set_config('role', 'authenticated', true)`,
    [JSON.stringify({ role: 'authenticated', sub: account, session_id: account, aal })],
  )
}

/** Adds a verified factor to the account of a person. The transaction continues as `postgres`. */
export async function addVerifiedFactor(fixture: Fixture, s: TestTransaction, who: Name): Promise<void> {
  await becomeWithLevel(fixture, s, 'postgres')
  await s.rows(
    `insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at)
     values (gen_random_uuid(), $1, 'totp', 'verified', now(), now())`,
    [fixture.account[who]],
  )
}
