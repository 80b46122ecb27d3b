import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { startBackend, type Backend } from './backend.ts'

const allowed = `[pg_net]
allowed = ["127.0.0.1"]

[edge_runtime.secrets]
link_preview_allowed = "127.0.0.1"
`

/**
 * Starts a backend with Linnet's schema that may send requests to servers on loopback: `[pg_net] allowed` in config.toml, and
 * `LINK_PREVIEW_ALLOWED` for previews.
 * `allowEntering` permits people to enter such addresses, which is the setting `outgoing_webhook_urls`.
 */
export async function startBackendForLoopback(): Promise<Backend & { allowEntering(): Promise<void> }> {
  const dir = mkdtempSync(join(tmpdir(), 'linnet-supabase-'))
  const remove = (): void => rmSync(dir, { recursive: true, force: true })
  const supabase = join(dir, 'supabase')
  try {
    const root = join(import.meta.dirname, '../..')
    cpSync(join(root, 'supabase'), supabase, { recursive: true })
    // Functions import modules of all three.
    for (const name of ['app', 'backend', 'wire']) symlinkSync(join(root, name), join(dir, name))
    const config = join(supabase, 'config.toml')
    writeFileSync(config, `${readFileSync(config, 'utf8')}\n${allowed}`)
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
