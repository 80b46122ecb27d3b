import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../config/loadConfig.ts'
import { noLogger } from '../logging/logger.ts'
import { startLinnet } from '../main.ts'

/**
 * Starts a server with these settings on an empty database in a temporary folder, and stops it. It thereby finds the mistakes
 * that only PostgreSQL or a service finds. Nothing is sent to other servers. Throws ConfigError or StartError.
 */
export async function rehearseSettings(config: Config, supabaseDir: string): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'linnet-settings-'))
  try {
    const linnet = await startLinnet({
      dataDir,
      supabaseDir,
      config,
      seed: false,
      host: '127.0.0.1',
      port: 0,
      publicUrl: null,
      tls: null,
      appDir: null,
      usePublicUrlAsSiteUrl: false,
      dbPort: null,
      isRehearsal: true,
      log: noLogger,
    })
    await linnet.stop()
  } finally {
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
  }
}
