import { afterAll, beforeAll, expect, it } from 'vitest'
import { createPool } from '../../backend/postgres/connections/pool.ts'
import type { Pool } from '../../backend/postgres/connections/pool.ts'
import { activateEnglish } from '../support/activateEnglish.ts'
import { startBackend } from '../support/backend.ts'
import type { Backend } from '../support/backend.ts'
import { createPeople } from './people.ts'
import type { TestClient } from './people.ts'
import { closeConnections } from './post.ts'
import { runConcurrentCommands } from './runConcurrentCommands.ts'
import { runSends } from './runSends.ts'
import { checkArrived, findGaps } from './checkSequences.ts'

let backend: Backend
let admin: Pool
let fixture: { workspace: string; lobby: string; people: TestClient[] }

beforeAll(async () => {
  activateEnglish()
  backend = await startBackend()
  admin = createPool({ connectionString: backend.dbUrl }, { max: 1, name: 'idempotency' })
  fixture = await createPeople(backend, admin, 8, 1)
})
afterAll(async () => {
  closeConnections()
  await admin?.end()
  await backend?.stop()
})

it('stores each message once and in order when requests are duplicated and interrupted', async () => {
  const people = fixture.people.slice(0, 6)
  const report = await runSends(admin, { workspace: fixture.workspace, people, sends: 120 })
  expect(report).toEqual({ sends: 120, rows: 120, gaps: [], misordered: [] })
})

it('numbers concurrent changes without gaps or deadlocks, in any order of channels', async () => {
  const { faults, deadlocks, gaps, requests } = await runConcurrentCommands(admin, { ...fixture, rounds: 1 })
  expect({ faults, deadlocks, gaps }).toEqual({ faults: [], deadlocks: 0, gaps: [] })
  expect(requests).toBeGreaterThan(500)
})

it('the checks detect messages that are missing, misordered or leave a gap', async () => {
  const { rows } = await admin.query(
    `select id, channel_id as channel, author_id as author, thread_root as root, body,
       seq is not null and thread_root is not null as "alsoToChannel"
     from public.messages where kind = 'text' and thread_root is null and author_id = $1 order by channel_id, seq`,
    [fixture.people[1]!.profile],
  )
  const written = rows as unknown as Parameters<typeof checkArrived>[1]
  expect(await checkArrived(admin, written)).toMatchObject({ rows: written.length, misordered: [] })
  expect((await checkArrived(admin, written.toReversed())).misordered.length).toBeGreaterThan(0)
  const left = await admin.query(
    'delete from public.messages where id = $1 and last_thread_seq = 0 returning id',
    [written.find((one) => one.body.startsWith('person'))!.id],
  )
  expect(left.rows).toHaveLength(1)
  expect((await checkArrived(admin, written)).rows).toBe(written.length - 1)
  expect((await findGaps(admin)).length).toBeGreaterThan(0)
})
