import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import type { Caller } from '../../wire/claims.ts'
import type { Log } from '../log.ts'
import type { Pool } from '../postgres/pool.ts'

export type Extension = 'broadcast' | 'presence'

/** May `caller` read or write these extensions of `topic`? */
export interface Question {
  caller: Caller
  topic: string
  verb: 'read' | 'write'
  extensions: Extension[]
}

/** `unavailable`: nobody could be asked; `refused` by an ended session or a policy that raised an error. */
export type Answer =
  | { outcome: 'answered'; allowed: Extension[] }
  | { outcome: 'refused'; why: 'session-ended' | 'policy-error' }
  | { outcome: 'unavailable' }

export interface Authoriser {
  /** Never rejects. Questions asked at the same time share a transaction. */
  ask(question: Question): Promise<Answer>
}

interface Asked extends Question {
  probes: { id: string; extension: Extension }[]
  answer: (answer: Answer) => void
}

/** Connections used at once, and questions of one transaction at most. */
const lanes = 2
const largestBatch = 100
/**
 * A policy slower than this is refused, so that it can't hold up the others for long. Functions of policies
 * that lean on a search path find that of API sessions, not the service's own.
 */
const begin = `begin; set local statement_timeout = '5s'; set local search_path = public, extensions`
const uuid = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i
const transactionAborted = '25P02'

/**
 * Asks the policies on realtime.messages, as the hosted service does: to read is to see a row of one's
 * topic and extension, to write is to insert one, as the caller with `realtime.topic()` set, in a
 * transaction that is rolled back. A session that is gone from auth.sessions may do neither.
 * @param pool of supabase_realtime_admin, who owns the table and may become any API role
 */
export function createAuthoriser(pool: Pool, log: Log): Authoriser {
  let waiting: Asked[] = []
  let running = 0
  let scheduled = false

  const pump = (): void => {
    scheduled = false
    while (running < lanes && waiting.length > 0) {
      const batch = waiting.slice(0, largestBatch)
      waiting = waiting.slice(largestBatch)
      running++
      void answerAll(batch).finally(() => {
        running--
        pump()
      })
    }
  }

  const answerAll = async (batch: Asked[]): Promise<void> => {
    try {
      let left = batch
      // Each round answers one question at least: the first that failed is refused, those behind it,
      // which its error took along, are asked again.
      while (left.length > 0) left = await pool.withClient((client) => askTogether(client, left, log))
    } catch (error) {
      log.error('realtime authorisation unavailable', { reason: (error as Error).message })
      for (const asked of batch) asked.answer({ outcome: 'unavailable' })
    }
  }

  return {
    ask: (question) =>
      new Promise((answer) => {
        // PostgreSQL has no such text: it would refuse all that are asked with it.
        if (question.topic.includes('\0')) return answer({ outcome: 'refused', why: 'policy-error' })
        const probes = question.extensions.map((extension) => ({ id: randomUUID(), extension }))
        waiting.push({ ...question, probes, answer })
        if (scheduled) return
        scheduled = true
        // After the frames that arrived with this one were read: their joins go together.
        setImmediate(pump)
      }),
  }
}

/** Answers what it can; returns the questions that have to be asked again. */
async function askTogether(client: pg.Client, batch: Asked[], log: Log): Promise<Asked[]> {
  const sessions = batch.map(sessionId).filter((id) => id !== null)
  const opening = Promise.all([
    client.query(begin),
    client.query<{ id: string }>({
      name: 'realtime_live_sessions',
      text: 'select id::text from realtime.live_sessions($1::uuid[]) id',
      values: [[...new Set(sessions)]],
    }),
    insertProbes(client, batch),
  ])
  const asking = batch.map((asked) =>
    asked.verb === 'read' ? askRead(client, asked) : askWrite(client, asked),
  )
  const settled = Promise.allSettled(asking)
  const ending = client.query('rollback')
  // All are on the wire before the first is awaited; whichever fails, every promise is looked at.
  const [opened, results, ended] = await Promise.all([
    opening.then(
      (value) => ({ live: new Set(value[1].rows.map((row) => row.id)) }),
      (error: Error) => ({ error }),
    ),
    settled,
    ending.then(
      () => null,
      (error: Error) => error,
    ),
  ])
  if ('error' in opened) throw opened.error
  if (ended) throw ended

  const again: Asked[] = []
  results.forEach((result, at) => {
    const asked = batch[at]!
    const session = sessionId(asked)
    if (session && !opened.live.has(session)) asked.answer({ outcome: 'refused', why: 'session-ended' })
    else if (result.status === 'fulfilled') asked.answer({ outcome: 'answered', allowed: result.value })
    else if (codeOf(result.reason) === transactionAborted) again.push(asked)
    else {
      log.warn('realtime policy error', { topic: asked.topic, reason: (result.reason as Error).message })
      asked.answer({ outcome: 'refused', why: 'policy-error' })
    }
  })
  return again
}

/** The rows that readers must see, written by the table's owner, past row security. */
function insertProbes(client: pg.Client, batch: Asked[]): Promise<unknown> {
  const rows = batch
    .filter((asked) => asked.verb === 'read')
    .flatMap((asked) => asked.probes.map((probe) => [probe.id, asked.topic, probe.extension] as const))
  if (rows.length === 0) return Promise.resolve()
  return client.query({
    name: 'realtime_insert_probes',
    text: `insert into realtime.messages (id, topic, extension)
           select * from unnest($1::uuid[], $2::text[], $3::text[])`,
    values: [rows.map((row) => row[0]), rows.map((row) => row[1]), rows.map((row) => row[2])],
  })
}

/** Several callers take turns in one transaction, which `asCaller` can't: each sets all that the last one set. */
function become(client: pg.Client, { caller, topic }: Asked): Promise<unknown> {
  return client.query({
    name: 'realtime_become',
    text: `select octet_length(concat(
             set_config('request.jwt.claims', $1, true), set_config('request.jwt.claim.sub', $2, true),
             set_config('request.jwt.claim.role', $3, true), set_config('request.headers', '{}', true),
             set_config('realtime.topic', $4, true), set_config('role', $3, true)))`,
    values: [caller.claimsJson, caller.claims.sub ?? '', caller.role, topic],
  })
}

async function askRead(client: pg.Client, asked: Asked): Promise<Extension[]> {
  const [, seen] = await Promise.all([
    become(client, asked),
    client.query<{ id: string }>({
      name: 'realtime_see_probes',
      // The time names the one partition that the probes are in.
      text: `select id::text from realtime.messages
             where id = any ($1::uuid[]) and inserted_at = (now() at time zone 'UTC')`,
      values: [asked.probes.map((probe) => probe.id)],
    }),
  ])
  const ids = new Set(seen.rows.map((row) => row.id))
  return asked.probes.filter((probe) => ids.has(probe.id)).map((probe) => probe.extension)
}

async function askWrite(client: pg.Client, asked: Asked): Promise<Extension[]> {
  const becoming = become(client, asked)
  const inserts = asked.probes.map(async ({ extension }) => {
    const [saved, inserted, undone] = await Promise.allSettled([
      client.query('savepoint probe'),
      client.query({
        name: 'realtime_write_probe',
        text: 'insert into realtime.messages (topic, extension) values ($1, $2)',
        values: [asked.topic, extension],
      }),
      client.query('rollback to savepoint probe'),
    ])
    const failed = [saved, undone].find((step) => step.status === 'rejected')
    if (failed) throw failed.reason
    if (inserted.status === 'fulfilled') return extension
    if (codeOf(inserted.reason) === '42501') return null
    throw inserted.reason
  })
  const [, ...written] = await Promise.all([becoming, ...inserts])
  return written.filter((extension): extension is Extension => extension !== null)
}

function sessionId(asked: Asked): string | null {
  const id = asked.caller.claims.session_id
  return typeof id === 'string' && uuid.test(id) ? id.toLowerCase() : null
}

function codeOf(error: unknown): string | undefined {
  return (error as { code?: string }).code
}
