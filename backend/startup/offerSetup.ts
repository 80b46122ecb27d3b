import type { Pool } from '../postgres/connections/pool.ts'

/**
 * The set-up token is offered to a schema that asks for one (`public.offer_setup`): whoever shows it becomes
 * the first owner. Answers whether somebody may still do so.
 * @param pool of postgres: a foreign schema's function of that name must not run as a superuser
 */
export async function offerSetup(pool: Pool, token: string): Promise<boolean> {
  const { rows } = await pool.query<{ known: boolean }>(
    "select to_regprocedure('public.offer_setup(text)') is not null as known",
  )
  if (!rows[0]!.known) return false
  const offered = await pool.query<{ answer: { founded?: boolean } }>(
    'select public.offer_setup($1) as answer',
    [token],
  )
  return offered.rows[0]!.answer.founded !== true
}
