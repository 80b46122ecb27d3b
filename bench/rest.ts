import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SignJWT } from 'jose'
import { startServer, temporaryData, type Server } from '../tests/support/server.ts'
import { callerSettings } from './rest/callerSettings.ts'
import { interleave, median, ratioOf, warmUp } from './rest/interleave.ts'
import type { Load } from './rest/Latencies.ts'
import { atConcurrency, type Task } from './rest/loader.ts'
import { openLoader } from './rest/openLoader.ts'
import { operations, type Operation } from './rest/operations.ts'
import { person, writePlainSchema } from './rest/plainSchema.ts'
import { renderRequest } from './rest/renderRequest.ts'
import { startPeer } from './rest/startPeer.ts'
import type { AddRow, BenchRow } from './table.ts'

const CONCURRENCIES = [1, 20, 100]
const ROUNDS = 5
const ROUND_MS = 350
/**
 * The number of requests, which are created once and used in rotation. It is a prime number, so that rows and
 * policies vary.
 */
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
  /** Another checkout. */
  before?: Load[] | undefined
}

function summary(what: string, { rest, raw, shared, peer, before }: Loads): BenchRow {
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
      ...(before && { '× before': ratioOf(rest, before), '/s before': of(before, 'rate') }),
      ...(peer && { '× the peer': ratioOf(rest, peer), 'peer /s': of(peer, 'rate') }),
    },
  }
}

/**
 * Measures the data API on a plain schema under row-level security. It sends the same requests to `/rest/v1` and to
 * the official embedded backend, and runs the same transactions by raw pg in one process, at several concurrencies.
 * The goals are 0.9 of raw, 8 times the peer, and a p99 at concurrency 100 within 3 times its p50. If
 * LINNET_BENCH_BEFORE is the folder of another checkout, its server gets the same requests in the same rounds,
 * instead of the peer and of shared connections.
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
  const schema = mkdtempSync(join(tmpdir(), 'linnet-plain-'))
  writePlainSchema(schema, 'project_id = "plain"\n')
  const loader = openLoader(root)
  const ending = [() => loader.close()]
  try {
    const before = process.env['LINNET_BENCH_BEFORE']
    const peer = before ? null : await startPeer(root, jwtSecret)
    if (peer) ending.push(() => peer.end())
    const start = async (checkout: string): Promise<Server> => {
      const data = temporaryData()
      ending.push(async () => data.remove())
      const server = await startServer({
        root: checkout,
        dataDir: data.dir,
        args: ['--no-app', '--db-port', '0', '--supabase', schema],
        env: { LINNET_JWT_SECRET: jwtSecret },
      })
      ending.push(async () => void (await server.end('SIGTERM')))
      return server
    }
    const server = await start(root)
    const other = before ? await start(before) : null
    let isWarm = false
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
      const ofPeer = peer && { kind: 'http' as const, ...requestsTo(peer, operation, token) }
      const ofOther = other && {
        kind: 'http' as const,
        ...requestsTo({ url: other.url, key: other.publishableKey }, operation, token),
      }
      for (const concurrency of CONCURRENCIES) {
        const contenders: Record<string, (ms: number) => Task> = {
          raw: (ms) => ({ ...raw, concurrency, ms }),
          rest: (ms) => ({ ...rest, concurrency, ms }),
        }
        if (ofOther) contenders.before = (ms) => ({ ...ofOther, concurrency, ms })
        else if (concurrency > 1) contenders.shared = (ms) => ({ ...raw, concurrency, ms, isShared: true })
        if (ofPeer) contenders.peer = (ms) => ({ ...ofPeer, concurrency, ms })
        // The peer takes too long for it.
        const { peer: _, ...ofNode } = contenders
        if (!isWarm) await warmUp(loader, atConcurrency(20, Object.values(ofNode)))
        isWarm = true
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
