import type { Pool } from '../postgres/connections/pool.ts'

/**
 * A schema that asks for it (`public.offer_address`) is told where this home is reached, so that its own functions
 * can be called from SQL with nothing to configure.
 * @param pool of postgres: a foreign schema's function of that name must not run as a superuser
 */
export async function offerAddress(pool: Pool, address: string): Promise<void> {
  const { rows } = await pool.query<{ known: boolean }>(
    "select to_regprocedure('public.offer_address(text)') is not null as known",
  )
  if (rows[0]!.known) await pool.query('select public.offer_address($1)', [address])
}
