import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import type { Caller } from '../../../wire/claims.ts'
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
  const opening = settle(
    Promise.all([
      // Functions of policies that depend on the search path get that of API sessions, not the service's own.
      client.query('begin; set local search_path = public, extensions'),
      findLiveSessions(client, batch),
      insertProbes(client, batch),
      // From here on policies run.
      client.query(`set local statement_timeout = '${o.statementTimeout}'`),
    ]),
  )
  const running = Promise.allSettled(
    batch.map((check) => (o.isolated ? runIsolatedCheck(client, check) : runCheck(client, check))),
  )
  // A lock that a policy took for its session would outlive the transaction.
  const ending = settle(client.query('rollback; select pg_catalog.pg_advisory_unlock_all()'))
  // All are sent before the first is awaited; every promise is handled, whichever fails.
  const [opened, results, ended] = await Promise.all([opening, running, ending])
  if ('error' in opened) throw opened.error
  if ('error' in ended) throw ended.error
  const live = opened.value[1]
  return results.map((result, at) => {
    if (result.status === 'fulfilled') {
      const session = sessionId(batch[at]!)
      return {
        allowed: result.value,
        sessionEnded: session !== null && !live.has(session),
        sessionEndsAt: live.get(session ?? '') ?? Infinity,
      }
    }
    return codeOf(result.reason) === transactionAborted ? null : { error: result.reason as Error }
  })
}

/** The valid ones of the callers' sessions, with when they end: in ms since 1970, or Infinity. */
async function findLiveSessions(client: pg.Client, batch: ProbedCheck[]): Promise<Map<string, number>> {
  const sessions = batch.map(sessionId).filter((id) => id !== null)
  const { rows } = await client.query<{ id: string; ends_at: number | null }>({
    name: 'realtime_live_sessions',
    text: `select s.id::text, (extract(epoch from s.ends_at) * 1000)::float8 as ends_at
           from realtime.live_session_ends($1::uuid[]) s`,
    values: [[...new Set(sessions)]],
  })
  return new Map(rows.map((row) => [row.id, row.ends_at ?? Infinity]))
}

/** The rows that readers must be able to select, inserted by the table's owner, which row security does not apply to. */
function insertProbes(client: pg.Client, batch: ProbedCheck[]): Promise<unknown> {
  const rows = batch
    .filter((check) => check.verb === 'read')
    .flatMap((check) => check.probes.map((probe) => [probe.id, check.topic, probe.extension] as const))
  if (rows.length === 0) return Promise.resolve()
  return client.query({
    name: 'realtime_insert_probes',
    text: `insert into realtime.messages (id, topic, extension)
           select * from unnest($1::uuid[], $2::text[], $3::text[])`,
    values: [rows.map((row) => row[0]), rows.map((row) => row[1]), rows.map((row) => row[2])],
  })
}

async function runCheck(client: pg.Client, check: ProbedCheck): Promise<Permission[]> {
  const [, allowed] = await Promise.all([
    setCaller(client, check),
    check.verb === 'read' ? findProbes(client, check) : writeProbes(client, check),
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

/** Unlike `asCaller`, this serves several callers in one transaction: each call sets everything that the previous one set. */
function setCaller(client: pg.Client, { caller, topic }: ProbedCheck): Promise<unknown> {
  return client.query({
    name: 'realtime_authorize_as',
    text: `select octet_length(concat(
             set_config('request.jwt.claims', $1, true), set_config('request.jwt.claim.sub', $2, true),
             set_config('request.jwt.claim.role', $3, true), set_config('request.headers', '{}', true),
             set_config('realtime.topic', $4, true), set_config('role', $3, true)))`,
    values: [caller.claimsJson, caller.claims.sub ?? '', caller.role, topic],
  })
}

async function findProbes(client: pg.Client, check: ProbedCheck): Promise<Permission[]> {
  const visible = await client.query<{ id: string }>({
    name: 'realtime_find_probes',
    // The condition on the time selects the one partition that contains the probes.
    text: `select id::text from realtime.messages
           where id = any ($1::uuid[]) and inserted_at = (now() at time zone 'UTC')`,
    values: [check.probes.map((probe) => probe.id)],
  })
  const ids = new Set(visible.rows.map((row) => row.id))
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
