import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import type { Caller } from '../../../wire/claims.ts'
import { begin, isStalePlan, resultsBefore, runPipeline } from '../../postgres/connections/runPipeline.ts'
import type { TransactionStatement } from '../../postgres/connections/TransactionQuery.ts'
import { isUuid } from '../../runtime/isUuid.ts'

export type Extension = 'broadcast' | 'presence'
/** The values of the column `extension` that policies distinguish; `persistence` is only ever checked for writing. */
export type Permission = Extension | 'persistence'

/** May `caller` read or write these extensions of `topic`? */
export interface PermissionCheck {
  caller: Caller
  topic: string
  verb: 'read' | 'write'
  extensions: Permission[]
  /** Whether it may be checked at a lower priority, if it is not the caller's first in a second. */
  canYield?: boolean
  /** Whether the result is no longer needed; the check is then skipped. */
  isCancelled?: () => boolean
}

/**
 * The result of a check: the permissions that its caller has, whether their session has ended and when it will (in ms
 * since 1970, or Infinity), or the error that its policies raised.
 */
export type PolicyResult =
  | { allowed: Permission[]; sessionEnded: boolean; sessionEndsAt: number }
  | { error: Error }

export interface PolicyCheckOptions {
  /** Maximum duration of one statement, as PostgreSQL writes it ("250ms"). */
  statementTimeout: string
  /** Each check in a savepoint of its own, so that an error aborts no other check; it costs twice as much. */
  isolated: boolean
}

const insufficientPrivilege = '42501'
const transactionAborted = '25P02'

interface ProbedCheck extends PermissionCheck {
  probes: { id: string; extension: Permission }[]
}

/**
 * Runs checks in one transaction, each with the role and claims of its caller, and rolls it back. Null for a check that
 * did not run because an earlier one failed. Rejects if the database is unavailable.
 */
export async function checkPolicies(
  client: pg.Client,
  checks: PermissionCheck[],
  o: PolicyCheckOptions,
): Promise<(PolicyResult | null)[]> {
  const batch: ProbedCheck[] = checks.map((check) => ({
    ...check,
    probes: check.extensions.map((extension) => ({ id: randomUUID(), extension })),
  }))
  const opening = [
    begin,
    // Functions of policies that depend on the search path get that of API sessions, not the service's own.
    setLocal('search_path = public, extensions'),
    findLiveSessions(batch),
    insertProbes(batch),
    // From here on policies run.
    setLocal(`statement_timeout = '${o.statementTimeout}'`),
  ]
  const together = o.isolated ? [] : batch.filter(({ verb }) => verb === 'read')
  const reading = settle(
    runPipeline(client, [...opening, ...together.flatMap((check) => [setCaller(check), findProbes(check)])]),
  )
  const separate = batch.filter((check) => !together.includes(check))
  const running = Promise.allSettled(
    separate.map((check) => (o.isolated ? runIsolatedCheck(client, check) : runCheck(client, check))),
  )
  // A lock that a policy took for its session would outlive the transaction.
  const ending = settle(client.query('rollback; select pg_catalog.pg_advisory_unlock_all()'))
  // All are sent before the first is awaited; every promise is handled, whichever fails.
  const [read, results, ended] = await Promise.all([reading, running, ending])
  if ('error' in ended) throw ended.error
  const completed = 'error' in read ? resultsBefore(read.error) : read.value
  if ('error' in read && completed.length < opening.length) throw read.error
  const endsOfLive = new Map(
    completed[2]!.rows.map((row: LiveSession) => [row.id, row.ends_at ?? Infinity] as const),
  )
  const outcomes = new Map<ProbedCheck, PolicyResult | null>()
  const allow = (check: ProbedCheck, allowed: Permission[]): void => {
    const session = sessionId(check)
    const sessionEnded = session !== null && !endsOfLive.has(session)
    outcomes.set(check, { allowed, sessionEnded, sessionEndsAt: endsOfLive.get(session ?? '') ?? Infinity })
  }
  const fail = (check: ProbedCheck, error: Error): void => {
    outcomes.set(check, codeOf(error) === transactionAborted || isStalePlan(error) ? null : { error })
  }
  together.forEach((check, at) => {
    const [set, found] = completed.slice(opening.length + 2 * at, opening.length + 2 * at + 2)
    if (found) allow(check, visibleExtensions(check, found.rows))
    else if ('error' in read && (set || completed.length === opening.length + 2 * at)) fail(check, read.error)
    else outcomes.set(check, null)
  })
  results.forEach((result, at) => {
    if (result.status === 'fulfilled') allow(separate[at]!, result.value)
    else fail(separate[at]!, result.reason as Error)
  })
  return batch.map((check) => outcomes.get(check) ?? null)
}

function setLocal(assignment: string): TransactionStatement {
  const text = `set local ${assignment}`
  return { text, name: text, raw: true }
}

interface LiveSession {
  id: string
  /** In ms since 1970; null: it has no end. */
  ends_at: number | null
}

/** The valid ones of the callers' sessions. */
function findLiveSessions(batch: ProbedCheck[]): TransactionStatement {
  const sessions = batch.map(sessionId).filter((id) => id !== null)
  return {
    name: 'realtime_live_sessions',
    text: `select s.id::text, (extract(epoch from s.ends_at) * 1000)::float8 as ends_at
           from realtime.live_session_ends($1::uuid[]) s`,
    values: [[...new Set(sessions)]],
  }
}

/** The rows that readers must be able to select, inserted by the table's owner, which row security does not apply to. */
function insertProbes(batch: ProbedCheck[]): TransactionStatement {
  const rows = batch
    .filter((check) => check.verb === 'read')
    .flatMap((check) => check.probes.map((probe) => [probe.id, check.topic, probe.extension] as const))
  return {
    name: 'realtime_insert_probes',
    text: `insert into realtime.messages (id, topic, extension)
           select * from unnest($1::uuid[], $2::text[], $3::text[])`,
    values: [rows.map((row) => row[0]), rows.map((row) => row[1]), rows.map((row) => row[2])],
    raw: true,
  }
}

async function runCheck(client: pg.Client, check: ProbedCheck): Promise<Permission[]> {
  const [, allowed] = await Promise.all([
    client.query(setCaller(check)),
    check.verb === 'read'
      ? client.query<{ id: string }>(findProbes(check)).then(({ rows }) => visibleExtensions(check, rows))
      : writeProbes(client, check),
  ])
  return allowed
}

async function runIsolatedCheck(client: pg.Client, check: ProbedCheck): Promise<Permission[]> {
  const [savepoint, result, rolledBack] = await Promise.allSettled([
    client.query('savepoint permission_check'),
    runCheck(client, check),
    client.query('rollback to savepoint permission_check'),
  ])
  const failed = [savepoint, rolledBack].find((step) => step.status === 'rejected')
  if (failed) throw failed.reason
  if (result.status === 'rejected') throw result.reason
  return result.value
}

/** Unlike `runAsCaller`, this serves several callers in one transaction: each call sets everything that the previous one set. */
function setCaller({ caller, topic }: ProbedCheck): TransactionStatement {
  return {
    name: 'realtime_authorize_as',
    text: `select octet_length(concat(
             set_config('request.jwt.claims', $1, true), set_config('request.jwt.claim.sub', $2, true),
             set_config('request.jwt.claim.role', $3, true), set_config('request.headers', '{}', true),
             set_config('realtime.topic', $4, true), set_config('role', $3, true)))`,
    values: [caller.claimsJson, caller.claims.sub ?? '', caller.role, topic],
    raw: true,
  }
}

function findProbes(check: ProbedCheck): TransactionStatement {
  return {
    name: 'realtime_find_probes',
    // The condition on the time selects the one partition that contains the probes.
    text: `select id::text from realtime.messages
           where id = any ($1::uuid[]) and inserted_at = (now() at time zone 'UTC')`,
    values: [check.probes.map((probe) => probe.id)],
  }
}

function visibleExtensions(check: ProbedCheck, rows: { id: string }[]): Permission[] {
  const ids = new Set(rows.map((row) => row.id))
  return check.probes.filter((probe) => ids.has(probe.id)).map((probe) => probe.extension)
}

async function writeProbes(client: pg.Client, check: ProbedCheck): Promise<Permission[]> {
  const written = await Promise.all(
    check.probes.map(async ({ extension }) => {
      const [savepoint, inserted, rolledBack] = await Promise.allSettled([
        client.query('savepoint probe'),
        client.query({
          name: 'realtime_write_probe',
          text: 'insert into realtime.messages (topic, extension) values ($1, $2)',
          values: [check.topic, extension],
        }),
        client.query('rollback to savepoint probe'),
      ])
      const failed = [savepoint, rolledBack].find((step) => step.status === 'rejected')
      if (failed) throw failed.reason
      if (inserted.status === 'fulfilled') return extension
      if (codeOf(inserted.reason) === insufficientPrivilege) return null
      throw inserted.reason
    }),
  )
  return written.filter((extension): extension is Permission => extension !== null)
}

function sessionId(check: ProbedCheck): string | null {
  const id = check.caller.claims.session_id
  return typeof id === 'string' && isUuid(id) ? id.toLowerCase() : null
}

function settle<T>(promise: Promise<T>): Promise<{ value: T } | { error: Error }> {
  return promise.then(
    (value) => ({ value }),
    (error: Error) => ({ error }),
  )
}

/** The SQLSTATE of an error; undefined for errors of other origin. */
export function codeOf(error: unknown): string | undefined {
  return (error as { code?: string }).code
}
