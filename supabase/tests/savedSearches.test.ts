import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { userTopic } from '../../wire/events.ts'
import type { SavedSearch } from '../../wire/messages.ts'
import { collectBroadcasts } from './support/collectBroadcasts.ts'
import { testDatabases } from './support/testDatabases.ts'
import { openFixture, type TestTransaction, type Fixture } from './support/fixture.ts'

describe.each(testDatabases)('saved searches on $name', ({ open }) => {
  let fixture: Fixture
  beforeAll(async () => {
    fixture = await openFixture(await open())
  })
  afterAll(() => fixture.stop())

  const save = (s: TestTransaction, name: string, query = 'from:ann rota', id: string = randomUUID()) =>
    s.rows(`insert into public.saved_searches (id, workspace_id, name, query) values ($1, $2, $3, $4)`, [
      id,
      fixture.workspace,
      name,
      query,
    ])
  const refused = async (s: TestTransaction, name: string, query?: string): Promise<unknown> => {
    const { code, constraint } = await s.refusal((t) => save(t, name, query))
    return constraint ?? code
  }

  it('belong to one person, who renames and deletes them', async () => {
    const id = randomUUID()
    await fixture.committedAs('bea', (s) => save(s, 'Rota', 'from:ann rota', id))
    for (const who of ['ann', 'gus', 'omar'] as const) {
      await fixture.rolledBackAs(who, async (s) => {
        expect(await s.rows('select id from public.saved_searches')).toEqual([])
        expect(await s.rows(`update public.saved_searches set name = 'x' where true returning id`)).toEqual(
          [],
        )
        expect(await s.rows('delete from public.saved_searches where true returning id')).toEqual([])
      })
    }
    await fixture.rolledBackAs('ann', async (s) => {
      // An error would reveal that the id is used.
      await save(s, 'Mine', 'x', id)
      expect(await s.value('select count(*)::int from public.saved_searches')).toBe(1)
    })
    expect(await fixture.rolledBackAs('omar', (s) => refused(s, 'Mine'))).toMatch(/^42501$|^23502$/)
    await fixture.rolledBackAs('bea', async (s) => {
      await s.rows(`update public.saved_searches set name = 'Shifts' where id = $1`, [id])
      expect(await s.rows('select name, query from public.saved_searches')).toEqual([
        { name: 'Shifts', query: 'from:ann rota' },
      ])
      await s.rows('delete from public.saved_searches where id = $1', [id])
      await save(s, 'Shifts', 'from:ann rota', id)
      expect(await s.value('select count(*)::int from public.saved_searches')).toBe(1)
    })
  })

  it('are sent to the devices of their owner, at once and with what changed since', async () => {
    const id = randomUUID()
    const bootstrap = (stored = {}) =>
      fixture.rolledBackAs('gus', async (s) => {
        const { own, digests } = await s.call('bootstrap', { stored })
        return { searches: own.searches, digests }
      })
    const changes = [
      (s: TestTransaction) => save(s, 'Rota', 'in:#lobby rota', id),
      (s: TestTransaction) => s.rows(`update public.saved_searches set name = 'Shifts' where id = $1`, [id]),
      (s: TestTransaction) => s.rows('delete from public.saved_searches where id = $1', [id]),
    ]
    const { digests } = await bootstrap()
    const revs: number[] = []
    for (const [index, change] of changes.entries()) {
      const events = await collectBroadcasts(fixture, 'gus', change)
      const [event] = events
      const row = [{ name: 'Rota' }, { name: 'Shifts' }, { state: null }][index]
      expect(events).toHaveLength(1)
      expect(event).toMatchObject({
        topic: userTopic(fixture.profile.gus),
        event: 'search',
        payload: { id, workspace_id: fixture.workspace, ...row },
      })
      const { workspace_id: _, ...sent } = event!.payload as SavedSearch & { workspace_id: string }
      const after = await bootstrap(digests)
      expect(after.searches).toEqual(sent.rev ? [sent] : [])
      Object.assign(digests, after.digests)
      expect((await bootstrap(digests)).searches).toBeUndefined()
      revs.push(sent.rev)
    }
    expect(revs[1]).toBeGreaterThan(revs[0]!)
  })

  it('have a bounded name and query, and are at most 50', async () => {
    await fixture.rolledBackAs('gus', async (s) => {
      expect(await refused(s, ' ')).toBe('saved_searches_name_length')
      expect(await refused(s, 'x'.repeat(81))).toBe('saved_searches_name_length')
      expect(await refused(s, 'a\nb')).toBe('saved_searches_name_legible')
      expect(await refused(s, '\u202Eretsae')).toBe('saved_searches_name_legible')
      expect(await refused(s, 'x', ' ')).toBe('saved_searches_query_length')
      expect(await refused(s, 'x', 'y'.repeat(501))).toBe('saved_searches_query_length')
      await save(s, 'x'.repeat(80), 'y'.repeat(500))
      await s.rows(
        `insert into public.saved_searches (id, workspace_id, name, query)
         select gen_random_uuid(), $1, 'n ' || i, 'x' from generate_series(1, 49) i`,
        [fixture.workspace],
      )
      expect(await refused(s, 'One more')).toBe('saved_searches_at_most_fifty')
      await s.rows(`delete from public.saved_searches where name = 'n 7'`)
      await save(s, 'One more')
    })
  })

  it('are deleted when a former member is erased', async () => {
    await fixture.service(async (s) => {
      const person = fixture.profile.dee
      await s.rows(
        `insert into public.saved_searches (id, workspace_id, profile_id, name, query)
         values (gen_random_uuid(), $1, $2, 'Rota', 'rota')`,
        [fixture.workspace, person],
      )
      await s.rows(
        `select set_config('request.jwt.claims', jsonb_build_object('sub', $1::text, 'session_id', $1::text)::text, true)`,
        [fixture.account.ann],
      )
      await s.call('erase_person', { workspace: fixture.workspace, person })
      const count = 'select count(*)::int from public.saved_searches where profile_id = $1'
      expect(await s.value(count, [person])).toBe(0)
    })
  })
})
