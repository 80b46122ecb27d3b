import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLogger } from '../../backend/logging/logger.ts'
import { startLinnet, type LinnetOptions } from '../../backend/main.ts'
import { createDataFromTemplate } from '../../backend/postgres/server/createDataFromTemplate.ts'
import type { RunningServer } from '../../backend/startup/runningServer.ts'
import { fillLinnetData } from '../../supabase/tests/support/linnetData.ts'

const root = join(import.meta.dirname, '../..')

export interface Backend extends RunningServer {
  /** The URL it listens on, whatever its public URL. */
  localUrl: string
  /** The data folder. */
  dataDir: string
  /** Stops it and deletes its data. */
  stop(): Promise<void>
  /** Lines logged at warn or above. */
  warnings: string[]
}

/**
 * Starts a complete backend in this process, with its own data and a free port. `stop` ends it and deletes the data.
 * `supabase` is another folder than Linnet's own. `app` also serves `dist/app`. `more` are other start options.
 */
export async function startBackend(
  o: { supabase?: string; app?: boolean; seed?: boolean; more?: Partial<LinnetOptions> } = {},
): Promise<Backend> {
  const dataDir = mkdtempSync(join(tmpdir(), 'linnet-test-'))
  const remove = (): void => rmSync(dataDir, { recursive: true, force: true })
  const warnings: string[] = []
  try {
    await (o.supabase === undefined && o.seed !== true ? fillLinnetData : createDataFromTemplate)(dataDir)
    const linnet = await startLinnet({
      dataDir,
      supabaseDir: o.supabase ?? join(root, 'supabase'),
      seed: o.seed ?? o.supabase !== undefined,
      host: '127.0.0.1',
      port: 0,
      publicUrl: null,
      tls: null,
      appDir: o.app === true ? join(root, 'dist', 'app') : null,
      usePublicUrlAsSiteUrl: o.supabase === undefined,
      dbPort: null,
      log: createLogger({ format: 'text', minLevel: 'warn', write: (line) => warnings.push(line) }),
      ...o.more,
    })
    return {
      ...linnet.running,
      localUrl: linnet.localUrl,
      dataDir,
      warnings,
      async stop() {
        await linnet.stop()
        remove()
      },
    }
  } catch (error) {
    remove()
    throw error
  }
}
