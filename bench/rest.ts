import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SignJWT } from 'jose'
import { startServer, temporaryData } from '../tests/support/server.ts'
import { callerSettings } from './rest/callerSettings.ts'
import { interleave, median, ratioOf } from './rest/interleave.ts'
import type { Load } from './rest/Latencies.ts'
import type { Task } from './rest/loader.ts'
import { openLoader } from './rest/openLoader.ts'
import { operations, type Operation } from './rest/operations.ts'
import { person, writePlainSchema } from './rest/plainSchema.ts'
import { renderRequest } from './rest/renderRequest.ts'
import { startPeer } from './rest/startPeer.ts'
import type { AddRow, BenchRow } from './table.ts'

const CONCURRENCIES = [1, 20, 100]
const ROUNDS = 5
const ROUND_MS = 350
/** Created once and used in rotation; a prime number, so that rows and policies vary. */
const REQUESTS = 2_003

interface Target {
  url: string
  key: string
}

interface Loads {
  rest: Load[]
  raw: Load[]
  /** Raw pg with several callers' transactions on a connection at once. */
  shared?: Load[] | undefined
  peer?: Load[] | undefined
}

function summary(what: string, { rest, raw, shared, peer }: Loads): BenchRow {
  const of = (loads: Load[], name: keyof Load): number => median(loads.map((load) => load[name]))
  const rawRate = of(raw, 'rate')
  return {
    what,
    goal: '≥ 0.9 of raw',
    value: of(rest, 'rate'),
    unit: '/s',
    ratio: ratioOf(rest, raw),
    against: `${Math.round(rawRate).toLocaleString('en')}/s of the same transaction by raw pg`,
    also: {
      'ms p50': of(rest, 'p50'),
      'ms p99': of(rest, 'p99'),
      'p99/p50': median(rest.map(({ p50, p99 }) => p99 / p50)),
      'p99/p50 of raw': median(raw.map(({ p50, p99 }) => p99 / p50)),
      ...(shared && { '× raw on shared connections': ratioOf(rest, shared) }),
      ...(peer && { '× the peer': ratioOf(rest, peer), 'peer /s': of(peer, 'rate') }),
    },
  }
}

/**
 * The data API on a plain schema under row security: the same requests to `/rest/v1` and to the official
 * embedded backend, and the same transactions by raw pg in one process, at several concurrencies.
 * Goals: 0.9 of raw, 8 times the peer, p99 at concurrency 100 within 3 times its p50.
 */
export async function run(add: AddRow): Promise<void> {
  const root = process.cwd()
  const jwtSecret = randomBytes(48).toString('base64url')
  const claims = {
    sub: person,
    role: 'authenticated',
    aud: 'authenticated',
    exp: Math.floor(Date.now() / 1000) + 86_400,
  }
  const token = await new SignJWT(claims)
    .setProtectedHeader({ alg: 'HS256' })
    .sign(new TextEncoder().encode(jwtSecret))
  const data = temporaryData()
  const schema = mkdtempSync(join(tmpdir(), 'linnet-plain-'))
  writePlainSchema(schema, 'project_id = "plain"\n')
  const loader = openLoader(root)
  const ending = [() => loader.close()]
  try {
    const peer = await startPeer(root, jwtSecret)
    if (peer) ending.push(() => peer.end())
    const server = await startServer({
      root,
      dataDir: data.dir,
      args: ['--no-app', '--db-port', '0', '--supabase', schema],
      env: { LINNET_JWT_SECRET: jwtSecret },
    })
    ending.push(async () => void (await server.end('SIGTERM')))
    for (const operation of operations) {
      const ours = { url: server.url, key: server.publishableKey }
      const headers = headersOf(operation, ours, token)
      const raw = {
        kind: 'raw' as const,
        dbUrl: server.dbUrl,
        settings: callerSettings({
          claims,
          headers,
          method: operation.method,
          path: `/rest/v1${operation.path(0)}`,
        }),
        name: operation.what,
        text: operation.text,
        values: Array.from({ length: REQUESTS }, (_, n) => operation.values(n)),
      }
      const rest = { kind: 'http' as const, ...requestsTo(ours, operation, token) }
      const other = peer && { kind: 'http' as const, ...requestsTo(peer, operation, token) }
      for (const concurrency of CONCURRENCIES) {
        const contenders: Record<string, (ms: number) => Task> = {
          raw: (ms) => ({ ...raw, concurrency, ms }),
          rest: (ms) => ({ ...rest, concurrency, ms }),
        }
        if (concurrency > 1) contenders.shared = (ms) => ({ ...raw, concurrency, ms, isShared: true })
        if (other) contenders.peer = (ms) => ({ ...other, concurrency, ms })
        const loads = await interleave(loader, contenders, {
          rounds: ROUNDS,
          ms: ROUND_MS,
          warmUpMs: 200,
        })
        add(summary(`${operation.what}, concurrency ${concurrency}`, loads as unknown as Loads))
      }
    }
  } finally {
    for (const end of ending.reverse()) await end()
    data.remove()
    rmSync(schema, { recursive: true, force: true })
  }
}

function headersOf(operation: Operation, { key }: Target, token: string): Record<string, string> {
  return {
    apikey: key,
    Authorization: `Bearer ${token}`,
    Accept: 'application/json',
    ...(operation.body && { 'Content-Type': 'application/json' }),
    ...(operation.prefer && { Prefer: operation.prefer }),
  }
}

function requestsTo(
  target: Target,
  operation: Operation,
  token: string,
): { url: string; requests: string[] } {
  const headers = headersOf(operation, target, token)
  const requests = Array.from({ length: REQUESTS }, (_, n) =>
    renderRequest({
      url: target.url,
      method: operation.method,
      path: `/rest/v1${operation.path(n)}`,
      headers,
      ...(operation.body && { body: JSON.stringify(operation.body(n)) }),
    }),
  )
  return { url: target.url, requests }
}
