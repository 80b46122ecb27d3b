import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import type { Question, Right } from './authoriser.ts'

/**
 * What came of a question: the rights that its caller has, and whether their session has ended, or the error that
 * its policies raised.
 */
export type Outcome = { allowed: Right[]; sessionEnded: boolean } | { error: Error }

export interface AskOptions {
  /** What one statement may take, as PostgreSQL writes it ("250ms"). */
  patience: string
  /** Each behind a savepoint of its own, so that the error of one takes no other along; it costs twice as much. */
  apart: boolean
}

const uuid = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i
const refused = '42501'
const transactionAborted = '25P02'

interface Asked extends Question {
  probes: { id: string; extension: Right }[]
}

/**
 * Asks questions in one transaction, as the caller of each in turn, and rolls it back. Null where an error
 * of one before it left the question unasked. Rejects where the database itself can't be asked.
 */
export async function askPolicies(
  client: pg.Client,
  questions: Question[],
  o: AskOptions,
): Promise<(Outcome | null)[]> {
  const batch: Asked[] = questions.map((question) => ({
    ...question,
    probes: question.extensions.map((extension) => ({ id: randomUUID(), extension })),
  }))
  const opening = settle(
    Promise.all([
      // Functions of policies that lean on a search path find that of API sessions, not the service's own.
      client.query('begin; set local search_path = public, extensions'),
      findLiveSessions(client, batch),
      insertProbes(client, batch),
      // From here on the policies have the word.
      client.query(`set local statement_timeout = '${o.patience}'`),
    ]),
  )
  const asking = Promise.allSettled(
    batch.map((asked) => (o.apart ? askApart(client, asked) : ask(client, asked))),
  )
  // A lock that a policy took for its session would outlive the transaction.
  const ending = settle(client.query('rollback; select pg_catalog.pg_advisory_unlock_all()'))
  // All are on the wire before the first is awaited; whichever fails, every promise is looked at.
  const [opened, answers, ended] = await Promise.all([opening, asking, ending])
  if ('error' in opened) throw opened.error
  if ('error' in ended) throw ended.error
  const live = opened.value[1]
  return answers.map((answer, at) => {
    if (answer.status === 'fulfilled') {
      const session = sessionId(batch[at]!)
      return { allowed: answer.value, sessionEnded: session !== null && !live.has(session) }
    }
    return codeOf(answer.reason) === transactionAborted ? null : { error: answer.reason as Error }
  })
}

async function findLiveSessions(client: pg.Client, batch: Asked[]): Promise<Set<string>> {
  const sessions = batch.map(sessionId).filter((id) => id !== null)
  const { rows } = await client.query<{ id: string }>({
    name: 'realtime_live_sessions',
    text: 'select id::text from realtime.live_sessions($1::uuid[]) id',
    values: [[...new Set(sessions)]],
  })
  return new Set(rows.map((row) => row.id))
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

async function ask(client: pg.Client, asked: Asked): Promise<Right[]> {
  const [, allowed] = await Promise.all([
    become(client, asked),
    asked.verb === 'read' ? findProbes(client, asked) : writeProbes(client, asked),
  ])
  return allowed
}

async function askApart(client: pg.Client, asked: Asked): Promise<Right[]> {
  const [saved, answer, undone] = await Promise.allSettled([
    client.query('savepoint question'),
    ask(client, asked),
    client.query('rollback to savepoint question'),
  ])
  const failed = [saved, undone].find((step) => step.status === 'rejected')
  if (failed) throw failed.reason
  if (answer.status === 'rejected') throw answer.reason
  return answer.value
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

async function findProbes(client: pg.Client, asked: Asked): Promise<Right[]> {
  const seen = await client.query<{ id: string }>({
    name: 'realtime_see_probes',
    // The time names the one partition that the probes are in.
    text: `select id::text from realtime.messages
           where id = any ($1::uuid[]) and inserted_at = (now() at time zone 'UTC')`,
    values: [asked.probes.map((probe) => probe.id)],
  })
  const ids = new Set(seen.rows.map((row) => row.id))
  return asked.probes.filter((probe) => ids.has(probe.id)).map((probe) => probe.extension)
}

async function writeProbes(client: pg.Client, asked: Asked): Promise<Right[]> {
  const written = await Promise.all(
    asked.probes.map(async ({ extension }) => {
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
      if (codeOf(inserted.reason) === refused) return null
      throw inserted.reason
    }),
  )
  return written.filter((extension): extension is Right => extension !== null)
}

function sessionId(asked: Asked): string | null {
  const id = asked.caller.claims.session_id
  return typeof id === 'string' && uuid.test(id) ? id.toLowerCase() : null
}

function settle<T>(promise: Promise<T>): Promise<{ value: T } | { error: Error }> {
  return promise.then(
    (value) => ({ value }),
    (error: Error) => ({ error }),
  )
}

/** The SQLSTATE of an error; undefined where it is none of the database. */
export function codeOf(error: unknown): string | undefined {
  return (error as { code?: string }).code
}
