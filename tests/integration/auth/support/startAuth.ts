import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serve } from '@hono/node-server'
import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import { Hono } from 'hono'
import ws from 'ws'
import {
  createAuthService,
  type AuthOptions,
  type AuthService,
} from '../../../../backend/auth/createAuthService.ts'
import { configureOAuthServer } from '../../../../backend/optional/oauthServer/configureOAuthServer.ts'
import { configureSmsProvider } from '../../../../backend/optional/sms/createSmsProvider.ts'
import { configureWalletSignIn } from '../../../../backend/optional/web3/grantByWallet.ts'
import {
  createKeys,
  issueLegacyKey,
  loadKeys,
  type StoredKeys,
} from '../../../../backend/auth/tokens/keys.ts'
import { loadConfig } from '../../../../backend/config/loadConfig.ts'
import { createLogger } from '../../../../backend/logging/logger.ts'
import { createPool, type Pool } from '../../../../backend/postgres/connections/pool.ts'
import type { Postgres } from '../../../../backend/postgres/server/startPostgres.ts'
import { temporaryPostgres } from '../../../../backend/postgres/server/temporaryPostgres.ts'
import type { Caller, ServiceEnv } from '../../../../wire/claims.ts'

/** One database per test file; servers with different configurations run on it. */
export interface AuthDatabase {
  postgres: Postgres
  /** As supabase_admin: for direct access, and to create hooks. */
  admin: Pool
  stop(): Promise<void>
}

export async function startDatabase(): Promise<AuthDatabase> {
  const postgres = await temporaryPostgres()
  return { postgres, admin: postgres.pool('supabase_admin', 2), stop: () => postgres.stop() }
}

export interface AuthServer {
  url: string
  anonKey: string
  serviceRoleKey: string
  keys: StoredKeys
  service: AuthService
  /** Log lines, as JSON. */
  logged: string[]
  /** A client with its own storage, like one browser; `ip` is sent in X-Forwarded-For. */
  client(o?: { flowType?: 'pkce' | 'implicit'; ip?: string }): SupabaseClient
  /** A client with the service key. */
  asService(): SupabaseClient
  /** Advances the clock of rate limits. */
  advanceClock(ms: number): void
  /** A request to /auth/v1, with the anonymous key unless headers replace it. */
  request(path: string, init?: RequestInit & { json?: unknown; bearer?: string }): Promise<Response>
  stop(): Promise<void>
}

/** Limits that tests do not reach. */
const highLimits = `
[auth.rate_limit]
sign_in_sign_ups = 100000
token_refresh = 100000
token_verifications = 100000
anonymous_users = 100000
sms_sent = 100000
web3 = 100000
`

/**
 * Serves the auth service behind a minimal gateway, on its own port.
 * @param toml a config.toml; `[auth.rate_limit]` is high unless it contains the section
 * @param more options of the service that replace those of a test; `smsFetch` sends the requests to SMS providers
 */
export async function startAuth(
  database: AuthDatabase,
  toml: string,
  { smsFetch, ...more }: Partial<AuthOptions> & { smsFetch?: typeof fetch } = {},
): Promise<AuthServer> {
  const dir = join(mkdtempSync(join(tmpdir(), 'linnet-auth-config-')), 'supabase')
  mkdirSync(dir)
  writeFileSync(join(dir, 'config.toml'), toml + (toml.includes('[auth.rate_limit]') ? '' : highLimits))
  const stored = await createKeys()
  const keys = await loadKeys(stored)
  const anonKey = issueLegacyKey(stored.jwtSecret, 'anon')
  const serviceRoleKey = issueLegacyKey(stored.jwtSecret, 'service_role')
  const pools: Pool[] = []
  const openPool = (name: string, max: number): Pool => {
    const pool = createPool(database.postgres.config('supabase_auth_admin'), { max, name })
    pools.push(pool)
    return pool
  }
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const logged: string[] = []
  let passed = 0
  const service = createAuthService({
    pool: openPool('auth-test', 8),
    openPool,
    keys,
    config: loadConfig(dir),
    extensions: [configureOAuthServer, configureWalletSignIn, configureSmsProvider(smsFetch)],
    siteUrl: url,
    publicUrl: url,
    now: () => Date.now() + passed,
    log: createLogger({ format: 'json', minLevel: 'warn', write: (line) => logged.push(line) }),
    ...more,
  })
  const gateway = new Hono<ServiceEnv>()
  gateway.use('/auth/v1/*', async (c, next) => {
    const apikey = c.req.header('apikey') ?? anonKey
    const role = apikey === serviceRoleKey ? 'service_role' : 'anon'
    const caller: Caller = { role, claims: { role }, claimsJson: JSON.stringify({ role }) }
    const bearer = /^Bearer (.+)$/.exec(c.req.header('authorization') ?? '')?.[1] ?? null
    c.set('apiCaller', caller)
    c.set('bearer', bearer === apikey ? null : bearer)
    c.set('requestId', randomBytes(8).toString('hex'))
    await next()
  })
  gateway.route('/auth/v1', service.app)
  gateway.route('/mailbox', service.mailbox.app)
  const server = serve({ fetch: gateway.fetch, hostname: '127.0.0.1', port })
  const realtime = { transport: ws as never }
  return {
    url,
    anonKey,
    serviceRoleKey,
    keys: stored,
    service,
    logged,
    client: ({ flowType = 'pkce', ip } = {}) =>
      createClient(url, anonKey, {
        auth: { flowType, storage: memoryStorage(), autoRefreshToken: false, detectSessionInUrl: false },
        ...(ip ? { global: { headers: { 'x-forwarded-for': ip } } } : {}),
        realtime,
      }),
    asService: () =>
      createClient(url, serviceRoleKey, {
        auth: { persistSession: false, autoRefreshToken: false },
        realtime,
      }),
    advanceClock(ms) {
      passed += ms
    },
    request(path, { json, bearer, ...init } = {}) {
      return fetch(`${url}/auth/v1${path}`, {
        redirect: 'manual',
        method: json === undefined ? 'GET' : 'POST',
        ...init,
        headers: {
          apikey: anonKey,
          authorization: `Bearer ${bearer ?? anonKey}`,
          ...(json === undefined ? {} : { 'content-type': 'application/json' }),
          ...(init.headers as Record<string, string>),
        },
        ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      })
    },
    async stop() {
      await service.close()
      await new Promise((resolve) => server.close(resolve))
      await Promise.all(pools.map((pool) => pool.end()))
      rmSync(join(dir, '..'), { recursive: true, force: true })
    },
  }
}

function memoryStorage() {
  const items = new Map<string, string>()
  return {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
  }
}

async function freePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve))
  const { port } = probe.address() as AddressInfo
  await new Promise((resolve) => probe.close(resolve))
  return port
}

let count = 0
/** An email address that no other test uses. */
export function uniqueEmail(name = 'bea'): string {
  return `${name}-${++count}-${randomBytes(3).toString('hex')}@example.com`
}

/** The latest mail to an address. */
export function latestMailTo(server: AuthServer, address: string) {
  const found = server.service.mailbox.messages().find((message) => message.to === address)
  if (!found) throw new Error(`no mail to ${address}`)
  return found
}
