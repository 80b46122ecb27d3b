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
  /** Where it listens, whatever its public address is. */
  localUrl: string
  /** Everything that lasts. */
  dataDir: string
  /** Ends it and deletes its data. */
  stop(): Promise<void>
  /** What was logged at warn or above, for a test that must show it. */
  warnings: string[]
}

/**
 * A whole backend in this process, on data of its own and a port that the system gives; `stop` ends it and
 * deletes the data. `supabase` names another folder than Linnet's own; `app` serves `dist/app` too, `more` are other
 * options of a start.
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
