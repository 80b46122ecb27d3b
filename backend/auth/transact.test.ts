import type pg from 'pg'
import { expect, test } from 'vitest'
import type { Pool } from '../postgres/connections/pool.ts'
import type { AuthContext } from './AuthContext.ts'
import { callOutside, leaveMainPool, makeOnce, transact } from './transact.ts'

/** A pool that counts open and committed transactions. */
function fakePool() {
  const counts = { open: 0, begun: 0, committed: 0 }
  const pool = {
    async transaction<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
      counts.begun++
      counts.open++
      try {
        const result = await work({ query: () => Promise.resolve() } as unknown as pg.Client)
        counts.committed++
        return result
      } finally {
        counts.open--
      }
    },
  }
  return { pool: pool as unknown as Pool, seen: counts }
}

const contextOf = (pool: Pool, waitingPool: Pool | null = null): AuthContext =>
  ({ pool, hooks: { waitingPool } }) as unknown as AuthContext

test('holds no connection during an external call, whose outcome the second run finds', async () => {
  const { pool, seen: counts } = fakePool()
  const actions: string[] = []
  const made: number[] = []
  const result = await transact(contextOf(pool), async (tx) => {
    tx.afterCommit(() => actions.push('mail'))
    made.push(makeOnce(tx, 'code', () => made.length))
    return callOutside(tx, 'hook', () => Promise.resolve(`held: ${counts.open}`))
  })
  expect(result).toBe('held: 0')
  expect(counts).toEqual({ open: 0, begun: 2, committed: 1 })
  expect(made).toEqual([0, 0])
  expect(actions).toEqual(['mail'])
})

test('repeats a call whose input changed, and keeps the rejection of the next run', async () => {
  const { pool, seen: counts } = fakePool()
  let role = 'member'
  const called: string[] = []
  const issue = transact(contextOf(pool), async (tx) => {
    if (role === 'banned') throw new Error('banned')
    return callOutside(tx, `claims of a ${role}`, async () => {
      called.push(role)
      role = role === 'member' ? 'guest' : 'banned'
    })
  })
  await expect(issue).rejects.toThrow('banned')
  expect(called).toEqual(['member', 'guest'])
  expect(counts.committed).toBe(0)
})

test('throws the error of a call where it was made', async () => {
  const { pool, seen: counts } = fakePool()
  const result = await transact(contextOf(pool), (tx) =>
    callOutside(tx, 'hook', () => Promise.reject(new Error('refused'))).catch((error: Error) =>
      // As notifications do, whose failure must not undo the change.
      error.message === 'refused' ? 'went on' : Promise.reject(error),
    ),
  )
  expect(result).toBe('went on')
  expect(counts.committed).toBe(1)
})

test('throws a conflict if the input of a call changes in every run', async () => {
  const { pool } = fakePool()
  let count = 0
  const endless = transact(contextOf(pool), (tx) =>
    callOutside(tx, `event ${count++}`, () => Promise.resolve()),
  )
  await expect(endless).rejects.toMatchObject({ status: 409, code: 'conflict' })
})

test('runs PostgreSQL functions and waits for locks on other connections', async () => {
  const main = fakePool()
  const other = fakePool()
  const ctx = contextOf(main.pool, other.pool)
  await transact(ctx, async (tx) => leaveMainPool(tx, other.pool))
  expect([main.seen.committed, other.seen.committed]).toEqual([0, 1])
  await transact(ctx, async () => {
    if (main.seen.open > 0) throw Object.assign(new Error('lock timeout'), { code: '55P03' })
  })
  expect([main.seen.committed, other.seen.committed]).toEqual([0, 2])
})
