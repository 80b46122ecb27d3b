import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { startBackend, type Backend } from './backend.ts'

/**
 * Starts a backend with Linnet's schema that may send requests to servers on loopback: `[pg_net] allowed` in config.toml.
 * `allowEntering` permits people to enter such addresses, which is the setting `outgoing_webhook_urls`.
 */
export async function startBackendForLoopback(): Promise<Backend & { allowEntering(): Promise<void> }> {
  const dir = mkdtempSync(join(tmpdir(), 'linnet-supabase-'))
  const remove = (): void => rmSync(dir, { recursive: true, force: true })
  const supabase = join(dir, 'supabase')
  try {
    cpSync(join(import.meta.dirname, '../../supabase'), supabase, { recursive: true })
    const config = join(supabase, 'config.toml')
    writeFileSync(config, `${readFileSync(config, 'utf8')}\n[pg_net]\nallowed = ["127.0.0.1"]\n`)
    const backend = await startBackend({ supabase, seed: false, more: { usePublicUrlAsSiteUrl: true } })
    return {
      ...backend,
      async allowEntering() {
        const db = new Client(backend.dbUrl)
        await db.connect()
        await db.query(
          `update public.settings set value = to_jsonb($1::text) where key = 'outgoing_webhook_urls'`,
          ['^http://127\\.0\\.0\\.1:'],
        )
        await db.end()
      },
      async stop() {
        await backend.stop()
        remove()
      },
    }
  } catch (error) {
    remove()
    throw error
  }
}
