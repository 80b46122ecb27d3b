import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@supabase/supabase-js'
import type { SupabaseClient } from '@supabase/supabase-js'
import { Hono } from 'hono'
import { jwtVerify, SignJWT } from 'jose'
import { WebSocket } from 'ws'
import { vi } from 'vitest'
import { loadConfig } from '../../../../backend/config/loadConfig.ts'
import { createGateway } from '../../../../backend/gateway/createGateway.ts'
import type { Gateway } from '../../../../backend/gateway/createGateway.ts'
import { createLogger } from '../../../../backend/logging/logger.ts'
import { createPool } from '../../../../backend/postgres/connections/pool.ts'
import type { Pool } from '../../../../backend/postgres/connections/pool.ts'
import { temporaryPostgres } from '../../../../backend/postgres/server/temporaryPostgres.ts'
import { createStorageService } from '../../../../backend/storage/createStorageService.ts'
import { createThumbnails } from '../../../../backend/optional/thumbnails/createThumbnails.ts'
import type { StorageService } from '../../../../backend/storage/createStorageService.ts'
import type { Claims, VerifyToken } from '../../../../wire/claims.ts'
import { startOther } from './server.ts'

const secret = 'a secret of forty characters for the tests'
const key = new TextEncoder().encode(secret)

/** Ids of the people who appear in the tests. */
export const people = {
  ann: '00000000-0000-4000-8000-00000000000a',
  bea: '00000000-0000-4000-8000-00000000000b',
  omar: '00000000-0000-4000-8000-00000000000c',
} as const

export type Person = keyof typeof people

export interface StorageServer {
  url: string
  anonKey: string
  serviceRoleKey: string
  publishableKey: string
  secretKey: string
  /** The folder of the bytes. */
  dir: string
  /** A connection with the role `postgres`, which creates policies. */
  sql: Pool
  token(claims: Claims): Promise<string>
  /** A client with the person's token. */
  as(person: Person): Promise<SupabaseClient>
  /** A client with the service key. */
  asService(): SupabaseClient
  /** The headers of a raw request with the person's token. */
  headersOf(person: Person): Promise<Record<string, string>>
  log: string[]
  /** What a start of the service does, over the same folder and database. */
  startAgain(): Promise<void>
  /** Ends the service and the gateway, and starts them again over the same folder, at the same address. */
  restart(): Promise<void>
  /** The same after the service was killed, without waiting for its requests, whose clients have disconnected. */
  reviveKilled(): Promise<void>
  stop(): Promise<void>
}

const sign = (claims: Claims): Promise<string> =>
  new SignJWT({ ...claims }).setProtectedHeader({ alg: 'HS256' }).setExpirationTime('1h').sign(key)

const verifyToken: VerifyToken = async (token) => {
  try {
    const { payload } = await jwtVerify(token, key)
    const claims = payload as Claims
    return { ok: true, caller: { role: claims.role ?? 'anon', claims, claimsJson: JSON.stringify(claims) } }
  } catch (error) {
    return { ok: false, fault: 'signature', message: (error as Error).message }
  }
}

export interface StorageServerOptions {
  /** The text of `config.toml`. */
  config?: string
  appDir?: string
  /** The folder of the bytes, if not in the new folder. */
  dir?: string
  /** Milliseconds since 1970. */
  now?: () => number
  /** Wraps the pool of each start of the service. */
  wrapPool?: (pool: Pool) => Pool
}

/**
 * PostgreSQL, the storage service and the gateway over a fresh folder, without the other services; or the other server
 * that the tests are to run against.
 */
export async function startStorage(o: StorageServerOptions = {}): Promise<StorageServer> {
  const other = await startOther<StorageServerOptions, StorageServer>(o)
  if (other) return other
  const root = mkdtempSync(join(tmpdir(), 'linnet-storage-'))
  const supabase = join(root, 'supabase')
  mkdirSync(supabase)
  writeFileSync(join(supabase, 'config.toml'), o.config ?? '')
  const postgres = await temporaryPostgres()
  const sql = postgres.pool('postgres', 2)
  const openPool = (): Pool => {
    const opened = createPool(postgres.config('authenticator'), {
      max: 8,
      name: 'storage',
      // Fifty concurrent writers on a busy machine wait longer than requests of people may.
      acquireTimeoutMs: 60_000,
    })
    return o.wrapPool?.(opened) ?? opened
  }
  let pool = openPool()
  const log: string[] = []
  const logger = createLogger({ format: 'text', minLevel: 'info', write: (line) => log.push(line) })
  const dir = o.dir ?? join(root, 'storage')
  const storageOptions = {
    dir,
    verifyToken,
    secret,
    config: loadConfig(supabase),
    createThumbnails,
    log: logger,
    ...(o.now && { now: o.now }),
  }
  const openService = (): Promise<StorageService> => createStorageService({ ...storageOptions, pool })
  let storage = await openService()
  const [anonKey, serviceRoleKey] = await Promise.all([
    sign({ iss: 'supabase', role: 'anon' }),
    sign({ iss: 'supabase', role: 'service_role' }),
  ])
  const keys = { anonKey, serviceRoleKey, publishableKey: 'sb_publishable_x', secretKey: 'sb_secret_x' }
  const nothing = new Hono()
  const openGateway = (): Gateway =>
    createGateway({
      rest: { app: nothing },
      auth: { app: nothing },
      storage,
      realtime: { app: nothing, handleUpgrade: (_incoming, socket) => socket.destroy() },
      mailbox: null,
      keys,
      appDir: o.appDir ?? null,
      appConfig: { key: keys.publishableKey, installation: 'tests' },
      publicUrl: null,
      tls: null,
      log: logger,
    })
  let gateway = openGateway()
  const { url } = await gateway.listen('127.0.0.1', 0)
  const openAgain = async (): Promise<void> => {
    storage = await openService()
    gateway = openGateway()
    // After a kill nothing waits for the descriptors of the port to be closed.
    await vi.waitFor(() => gateway.listen('127.0.0.1', Number(new URL(url).port)), { timeout: 60_000 })
  }
  const tokenOf = (person: Person): Promise<string> =>
    sign({ sub: people[person], role: 'authenticated', aud: 'authenticated' })
  const clientWith = (apiKey: string, token: string): SupabaseClient =>
    createClient(url, apiKey, {
      auth: { persistSession: false, autoRefreshToken: false },
      global: { headers: { Authorization: `Bearer ${token}` } },
      realtime: { transport: WebSocket as never },
    })
  return {
    url,
    ...keys,
    dir,
    sql,
    log,
    token: sign,
    as: async (person) => clientWith(keys.publishableKey, await tokenOf(person)),
    asService: () => clientWith(serviceRoleKey, serviceRoleKey),
    headersOf: async (person) => ({
      apikey: keys.publishableKey,
      authorization: `Bearer ${await tokenOf(person)}`,
    }),
    startAgain: async () => {
      await openService()
    },
    async restart() {
      await gateway.close()
      await storage.close()
      await openAgain()
    },
    async reviveKilled() {
      // It would wait for the requests of the killed service, which never end.
      void gateway.close()
      pool = openPool()
      await openAgain()
    },
    async stop() {
      await gateway.close()
      await storage.close()
      await pool.end()
      await postgres.stop()
      rmSync(root, { recursive: true, force: true })
    },
  }
}
