import { randomBytes, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { createPasswords } from '../backend/auth/passwords/passwords.ts'
import { loadKeys, type StoredKeys } from '../backend/auth/tokens/keys.ts'
import { signToken } from '../backend/auth/tokens/signToken.ts'
import { startServer, temporaryData, type Server } from '../tests/support/server.ts'
import { openAuthLoader, type AuthTask } from './auth/authLoader.ts'
import { captureStatements } from './auth/captureStatements.ts'
import type { Chain, RawWork } from './auth/rawPipelines.ts'
import { openRawServer } from './auth/rawServer.ts'
import { addressOf } from './auth/refreshLoad.ts'
import { interleave, median, ratioOf, warmUp } from './rest/interleave.ts'
import type { Load } from './rest/Latencies.ts'
import { renderRequest } from './rest/renderRequest.ts'
import type { BenchRow, BenchTable } from './table.ts'

const ROUNDS = 5
const ROUND_MS = 2_000
const CONCURRENCY = 20
const MESSAGES = 50
const password = 'a password of the bench'

/** Inserts `count` signed-in users with one session each. */
async function createSessions(db: Client, count: number, hash: string): Promise<Chain[]> {
  const chains = Array.from({ length: count }, () => ({
    person: randomUUID(),
    session: randomUUID(),
    token: randomBytes(6).toString('hex'),
  }))
  const lists = [chains.map((c) => c.person), chains.map((c) => c.session), chains.map((c) => c.token)]
  await db.query(
    `with who as (select * from unnest($1::uuid[], $2::uuid[], $3::text[]) as t (person, session, token)),
      people as (
        insert into auth.users (instance_id, id, aud, role, email, encrypted_password, email_confirmed_at,
          raw_app_meta_data, raw_user_meta_data, created_at, updated_at)
        select '00000000-0000-0000-0000-000000000000', person, 'authenticated', 'authenticated',
          person || '@bench.example', $4, now(), '{"provider": "email"}', '{}', now(), now() from who),
      identities as (
        insert into auth.identities (id, provider_id, user_id, identity_data, provider, created_at, updated_at)
        select gen_random_uuid(), person::text, person, jsonb_build_object('sub', person), 'email', now(), now()
        from who),
      sessions as (
        insert into auth.sessions (id, user_id, created_at, updated_at, aal)
        select session, person, now(), now(), 'aal1' from who)
     insert into auth.refresh_tokens
       (instance_id, token, user_id, revoked, created_at, updated_at, parent, session_id)
     select '00000000-0000-0000-0000-000000000000', token, person::text, false, now(), now(), '', session from who`,
    [...lists, hash],
  )
  return chains
}

const rowOf = (what: string, ours: Load[], against: Load[], of: string): BenchRow => ({
  what: `${what}, concurrency ${CONCURRENCY}`,
  value: median(ours.map(({ rate }) => rate)),
  unit: '/s',
  ratio: ratioOf(ours, against),
  against: `${Math.round(median(against.map(({ rate }) => rate))).toLocaleString('en')}/s of ${of}`,
})

/**
 * Measures sessions and sign-ins. The goals are: `GET /user` and refresh at 0.7 of the same statements by raw pg;
 * sign-ins at the cost of the hash; messages at most 20 ms later (p99) while sign-ins wait for their hashes.
 */
export async function run(): Promise<BenchTable> {
  const root = process.cwd()
  const data = temporaryData()
  const server = await startServer({
    root,
    dataDir: data.dir,
    args: ['--no-app', '--db-port', '0', '--demo'],
  })
  const db = new Client(server.dbUrl)
  const [loader, other] = [openAuthLoader(root), openAuthLoader(root)]
  try {
    await db.connect()
    const hash = await createPasswords().hash(password)
    const sign = await createTokenSigner(data.dir, server)
    const rows = [
      ...(await measureSessions({ root, db, hash, server, loader, sign })),
      ...(await measureSignIns({ db, hash, server, loader, other, sign })),
    ]
    return { name: 'auth', rows }
  } finally {
    await Promise.all([loader.close(), other.close(), db.end()])
    await server.end('SIGTERM')
    data.remove()
  }
}

/** Signs access tokens as the server does, with its own key. */
async function createTokenSigner(dataDir: string, server: Server): Promise<(chain: Chain) => string> {
  const { jwtSecret, signingKey } = JSON.parse(
    readFileSync(join(dataDir, 'secrets.json'), 'utf8'),
  ) as StoredKeys
  const keys = await loadKeys({ jwtSecret, signingKey })
  const exp = Math.floor(Date.now() / 1000) + 3600
  return ({ person, session }) =>
    signToken(keys, {
      iss: `${server.url}/auth/v1`,
      sub: person,
      aud: 'authenticated',
      role: 'authenticated',
      session_id: session,
      aal: 'aal1',
      exp,
    })
}

interface Bench {
  db: Client
  hash: string
  server: Server
  loader: ReturnType<typeof openAuthLoader>
  sign: (chain: Chain) => string
}

async function measureSessions(o: Bench & { root: string }): Promise<BenchRow[]> {
  const { db, hash, server } = o
  const chains = await createSessions(db, CONCURRENCY * (ROUNDS + 1 + 4), hash)
  const take = (): Chain[] => chains.splice(0, CONCURRENCY)
  const config = { connectionString: server.dbUrl }
  const captured = await captureStatements(config, {
    supabaseDir: join(o.root, 'supabase'),
    ...take()[0]!,
  })
  const work = { config, captured }
  const readers = take()
  const requests = readers.map((chain) =>
    renderRequest({
      url: server.url,
      method: 'GET',
      path: '/auth/v1/user',
      headers: { apikey: server.publishableKey, Authorization: `Bearer ${o.sign(chain)}` },
    }),
  )
  const of = { url: server.url, concurrency: CONCURRENCY }
  return [
    await measureAgainstRaw(o, 'GET /user', { operation: 'user', ...work }, readers, (ms) => ({
      kind: 'http',
      ...of,
      ms,
      requests,
    })),
    await measureAgainstRaw(o, 'refresh', { operation: 'refresh', ...work }, take(), (ms) => ({
      kind: 'refresh',
      url: server.url,
      apikey: server.publishableKey,
      ms,
      tokens: take().map(({ token }) => token),
    })),
  ]
}

/** Compares the service with raw pg that executes the same statements, requested from another process like the service. */
async function measureAgainstRaw(
  { root, loader }: Bench & { root: string },
  what: string,
  work: RawWork,
  chains: Chain[],
  ours: (ms: number) => AuthTask,
): Promise<BenchRow> {
  const raw = openRawServer(root)
  try {
    const port = (await raw.run({ kind: 'open', chains, ...work })) as number
    const url = `http://127.0.0.1:${port}`
    const loads = { http: [] as Load[], raw: [] as Load[], alone: [] as Load[] }
    const theirs = (ms: number): AuthTask => ({
      kind: 'http',
      url,
      concurrency: CONCURRENCY,
      ms,
      requests: ['?'],
    })
    // A refresh uses up its token.
    if (work.operation === 'user') await warmUp(loader, [ours, theirs])
    for (let round = 0; round <= ROUNDS; round++) {
      const ms = round === 0 ? ROUND_MS / 4 : ROUND_MS
      const http = await loader.run(ours(ms))
      const rawLoad = await loader.run(theirs(ms))
      const alone = (await raw.run({ kind: 'alone', ms })) as Load
      // The first round is a warm-up.
      if (round === 0) continue
      loads.http.push(http)
      loads.raw.push(rawLoad)
      loads.alone.push(alone)
    }
    await raw.run({ kind: 'close' })
    return {
      ...rowOf(what, loads.http, loads.raw, 'the same statements by raw pg'),
      also: { 'of raw pg that nobody asks': ratioOf(loads.http, loads.alone) },
    }
  } finally {
    await raw.close()
  }
}

async function measureSignIns(o: Bench & { other: Bench['loader'] }): Promise<BenchRow[]> {
  const { db, hash, server, loader, other } = o
  const people = await createSessions(db, 200, hash)
  const headers = { apikey: server.publishableKey, 'Content-Type': 'application/json' }
  const requests = people.map(({ person }, n) =>
    renderRequest({
      url: server.url,
      method: 'POST',
      path: '/auth/v1/token?grant_type=password',
      headers: { ...headers, 'X-Forwarded-For': addressOf(n) },
      body: JSON.stringify({ email: `${person}@bench.example`, password }),
    }),
  )
  const signingIn = (ms: number): AuthTask => ({
    kind: 'http',
    url: server.url,
    concurrency: CONCURRENCY,
    ms,
    requests,
  })
  const { http, bare } = await interleave(
    loader,
    {
      http: (ms) => signingIn(ms),
      bare: (ms) => ({ kind: 'hash', ms, concurrency: CONCURRENCY, hash, password }),
    },
    { rounds: ROUNDS, ms: ROUND_MS },
  )
  const found = await db.query<{ channel: string; session: string; person: string }>(
    `select c.id as channel, gen_random_uuid() as session, u.id as person from public.channels c, auth.users u
     where c.kind = 'public' and c.posting = 'everyone' and c.archived_at is null
       and u.email = 'ann@harbour.example' limit 1`,
  )
  const { channel, ...ann } = found.rows[0]!
  // One user sends as much as many would.
  await db.query(`delete from public.settings where key = 'rate_limits'`)
  await db.query(
    `insert into auth.sessions (id, user_id, created_at, updated_at, aal) values ($1, $2, now(), now(), 'aal1')`,
    [ann.session, ann.person],
  )
  const sending = (ms: number): AuthTask => ({
    kind: 'paced',
    url: server.url,
    path: '/rest/v1/rpc/send_message',
    headers: { ...headers, Authorization: `Bearer ${o.sign({ ...ann, token: '' })}` },
    ms,
    rate: MESSAGES,
    bodies: Array.from({ length: MESSAGES * 10 }, () =>
      JSON.stringify({ id: randomUUID(), channel, body: 'A message, as long as what people write.' }),
    ),
  })
  const [calm, busy]: [Load[], Load[]] = [[], []]
  await other.run(sending(ROUND_MS))
  for (let round = 0; round < ROUNDS; round++) {
    calm.push(await other.run(sending(2 * ROUND_MS)))
    const [sent] = await Promise.all([
      other.run(sending(2 * ROUND_MS)),
      loader.run(signingIn(2.2 * ROUND_MS)),
    ])
    busy.push(sent)
  }
  const p99 = (loads: Load[]): number => median(loads.map((load) => load.p99))
  return [
    rowOf('sign-in', http, bare, 'the bare hash'),
    {
      what: `message p99 at ${MESSAGES}/s while ${CONCURRENCY} sign in all the time`,
      value: p99(busy) - p99(calm),
      unit: 'ms later',
      against: `p99 ${p99(calm).toFixed(1)} ms when nobody does`,
    },
  ]
}
