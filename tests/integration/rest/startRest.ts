import type { IncomingMessage } from 'node:http'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serve } from '@hono/node-server'
import { createClient } from '@supabase/supabase-js'
import type { SupabaseClient } from '@supabase/supabase-js'
import { Hono } from 'hono'
import { SignJWT, errors, jwtVerify } from 'jose'
import type { AddressInfo } from 'node:net'
import { WebSocket } from 'ws'
import { loadConfig } from '../../../backend/config/loadConfig.ts'
import { createLogger } from '../../../backend/logging/logger.ts'
import { bearerOf } from '../../../backend/gateway/createKeyring.ts'
import { migratePlatform } from '../../../backend/postgres/schema/migratePlatform.ts'
import { createPool } from '../../../backend/postgres/connections/pool.ts'
import type { Pool } from '../../../backend/postgres/connections/pool.ts'
import { createDataFromTemplate } from '../../../backend/postgres/server/createDataFromTemplate.ts'
import { startPostgres } from '../../../backend/postgres/server/startPostgres.ts'
import type { Postgres } from '../../../backend/postgres/server/startPostgres.ts'
import { respondWithDescription } from '../../../backend/optional/openapi/respondWithDescription.ts'
import { createRestService } from '../../../backend/rest/createRestService.ts'
import type { RestService } from '../../../backend/rest/createRestService.ts'
import { restSettings } from '../../../backend/rest/settings/restSettings.ts'
import type { RestSettings } from '../../../backend/rest/settings/restSettings.ts'
import type { Caller, Claims, ServiceEnv, VerifyToken } from '../../../wire/claims.ts'

const secret = new TextEncoder().encode('a secret for tests alone, long enough for HS256')

export interface RequestOptions {
  method?: string
  headers?: Record<string, string>
  /** Sent as JSON; strings and bytes are sent unchanged. */
  body?: unknown
  claims?: Claims
}

export interface RestResponse {
  status: number
  headers: Headers
  text: string
  /** The parsed body; undefined if it is not JSON. */
  json: unknown
}

export interface RestServer {
  /** A raw request to `path` below the prefix. */
  request(path: string, options?: RequestOptions): Promise<RestResponse>
  /** URL with the prefix: `http://127.0.0.1:…/rest/v1`. */
  url: string
  rest: RestService
  pool: Pool
  /** A connection with the role `postgres`, like migrations. */
  owner: Pool
  /** Error log of the service, which requests must not cause. */
  logged: string[]
  /** All other log lines. */
  noted: string[]
  /** The data directory, with which a stopped PostgreSQL can be started again. */
  postgres: Postgres
  token(claims: Claims): Promise<string>
  /** Uses another service with other settings and the same database, with `ownPool` if given; `stop` ends it too. */
  beside(settings: Partial<RestSettings>, ownPool?: Pool): Promise<RestServer['request']>
  /** The official client, as anon unless claims say otherwise. */
  client(claims?: Claims, schema?: string): Promise<SupabaseClient>
  stop(): Promise<void>
}

function callerOf(claims: Claims): Caller {
  return { role: claims.role ?? 'anon', claims, claimsJson: JSON.stringify(claims) }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const verifyToken: VerifyToken = async (token) => {
  try {
    const { payload } = await jwtVerify<Claims>(token, secret)
    return { ok: true, caller: callerOf(payload as Claims) }
  } catch (error) {
    if (error instanceof errors.JWTExpired) return { ok: false, fault: 'expired', message: 'expired' }
    const fault = error instanceof errors.JWSSignatureVerificationFailed ? 'signature' : 'malformed'
    return { ok: false, fault, message: fault }
  }
}

/** Starts the REST service on a new database with `schema`, behind a gateway with `apikey: service`. */
export async function startRest(
  schema: string,
  {
    settings,
    superuser,
    ...o
  }: {
    max?: number
    queue?: number
    acquireTimeoutMs?: number
    settings?: Partial<RestSettings>
    /** SQL that a superuser runs before `schema`. */
    superuser?: string
  } = {},
): Promise<RestServer> {
  const dataDir = mkdtempSync(join(tmpdir(), 'linnet-rest-'))
  await createDataFromTemplate(dataDir)
  const postgres = await startPostgres({ dataDir })
  const admin = createPool(postgres.config('supabase_admin'), { max: 1, name: 'setup' })
  await migratePlatform(admin)
  if (superuser !== undefined) await admin.query(superuser)
  await admin.end()
  const owner = createPool(postgres.config('postgres'), { max: 1, name: 'owner' })
  await owner.query(schema)
  const pool = createPool(postgres.config('authenticator'), { max: 10, name: 'rest', ...o })
  const logged: string[] = []
  const noted: string[] = []
  const keep = (line: string): void => void (/^\S+ error /.test(line) ? logged : noted).push(line)
  const create = (own: Partial<RestSettings> | undefined, ownPool = pool): RestService =>
    createRestService({
      pool: ownPool,
      listen: postgres.config('authenticator'),
      verifyToken,
      settings: { ...restSettings(loadConfig(dataDir)), schemas: ['public', 'other'], ...own },
      describeSchema: respondWithDescription,
      log: createLogger({ format: 'text', minLevel: 'info', write: keep }),
    })
  const rest = create(settings)
  const main = await serveRest(rest)
  const others: Served[] = []
  return {
    request: askOf(main.url),
    url: `${main.url}/rest/v1`,
    rest,
    pool,
    owner,
    logged,
    noted,
    postgres,
    token,
    async beside(own, ownPool) {
      const other = await serveRest(create(own, ownPool))
      others.push(other)
      return askOf(other.url)
    },
    async client(claims, schema = 'public') {
      const headers: Record<string, string> = claims ? { Authorization: `Bearer ${await token(claims)}` } : {}
      return createClient(main.url, 'anon-key', {
        db: { schema },
        global: { headers },
        auth: { persistSession: false, autoRefreshToken: false },
        realtime: { transport: WebSocket as never },
      }) as unknown as SupabaseClient
    },
    async stop() {
      for (const served of [main, ...others]) await served.close()
      await pool.end()
      await owner.end()
      await postgres.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

interface Served {
  url: string
  close(): Promise<void>
}

async function serveRest(rest: RestService): Promise<Served> {
  const gateway = new Hono<ServiceEnv & { Bindings: { incoming: IncomingMessage } }>()
  gateway.use(async (c, next) => {
    const key = c.req.header('apikey')
    c.set('apiCaller', callerOf({ role: key === 'service' ? 'service_role' : 'anon' }))
    c.set('bearer', bearerOf(c.env.incoming, key ?? null))
    c.set('requestId', 'test')
    await next()
  })
  gateway.route('/rest/v1', rest.app)
  const server = serve({ fetch: gateway.fetch, port: 0, hostname: '127.0.0.1' })
  await new Promise((resolve) => server.once('listening', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      await rest.close()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function isRaw(body: unknown): body is string | Uint8Array<ArrayBuffer> {
  return typeof body === 'string' || body instanceof Uint8Array
}

const token = (claims: Claims): Promise<string> =>
  new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(secret)

function askOf(url: string): RestServer['request'] {
  return async (path, { method = 'GET', headers, body, claims } = {}) => {
    const response = await fetch(`${url}/rest/v1${path}`, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(claims ? { Authorization: `Bearer ${await token(claims)}` } : {}),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isRaw(body) ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, json: parsed(text) }
  }
}
