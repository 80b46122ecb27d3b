import { afterAll, beforeAll, expect, it } from 'vitest'
import { createPool } from '../../backend/postgres/connections/pool.ts'
import type { Pool } from '../../backend/postgres/connections/pool.ts'
import { speakEnglish } from '../law/home/speakEnglish.ts'
import { startBackend } from '../support/backend.ts'
import type { Backend } from '../support/backend.ts'
import { gather } from './people.ts'
import type { Asker } from './people.ts'
import { closeConnections } from './post.ts'
import { runCrowd } from './runCrowd.ts'
import { runSends } from './runSends.ts'
import { arrived, holesIn } from './sequences.ts'

let backend: Backend
let admin: Pool
let there: { workspace: string; lobby: string; people: Asker[] }

beforeAll(async () => {
  speakEnglish()
  backend = await startBackend()
  admin = createPool({ connectionString: backend.dbUrl }, { max: 1, name: 'sends' })
  there = await gather(backend, admin, 8)
})
afterAll(async () => {
  closeConnections()
  await admin?.end()
  await backend?.stop()
})

it('keeps each message once and in order, however requests are doubled and cut', async () => {
  const people = there.people.slice(0, 6)
  const report = await runSends(admin, { workspace: there.workspace, people, sends: 120 })
  expect(report).toEqual({ sends: 120, rows: 120, holes: [], misordered: [] })
})

it('numbers without a hole or a deadlock what a crowd does at once, in crossing order', async () => {
  const { faults, deadlocks, holes, requests } = await runCrowd(admin, { ...there, rounds: 1 })
  expect({ faults, deadlocks, holes }).toEqual({ faults: [], deadlocks: 0, holes: [] })
  expect(requests).toBeGreaterThan(500)
})

it('would notice a message that is missing, in the wrong place, or between two others', async () => {
  const { rows } = await admin.query(
    `select id, channel_id as channel, author_id as author, thread_root as root, body,
       seq is not null and thread_root is not null as "alsoToChannel"
     from public.messages where kind = 'text' and thread_root is null and author_id = $1 order by channel_id, seq`,
    [there.people[1]!.profile],
  )
  const written = rows as unknown as Parameters<typeof arrived>[1]
  expect(await arrived(admin, written)).toMatchObject({ rows: written.length, misordered: [] })
  expect((await arrived(admin, written.toReversed())).misordered.length).toBeGreaterThan(0)
  const left = await admin.query(
    'delete from public.messages where id = $1 and last_thread_seq = 0 returning id',
    [written.find((one) => one.body.startsWith('person'))!.id],
  )
  expect(left.rows).toHaveLength(1)
  expect((await arrived(admin, written)).rows).toBe(written.length - 1)
  expect((await holesIn(admin)).length).toBeGreaterThan(0)
})
