import { join } from 'node:path'
import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import { Client, Pool } from 'pg'
import { WebSocket } from 'ws'
import type { Claims } from '../../wire/claims.ts'
import { startServer, temporaryData, type Server } from '../../tests/support/server.ts'
import { createWorkspace } from '../client/createWorkspace.ts'
import type { AddRow } from '../table.ts'
import { callerSettings } from './callerSettings.ts'
import { interleave, median, ratioOf } from './interleave.ts'
import type { Task } from './loader.ts'
import { openLoader } from './openLoader.ts'
import { renderRequest } from './renderRequest.ts'

/** A channel that the caller reads, and its last seq. */
export interface TargetChannel {
  channel: string
  lastSeq: number
}

export interface Comparison {
  what: string
  concurrency: number
  /** `demo`, as Ann, or a workspace of 500 people and 200 channels. */
  workspace: 'demo' | 'large'
  request: (n: number, channels: TargetChannel[]) => { method: string; path: string; body?: string }
  statement: { name: string; text: string; values: (n: number, channels: TargetChannel[]) => unknown[] }
}

/** A caller on one server. */
interface Target {
  server: Server
  token: string
  channels: TargetChannel[]
}

const ROUNDS = 8
const ROUND_MS = 800
/** Requests created for a round: more than can be answered, as some may not be sent twice. */
const REQUESTS = 4_000

/** Signs in as Ann of the demo and returns her access token. */
async function signIn(server: Server): Promise<string> {
  const open = (key: string): SupabaseClient =>
    createClient(server.url, key, {
      auth: { persistSession: false },
      realtime: { transport: WebSocket as never },
    })
  const made = await open(server.secretKey).auth.admin.generateLink({
    type: 'magiclink',
    email: 'ann@harbour.example',
  })
  if (made.error) throw made.error
  const { data, error } = await open(server.publishableKey).auth.verifyOtp({
    token_hash: made.data.properties.hashed_token,
    type: 'email',
  })
  if (error) throw error
  return data.session!.access_token
}

async function findChannels(dbUrl: string): Promise<TargetChannel[]> {
  const client = new Client(dbUrl)
  await client.connect()
  const { rows } = await client.query<TargetChannel>(
    `select c.id as channel, k.last_seq::int as "lastSeq" from public.channels c
     join public.channel_counters k on k.channel_id = c.id
     where c.kind = 'public' and c.posting = 'everyone' and k.last_seq > 60 order by c.name`,
  )
  // One user sends as much as many would.
  await client.query(`delete from public.settings where key = 'rate_limits'`)
  await client.end()
  return rows
}

/** Starts the server of a checkout; `end` stops it and removes its data. */
async function startTarget(
  root: string,
  workspace: Comparison['workspace'],
): Promise<Target & { end(): Promise<void> }> {
  const data = temporaryData()
  const args = ['--no-app', '--db-port', '0', ...(workspace === 'demo' ? ['--demo'] : [])]
  const server = await startServer({ root, dataDir: data.dir, args })
  const end = async (): Promise<void> => {
    await server.end('SIGTERM')
    data.remove()
  }
  try {
    if (workspace === 'demo') {
      return { server, token: await signIn(server), channels: await findChannels(server.dbUrl), end }
    }
    const pool = new Pool({ connectionString: server.dbUrl, max: 1 })
    const made = await createWorkspace(pool, data.dir, { people: 500, channels: 200, callers: 1 })
    await pool.end()
    const channels = made.channels.slice(0, 100).map((channel) => ({ channel, lastSeq: 40 }))
    return { server, token: made.callers[0]!.token, channels, end }
  } catch (error) {
    await end()
    throw error
  }
}

/** Tasks that send the requests of a comparison to `/rest/v1`, and that run the same transactions by raw pg. */
function contendersOf(
  { server, token, channels }: Target,
  { concurrency, request, statement }: Comparison,
  nextIndex: () => number,
): { rest: (ms: number) => Task; raw: (ms: number) => Task } {
  const claims = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as Claims
  const headers = {
    apikey: server.publishableKey,
    Authorization: `Bearer ${token}`,
    'Content-Type': 'application/json',
    Accept: 'application/json',
  }
  const each = <T>(make: (n: number) => T): T[] => Array.from({ length: REQUESTS }, () => make(nextIndex()))
  const { method, path } = request(0, channels)
  const settings = callerSettings({ claims, method, path, headers })
  return {
    rest: (ms) => ({
      kind: 'http',
      url: server.url,
      concurrency,
      ms,
      requests: each((n) => renderRequest({ url: server.url, headers, ...request(n, channels) })),
    }),
    raw: (ms) => ({
      kind: 'raw',
      dbUrl: server.dbUrl,
      concurrency,
      ms,
      settings,
      preRequest: 'select app.check_request()',
      ...statement,
      values: each((n) => statement.values(n, channels)),
    }),
  }
}

/**
 * Measures requests to `/rest/v1` and the same transactions by raw pg alternately, so that other load on the
 * machine affects both, and compares the medians: Linnet's own schema and policies; server and load run in processes of
 * their own. With LINNET_BENCH_BEFORE, the folder of another checkout, its server gets the same requests in the same
 * rounds.
 */
export async function compare(comparisons: Comparison[], add: AddRow): Promise<void> {
  const root = process.cwd()
  const before = process.env['LINNET_BENCH_BEFORE']
  const loader = openLoader(root)
  try {
    for (const workspace of new Set(comparisons.map((one) => one.workspace))) {
      const targets: Awaited<ReturnType<typeof startTarget>>[] = []
      try {
        targets.push(await startTarget(root, workspace))
        if (before) targets.push(await startTarget(join(before), workspace))
        let n = 0
        for (const one of comparisons.filter((other) => other.workspace === workspace)) {
          const [ours, theirs] = targets.map((target) => contendersOf(target, one, () => n++))
          const contenders: Record<string, (ms: number) => Task> = {
            ...ours,
            ...(theirs && { before: theirs.rest }),
          }
          const loads = await interleave(loader, contenders, { rounds: ROUNDS, ms: ROUND_MS })
          const rateOf = (name: string): number => median(loads[name]!.map(({ rate }) => rate))
          add({
            what: `${one.what}, ${workspace} workspace, concurrency ${one.concurrency}`,
            goal: '≥ 0.9 of raw',
            value: rateOf('rest'),
            unit: '/s',
            ratio: ratioOf(loads['rest']!, loads['raw']!),
            against: `${Math.round(rateOf('raw')).toLocaleString('en')}/s of the same transaction by raw pg`,
            ...(theirs && {
              also: { '× before': ratioOf(loads['rest']!, loads['before']!), '/s before': rateOf('before') },
            }),
          })
        }
      } finally {
        for (const target of targets) await target.end()
      }
    }
  } finally {
    await loader.close()
  }
}
