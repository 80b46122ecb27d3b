import type { Pool } from '../../postgres/connections/pool.ts'
import type { Outcome, QueuedRequest } from './sendRequest.ts'

/** How long a response is stored, unless the setting pg_net.ttl of the database has another value. */
const defaultTtl = '6 hours'
/** Expired responses that one statement deletes. */
const expireBatchSize = 1_000

/** A request and its result. */
export interface CompletedRequest {
  /** bigint */
  id: string
  outcome: Outcome
}

/** net.http_request_queue and net._http_response. All methods reject if the extension was dropped. */
export interface RequestQueue {
  /**
   * The oldest requests except those of `inProgress` and those for one of these receivers. They stay in the queue until
   * they are finished.
   */
  next(inProgress: string[], exceptReceivers: string[], limit: number): Promise<QueuedRequest[]>
  /** Who receives a request: a function of this server, or else scheme, host and port as written; empty without them. */
  receiverOf(url: string): string
  /** Removes requests from the queue and stores their responses, in one statement. */
  finish(completed: CompletedRequest[]): Promise<void>
  /** Removes a request from the queue without a response. */
  drop(id: string): Promise<void>
  /** Deletes responses that are older than the setting allows. */
  expire(): Promise<void>
  /** Number of queued requests. */
  count(): Promise<number>
}

/** For JavaScript and PostgreSQL. */
const originPattern = '^[^/]*//[^/?#]*'
const functionPattern = `${originPattern}/functions/v1/[^/?#]*`
const originOf = new RegExp(originPattern)
const functionOf = new RegExp(functionPattern)

/**
 * @param o.pool of supabase_functions_admin
 * @param o.ownOrigins of this server
 */
export function createRequestQueue({
  pool,
  ownOrigins,
}: {
  pool: Pool
  ownOrigins: () => string[]
}): RequestQueue {
  return {
    receiverOf(url) {
      const origin = originOf.exec(url)?.[0] ?? ''
      return (ownOrigins().includes(origin) && functionOf.exec(url)?.[0]) || origin
    },
    async next(inProgress, exceptReceivers, limit) {
      const { rows } = await pool.query<QueuedRequest & Record<string, unknown>>(
        `select id::text, method::text, url, headers, body, timeout_milliseconds from net.http_request_queue
         where id <> all($1::bigint[]) and (cardinality($2::text[]) = 0 or coalesce(
           case when substring(url from '${originPattern}') = any($3::text[])
             then substring(url from '${functionPattern}') end,
           substring(url from '${originPattern}'), '') <> all($2::text[]))
         order by id limit $4`,
        [inProgress, exceptReceivers, ownOrigins(), limit],
      )
      return rows
    },
    async finish(completed) {
      await pool.query(
        `with answered as (
           select * from jsonb_to_recordset($1::jsonb) as a (id bigint, status_code integer, content_type text,
             headers jsonb, content text, timed_out boolean, error_msg text)
         ), finished as (delete from net.http_request_queue q using answered a where q.id = a.id)
         insert into net._http_response (id, status_code, content_type, headers, content, timed_out, error_msg)
         select * from answered`,
        [JSON.stringify(completed.map(({ id, outcome }) => ({ id, ...outcome })))],
      )
    },
    async drop(id) {
      await pool.query('delete from net.http_request_queue where id = $1', [id])
    },
    async expire() {
      const text = `delete from net._http_response where ctid = any(array(
        select ctid from net._http_response
        where created < now() - coalesce(nullif(current_setting('pg_net.ttl', true), ''), $1)::interval
        order by created limit $2))`
      while ((await pool.query(text, [defaultTtl, expireBatchSize])).rowCount === expireBatchSize);
    },
    async count() {
      const { rows } = await pool.query<{ count: string }>('select count(*) from net.http_request_queue')
      return Number(rows[0]!.count)
    },
  }
}

/** The extension or its tables were dropped: there is nothing to do until they are created again. */
export function isDropped(error: unknown): boolean {
  return ['42P01', '3F000', '42501'].includes((error as { code?: string }).code ?? '')
}
