import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import { serve, type ServerType } from '@hono/node-server'
import { Hono } from 'hono'
import { jwtVerify, SignJWT } from 'jose'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { WebSocket } from 'ws'
import { defaultBudgetSettings } from '../../../backend/budgets/budgetSettings.ts'
import { createBudgets } from '../../../backend/budgets/createBudgets.ts'
import { loadConfig, type Config } from '../../../backend/config/loadConfig.ts'
import { createLogger } from '../../../backend/logging/logger.ts'
import { migratePlatform } from '../../../backend/postgres/schema/migratePlatform.ts'
import { createPool, type Pool } from '../../../backend/postgres/connections/pool.ts'
import { createDataFromTemplate } from '../../../backend/postgres/server/createDataFromTemplate.ts'
import {
  startPostgres,
  type Postgres,
  type ServiceRole,
} from '../../../backend/postgres/server/startPostgres.ts'
import { createPostgresChangesPlugin } from '../../../backend/optional/postgresChanges/createPostgresChangesPlugin.ts'
import { createPresencePlugin } from '../../../backend/optional/presence/createPresencePlugin.ts'
import {
  createRealtimeService,
  type RealtimeService,
} from '../../../backend/realtime/createRealtimeService.ts'
import type { Caller, Claims, ServiceEnv, Verified } from '../../../wire/claims.ts'

const secret = new TextEncoder().encode('a secret of the realtime tests, 32+ bytes')

/** A user with a session. */
export interface Person {
  id: string
  sessionId: string
  token: string
}

/** A realtime service with its own PostgreSQL, behind a minimal gateway that has checked the key. */
export interface TestRealtime {
  url: string
  anonKey: string
  service: RealtimeService
  /** Events that were logged as warnings. */
  warnings: string[]
  /** The server's sockets of all WebSockets. */
  lines: Set<Socket>
  /** Queries as `postgres`, the role of migrations. */
  sql: Pool['query']
  /** Queries as the service's own role. */
  serviceSql: Pool['query']
  person(o?: { expiresIn?: number }): Promise<Person>
  /** A new token of the same session. */
  tokenOf(person: Person, o?: { expiresIn?: number; role?: string }): Promise<string>
  /** A client whose socket has the token before it joins. */
  client(token?: string): Promise<SupabaseClient>
  /** Further connections of `postgres` or another role, closed with the service. */
  connections(max: number, role?: ServiceRole): Pool
  restartPostgres(): Promise<void>
  /** Kills PostgreSQL with SIGKILL and starts it again. */
  killPostgres(): Promise<void>
  close(): Promise<void>
}

async function sign(claims: Claims): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).setIssuedAt().sign(secret)
}

const callers = new Map<string, Caller>()

async function verifyToken(token: string): Promise<Verified> {
  const known = callers.get(token)
  if (known) return { ok: true, caller: known }
  try {
    const { payload } = await jwtVerify(token, secret)
    const claims = payload as Claims
    const caller = { role: claims.role ?? 'anon', claims, claimsJson: JSON.stringify(claims) }
    callers.set(token, caller)
    return { ok: true, caller }
  } catch (error) {
    const { code } = error as { code?: string }
    const fault =
      code === 'ERR_JWT_EXPIRED'
        ? 'expired'
        : code === 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED'
          ? 'signature'
          : 'malformed'
    return { ok: false, fault, message: (error as Error).message }
  }
}

/** The schema of the tests: channels with members, some of which may broadcast or track presence. */
const schema = `
  create table public.members (
    room text not null, user_id uuid not null, speaks boolean not null default false,
    shows boolean not null default false, primary key (room, user_id)
  );
  alter table public.members enable row level security;
  create schema app;
  grant usage on schema app to authenticated;
  create function app.rooms(wants_speech boolean, wants_presence boolean) returns setof text
    language sql stable security definer set search_path = ''
    as $$ select room from public.members
          where user_id = (select auth.uid()) and (speaks or not wants_speech) and (shows or not wants_presence) $$;
  create policy "members hear their rooms" on realtime.messages for select to authenticated
    using (extension = 'broadcast' and (select realtime.topic()) in (select app.rooms(false, false)));
  create policy "speakers speak in their rooms" on realtime.messages for insert to authenticated
    with check (extension = 'broadcast' and (select realtime.topic()) in (select app.rooms(true, false)));
  create policy "those who show see each other" on realtime.messages for select to authenticated
    using (extension = 'presence' and (select realtime.topic()) in (select app.rooms(false, true)));
  create policy "those who show are seen" on realtime.messages for insert to authenticated
    with check (extension = 'presence' and (select realtime.topic()) in (select app.rooms(false, true)));
  create policy "a policy that fails" on realtime.messages for select to authenticated
    using ((select realtime.topic()) like 'broken:%' and 1 / length(right((select realtime.topic()), 0)) > 0);
  create function app.session_lives() returns boolean language sql stable security definer set search_path = ''
    as $$ select exists (
      select from auth.sessions s join auth.users u on u.id = s.user_id
      where s.id = (auth.jwt() ->> 'session_id')::uuid and (s.not_after is null or s.not_after > now())
        and (u.banned_until is null or u.banned_until <= now()) and u.deleted_at is null) $$;
  create policy "rooms of sessions ask for a live one" on realtime.messages as restrictive to authenticated
    using ((select realtime.topic()) not like 'session:%' or (select app.session_lives()));
  create table public.doors (room text primary key);
  create function public.door_is_open(wanted text) returns boolean language plpgsql stable security definer
    as $$ begin return exists (select from doors where room = wanted); end $$;
  create policy "an open door lets everyone hear" on realtime.messages for select to authenticated
    using (extension = 'broadcast' and public.door_is_open((select realtime.topic())));
  create function app.notify_channel_membership() returns trigger language plpgsql security definer set search_path = ''
    as $$ begin
      perform pg_catalog.pg_notify('realtime_recheck', coalesce(new.user_id, old.user_id)::text);
      return null;
    end $$;
  create trigger notify_channel_membership after insert or update or delete on public.members
    for each row execute function app.notify_channel_membership();
`

function configOf(settings: Record<string, unknown>, dir: string): Config {
  const config = loadConfig(dir)
  config.tree['realtime'] = settings
  return config
}

/**
 * @param settings the section `[realtime]`
 * @param o.bufferedBytes that callers share
 * @param o.quiet does not print errors that a test causes
 */
export async function startRealtime(
  settings: Record<string, unknown> = {},
  o: { quiet?: boolean; bufferedBytes?: number } = {},
): Promise<TestRealtime> {
  const dataDir = mkdtempSync(join(tmpdir(), 'linnet-realtime-'))
  await createDataFromTemplate(dataDir)
  let postgres: Postgres = await startPostgres({ dataDir })
  const admin = createPool(postgres.config('supabase_admin'), { max: 1, name: 'set-up' })
  await migratePlatform(admin)
  await admin.end()
  const migrations = createPool(postgres.config('postgres'), { max: 4, name: 'tests' })
  await migrations.query(schema)
  const pool = createPool(postgres.config('supabase_realtime_admin'), { max: 4, name: 'realtime' })
  const logger = createLogger({
    format: 'text',
    minLevel: process.env['LINNET_TEST_LOG'] ? 'info' : 'error',
    write: o.quiet && !process.env['LINNET_TEST_LOG'] ? () => {} : console.error,
  })
  const warnings: string[] = []
  const service = createRealtimeService({
    plugins: [createPresencePlugin, createPostgresChangesPlugin],
    pool,
    lowPool: pool,
    replication: postgres.config('supabase_realtime_admin'),
    verifyToken,
    config: configOf(settings, dataDir),
    budgets: createBudgets({
      ...defaultBudgetSettings,
      maxBufferedBytes: o.bufferedBytes ?? defaultBudgetSettings.maxBufferedBytes,
    }),
    onOtherRows: () => {},
    log: {
      ...logger,
      warn(event, fields) {
        warnings.push(event)
        logger.warn(event, fields)
      },
    },
  })
  await service.ready()
  const year = Math.floor(Date.now() / 1000) + 31_536_000
  const anonKey = await sign({ role: 'anon', exp: year })
  const app = new Hono<ServiceEnv>()
  app.use(async (c, next) => {
    const verified = await verifyToken(c.req.header('apikey') ?? '')
    if (!verified.ok) return c.json({ message: 'No API key found in request' }, 401)
    const bearer = c.req.header('authorization')?.slice(7) ?? null
    c.set('apiCaller', verified.caller)
    c.set('bearer', bearer === c.req.header('apikey') ? null : bearer)
    await next()
  })
  app.route('/realtime/v1', service.app)
  const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1', createServer }) as ServerType
  const lines = new Set<Socket>()
  server.on('upgrade', (req: IncomingMessage, socket: Duplex, head: Buffer) => {
    lines.add(socket as Socket)
    socket.once('close', () => lines.delete(socket as Socket))
    const key = new URL(req.url!, 'http://localhost').searchParams.get('apikey') ?? ''
    void verifyToken(key).then((verified) => {
      if (verified.ok) service.handleUpgrade(req, socket, head, verified.caller)
      else socket.end('HTTP/1.1 401 Unauthorized\r\n\r\n')
    })
  })
  await new Promise<void>((resolve) => server.once('listening', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const clients: SupabaseClient[] = []
  const pools: Pool[] = []

  const tokenOf: TestRealtime['tokenOf'] = (person, o = {}) =>
    sign({
      sub: person.id,
      role: o.role ?? 'authenticated',
      session_id: person.sessionId,
      exp: Math.floor(Date.now() / 1000) + (o.expiresIn ?? 3600),
    })

  return {
    url,
    anonKey,
    service,
    warnings,
    lines,
    sql: migrations.query,
    serviceSql: pool.query,
    tokenOf,
    async person(o) {
      const person: Person = { id: crypto.randomUUID(), sessionId: crypto.randomUUID(), token: '' }
      await migrations.query(
        "insert into auth.users (id, aud, role) values ($1, 'authenticated', 'authenticated')",
        [person.id],
      )
      await migrations.query(
        'insert into auth.sessions (id, user_id, created_at, updated_at) values ($1, $2, now(), now())',
        [person.sessionId, person.id],
      )
      person.token = await tokenOf(person, o)
      return person
    },
    async client(token) {
      const client = createClient(url, anonKey, {
        auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false },
        realtime: { transport: WebSocket as never },
        ...(token === undefined ? {} : { accessToken: async () => token }),
      })
      clients.push(client)
      await client.realtime.setAuth()
      return client
    },
    connections(max, role = 'postgres') {
      const more = createPool(postgres.config(role), { max, name: 'more tests' })
      pools.push(more)
      return more
    },
    async restartPostgres() {
      await postgres.stop()
      postgres = await startPostgres({ dataDir })
    },
    async killPostgres() {
      process.kill(postgres.pid, 'SIGKILL')
      await postgres.exited
      postgres = await startPostgres({ dataDir })
    },
    async close() {
      for (const client of clients) client.realtime.disconnect()
      await service.close()
      await new Promise((resolve) => server.close(resolve))
      await Promise.all([pool, migrations, ...pools].map((one) => one.end()))
      await postgres.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
