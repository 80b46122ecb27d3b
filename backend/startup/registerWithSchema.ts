import type { Pool } from '../postgres/connections/pool.ts'

/**
 * Passes the URL of this server to the schema, if it has a function `public.register_server_url`, so that SQL can call edge
 * functions without configuration.
 * @param pool connects as postgres: a function of another project's schema must not run as a superuser
 */
export async function registerServerUrl(pool: Pool, address: string): Promise<void> {
  const { rows } = await pool.query<{ known: boolean }>(
    "select to_regprocedure('public.register_server_url(text)') is not null as known",
  )
  if (rows[0]!.known) await pool.query('select public.register_server_url($1)', [address])
}

/**
 * Passes the setup token to the schema, if it has a function `public.register_setup_token`: whoever presents the token becomes
 * the first owner. Returns whether the workspace is still to be set up.
 * @param pool connects as postgres: a function of another project's schema must not run as a superuser
 */
export async function registerSetupToken(pool: Pool, token: string): Promise<boolean> {
  const { rows } = await pool.query<{ known: boolean }>(
    "select to_regprocedure('public.register_setup_token(text)') is not null as known",
  )
  if (!rows[0]!.known) return false
  const offered = await pool.query<{ response: { founded?: boolean } }>(
    'select public.register_setup_token($1) as response',
    [token],
  )
  return offered.rows[0]!.response.founded !== true
}
