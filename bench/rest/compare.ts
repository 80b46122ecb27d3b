import { appendFileSync, cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Pool } from 'pg'
import type { Claims } from '../../wire/claims.ts'
import { startServer, temporaryData, type Server } from '../../tests/support/server.ts'
import { createWorkspace } from '../client/createWorkspace.ts'
import type { AddRow } from '../table.ts'
import { callerSettings } from './callerSettings.ts'
import { interleave, median, ratioOf, warmUp } from './interleave.ts'
import { atConcurrency, type Task } from './loader.ts'
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
  workspace: keyof typeof sizes
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
/**
 * The number of requests that are created for a round. It is more than a round can send, because some may not be sent
 * twice.
 */
const REQUESTS = 4_000

const sizes = {
  small: { people: 12, channels: 15, callers: 1 },
  large: { people: 500, channels: 200, callers: 1 },
}
const MESSAGES = 240

/** Writes a copy of Linnet's own project in which one user may send and read as much as many users. */
function writeProject(root: string): string {
  const dir = join(mkdtempSync(join(tmpdir(), 'linnet-project-')), 'supabase')
  cpSync(join(root, 'supabase'), dir, { recursive: true })
  appendFileSync(
    join(dir, 'linnet.toml'),
    '\n[budgets]\nread_ms_per_second = 1000000\nread_burst_in_ms = 1000000\n',
  )
  return dir
}

/** Starts the server of a checkout with a workspace; `end` stops it and removes its data. */
async function startTarget(
  root: string,
  workspace: Comparison['workspace'],
): Promise<Target & { end(): Promise<void> }> {
  const data = temporaryData()
  const project = writeProject(root)
  const args = ['--no-app', '--db-port', '0', '--supabase', project]
  const server = await startServer({ root, dataDir: data.dir, args })
  const end = async (): Promise<void> => {
    await server.end('SIGTERM')
    data.remove()
    rmSync(dirname(project), { recursive: true })
  }
  try {
    const pool = new Pool({ connectionString: server.dbUrl, max: 1 })
    const created = await createWorkspace(pool, data.dir, sizes[workspace])
    // Public channels come first.
    const channels = created.channels.slice(0, Math.min(created.channels.length / 2, 20))
    await addMessages(pool, channels)
    await pool.end()
    return {
      server,
      token: created.callers[0]!.token,
      channels: channels.map((channel) => ({ channel, lastSeq: MESSAGES })),
      end,
    }
  } catch (error) {
    await end()
    throw error
  }
}

/** Adds messages of several authors until each channel has `MESSAGES`. */
async function addMessages(pool: Pool, channels: string[]): Promise<void> {
  await pool.query(
    `insert into public.messages (id, channel_id, seq, history_seq, rev, author_id, body, created_at)
     select gen_random_uuid(), k.channel_id, k.last_seq + n, k.last_seq + n, k.rev + n, p.ids[1 + n % cardinality(p.ids)],
       'A message, as long as what people write to each other.', now()
     from public.channel_counters k
     cross join generate_series(1, $2::int - k.last_seq) n
     cross join (select array_agg(id) as ids from (select id from public.profiles limit 20) q) p
     where k.channel_id = any ($1)`,
    [channels, MESSAGES],
  )
  await pool.query(
    `update public.channel_counters set rev = rev + $2::int - last_seq, last_seq = $2::int
     where channel_id = any ($1)`,
    [channels, MESSAGES],
  )
  await pool.query(
    `insert into public.message_changes (message_id, channel_id, rev, history_seq)
     select m.id, m.channel_id, m.rev, m.history_seq from public.messages m where m.channel_id = any ($1)
     on conflict do nothing`,
    [channels],
  )
  await pool.query('vacuum analyze public.messages')
}

/**
 * Creates the tasks that send the requests of a comparison to `/rest/v1`, and the tasks that run the same
 * transactions by raw pg.
 */
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
 * Measures requests to `/rest/v1` and the same transactions by raw pg alternately, so that other load on the machine
 * affects both. Then it compares the medians. It uses Linnet's own schema and policies. Server and load run in
 * separate processes. If LINNET_BENCH_BEFORE is the folder of another checkout, its server gets the same requests in
 * the same rounds.
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
        if (before) targets.push(await startTarget(before, workspace))
        let n = 0
        let isWarm = false
        for (const one of comparisons.filter((other) => other.workspace === workspace)) {
          const [ours, theirs] = targets.map((target) => contendersOf(target, one, () => n++))
          const contenders: Record<string, (ms: number) => Task> = {
            ...ours,
            ...(theirs && { before: theirs.rest }),
          }
          if (!isWarm) await warmUp(loader, atConcurrency(20, Object.values(contenders)))
          isWarm = true
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
