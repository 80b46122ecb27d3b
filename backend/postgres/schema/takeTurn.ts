import { Client, type ClientConfig } from 'pg'

/** Any number that nobody else's advisory locks have. */
const lock = 4_280_006

/**
 * Waits until no other process migrates this database, such as `migration up` beside `start --dev`; answers what
 * ends the turn. A connection of its own holds it, since each file's session is discarded whole.
 */
export async function takeTurn(config: ClientConfig): Promise<() => Promise<void>> {
  const client = new Client({ ...config, application_name: 'migrate: turn' })
  client.on('error', () => {})
  await client.connect()
  await client.query(`set statement_timeout to 0; select pg_advisory_lock(${lock})`)
  return () => client.end()
}
