import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Hono } from 'hono'
import { createAuthService } from '../../backend/auth/createAuthService.ts'
import { createApiKeyVerifier } from '../../backend/auth/tokens/createApiKeyVerifier.ts'
import { createKeys, issueLegacyKey, loadKeys } from '../../backend/auth/tokens/keys.ts'
import { loadConfig } from '../../backend/config/loadConfig.ts'
import { createGateway } from '../../backend/gateway/createGateway.ts'
import { createThumbnails } from '../../backend/optional/thumbnails/createThumbnails.ts'
import { createPool, type Pool } from '../../backend/postgres/connections/pool.ts'
import type { ServiceRole } from '../../backend/postgres/server/passwords.ts'
import { createStorageService } from '../../backend/storage/createStorageService.ts'
import { loudLog, supabaseDir } from '../../supabase/tests/support/linnetData.ts'
import { startOtherPostgres } from '../../supabase/tests/support/startOtherPostgres.ts'

/** A project with the services that an archive needs: a database, accounts and files. */
export interface HostedProject {
  url: string
  secretKey: string
  /** The token that older projects have as their secret key. */
  serviceRoleKey: string
  /** The connection string of the role `postgres`, which is no superuser. */
  dbUrl: string
  stop(): Promise<void>
}

/**
 * Starts a PostgreSQL that Linnet does not manage, prepared as hosted projects are, with the services for accounts and files in front
 * of it.
 * @param folder the folder of the PostgreSQL, with `bin` below it
 */
export async function startHostedProject(folder: string): Promise<HostedProject> {
  const cluster = await startOtherPostgres(folder)
  const dir = mkdtempSync(join(tmpdir(), 'linnet-hosted-'))
  const pools: Pool[] = []
  const openPool = (role: ServiceRole, name: string, max: number): Pool => {
    const pool = createPool(cluster.config(role), { max, name })
    pools.push(pool)
    return pool
  }
  const stored = await createKeys()
  const keys = await loadKeys(stored)
  const apiKeys = {
    anonKey: issueLegacyKey(stored.jwtSecret, 'anon'),
    serviceRoleKey: issueLegacyKey(stored.jwtSecret, 'service_role'),
    publishableKey: 'sb_publishable_hosted_project',
    secretKey: 'sb_secret_hosted_project',
  }
  const config = loadConfig(supabaseDir)
  let url = ''
  const auth = createAuthService({
    pool: openPool('supabase_auth_admin', 'auth', 2),
    openPool: (name, max) => openPool('supabase_auth_admin', name, max),
    keys,
    config,
    siteUrl: () => url,
    publicUrl: () => url,
    extensions: [],
    log: loudLog,
  })
  const storage = await createStorageService({
    pool: openPool('authenticator', 'storage', 4),
    dir: join(dir, 'storage'),
    verifyToken: auth.verifyToken,
    secret: stored.jwtSecret,
    config,
    createThumbnails,
    log: loudLog,
  })
  const nothing = new Hono()
  const gateway = createGateway({
    rest: { app: nothing },
    auth,
    storage,
    realtime: { app: nothing, handleUpgrade: (_incoming, socket) => socket.destroy() },
    mailbox: null,
    keys: apiKeys,
    verifyKey: createApiKeyVerifier(keys),
    verifyToken: auth.verifyToken,
    appDir: null,
    appConfig: { key: apiKeys.publishableKey, installation: 'hosted' },
    publicUrl: null,
    tls: null,
    log: loudLog,
  })
  ;({ url } = await gateway.listen('127.0.0.1', 0))
  const { host, user, database } = cluster.config('postgres')
  return {
    url,
    secretKey: apiKeys.secretKey,
    serviceRoleKey: apiKeys.serviceRoleKey,
    dbUrl: `postgresql://${user}@/${database}?host=${encodeURIComponent(host!)}`,
    async stop() {
      await gateway.close()
      await storage.close()
      await auth.close()
      await Promise.all(pools.map((pool) => pool.end()))
      await cluster.stop()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}
