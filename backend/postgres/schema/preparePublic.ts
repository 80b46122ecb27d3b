import type { Client } from 'pg'
import type { Config } from '../../config/loadConfig.ts'

/**
 * `[api] auto_expose_new_tables = true`: what migrations make in `public` is open to the API roles unless they
 * say otherwise, as it was on every hosted project until 2026. Without it, each migration grants by name, as
 * hosted projects have it since; nothing that was granted is taken back.
 * @param client of postgres
 */
export async function preparePublic(client: Client, config: Config): Promise<void> {
  if (!config.at('api.auto_expose_new_tables', false)) return
  const roles = 'anon, authenticated, service_role'
  const grant = 'alter default privileges for role postgres in schema public grant all on'
  await client.query(
    ['tables', 'sequences', 'functions'].map((kind) => `${grant} ${kind} to ${roles}`).join(';'),
  )
}
