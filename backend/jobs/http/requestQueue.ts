import type { Pool } from '../../postgres/connections/pool.ts'
import type { Outcome, QueuedRequest } from './sendRequest.ts'

/** How long an answer is kept, unless the database's setting pg_net.ttl says otherwise. */
const usualTtl = '6 hours'
/** Expired answers that one statement takes away. */
const expiredAtOnce = 1_000

/** A request and what became of it. */
export interface Answered {
  /** bigint */
  id: string
  outcome: Outcome
}

/** net.http_request_queue and net._http_response. Each rejects where the extension has been dropped. */
export interface RequestQueue {
  /** The oldest requests, but those of `taken`. They stay in the queue until they are finished. */
  next(taken: string[], limit: number): Promise<QueuedRequest[]>
  /** Takes requests off the queue and keeps their answers, or neither. */
  finish(answered: Answered[]): Promise<void>
  /** Takes a request off the queue without an answer. */
  drop(id: string): Promise<void>
  /** Forgets answers that are older than the setting says. */
  expire(): Promise<void>
  /** How many wait. */
  count(): Promise<number>
}

/** @param pool of supabase_functions_admin */
export function createRequestQueue(pool: Pool): RequestQueue {
  return {
    async next(taken, limit) {
      const { rows } = await pool.query<QueuedRequest & Record<string, unknown>>(
        `select id::text, method::text, url, headers, body, timeout_milliseconds from net.http_request_queue
         where id <> all($1::bigint[]) order by id limit $2`,
        [taken, limit],
      )
      return rows
    },
    async finish(answered) {
      await pool.query(
        `with answered as (
           select * from jsonb_to_recordset($1::jsonb) as a (id bigint, status_code integer, content_type text,
             headers jsonb, content text, timed_out boolean, error_msg text)
         ), finished as (delete from net.http_request_queue q using answered a where q.id = a.id)
         insert into net._http_response (id, status_code, content_type, headers, content, timed_out, error_msg)
         select * from answered`,
        [JSON.stringify(answered.map(({ id, outcome }) => ({ id, ...outcome })))],
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
      while ((await pool.query(text, [usualTtl, expiredAtOnce])).rowCount === expiredAtOnce);
    },
    async count() {
      const { rows } = await pool.query<{ count: string }>('select count(*) from net.http_request_queue')
      return Number(rows[0]!.count)
    },
  }
}

/** The project has dropped the extension, or its tables: there is nothing to do until it makes them again. */
export function isDropped(error: unknown): boolean {
  return ['42P01', '3F000', '42501'].includes((error as { code?: string }).code ?? '')
}
