import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { StartError } from '../postgres/server/StartError.ts'
import type { Passwords } from '../postgres/server/passwords.ts'

/**
 * Connects to the database of a running server as supabase_admin. Throws StartError.
 * @param dbUrl of the role postgres
 */
export async function connectAsSuperuser(dataDir: string, dbUrl: string): Promise<Client> {
  const url = new URL(dbUrl.replace('@/', '@localhost/'))
  const host = url.searchParams.get('host') ?? url.hostname
  const port = Number(url.searchParams.get('port') ?? url.port)
  try {
    const { supabase_admin: password } = JSON.parse(
      readFileSync(join(dataDir, 'postgres-passwords.json'), 'utf8'),
    ) as Passwords
    const client = new Client({
      host,
      port,
      password,
      user: 'supabase_admin',
      database: 'postgres',
      application_name: 'linnet upgrade',
      options: '-c event_triggers=off -c statement_timeout=0',
    })
    client.on('error', () => {})
    await client.connect()
    return client
  } catch (error) {
    throw new StartError(`The database can't be reached: ${(error as Error).message}`, { cause: error })
  }
}
