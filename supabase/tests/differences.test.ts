/* oxlint-disable vitest/valid-expect -- the second argument of expect names the case that failed */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Heartbeat, Bootstrap, Digests } from '../../wire/sync.ts'
import { testDatabases } from './support/testDatabases.ts'
import { openFixture, type Name, type TestTransaction, type Fixture } from './support/fixture.ts'

/** Everybody whose start succeeds; Omar and those who lost their membership have no workspace. */
const people = ['ann', 'bea', 'cem', 'gus', 'omar', 'zoe', 'dee', 'eli', 'max'] as const satisfies Name[]

const bucketOf = (id: string): number => Number.parseInt(id.slice(-2), 16) >> 2

/** The rows of an earlier response with those of a later one, which replace whole buckets. */
function mergeRows<Row>(
  before: readonly Row[],
  changed: readonly Row[],
  idOf: (row: Row) => string,
  [stored, current]: [string | undefined, string | undefined],
): Row[] {
  const isReplaced = (row: Row): boolean => {
    const at = bucketOf(idOf(row)) * 6
    return current !== undefined && stored?.slice(at, at + 6) !== current.slice(at, at + 6)
  }
  return [...before.filter((row) => !isReplaced(row)), ...changed].toSorted((a, b) =>
    idOf(a).localeCompare(idOf(b)),
  )
}

/** What a client has that has stored one start and received the differences of the next. */
function mergeStarts(before: Bootstrap, differences: Bootstrap): object {
  const kind = (name: keyof Digests): [string | undefined, string | undefined] => [
    before.digests[name],
    differences.digests[name],
  ]
  const { me, workspace, workspace_counters } = differences
  return {
    me,
    workspace,
    workspace_counters,
    members: mergeRows(before.members, differences.members, (one) => one.profile.id, kind('people')),
    channels: mergeRows(before.channels, differences.channels, (one) => one.channel.id, kind('channels')),
    threads: differences.digests.unread === undefined ? before.threads : differences.threads,
    sections: differences.digests.sections === undefined ? before.sections : differences.sections,
    digests: { ...before.digests, ...differences.digests },
  }
}

describe.each(testDatabases)('differences on $name', ({ open }) => {
  let fixture: Fixture
  beforeAll(async () => {
    fixture = await openFixture(await open())
  })
  afterAll(() => fixture.stop())

  const become = (s: TestTransaction, who: Name): Promise<unknown> =>
    s.rows(`select set_config('request.jwt.claims', $1, true), set_config('role', 'authenticated', true)`, [
      JSON.stringify({ role: 'authenticated', sub: fixture.account[who], session_id: fixture.account[who] }),
    ])
  const becomeService = (s: TestTransaction): Promise<unknown> =>
    s.rows(`select set_config('role', 'postgres', true)`)

  it.each(people)('are none for %s when nothing has changed', async (who) => {
    await fixture.rolledBackAs(who, async (s) => {
      const start = await s.call('bootstrap', {})
      const nothing = { members: [], channels: [], threads: [], sections: [], digests: {} }
      expect(await s.call('bootstrap', { stored: start.digests })).toMatchObject(nothing)
      if (!start.workspace) return
      const beat = { workspace: start.workspace.id, state: 'active' as const }
      const first: Heartbeat = await s.call('heartbeat', beat)
      expect(first.channels).toEqual(start.channels)
      const stored = { ...start.digests, ...first.digests }
      const second = await s.call('heartbeat', { ...beat, stored })
      expect(second).toMatchObject({
        presence: { complete: false, changes: [] },
        channels: [],
        threads: [],
        sections: [],
      })
      expect(Object.keys(second.digests)).toEqual(['presence'])
    })
  })

  const changes: [string, (s: TestTransaction) => Promise<unknown>][] = [
    [
      'a lost membership',
      (s) =>
        s.rows('delete from public.channel_members where channel_id = $1 and profile_id <> $2', [
          fixture.closed,
          fixture.profile.cem,
        ]),
    ],
    [
      'a membership that expired',
      (s) =>
        s.rows(`update public.channel_members set expires_at = now() where channel_id = $1`, [fixture.lobby]),
    ],
    [
      'another role in a channel',
      (s) =>
        s.rows(`update public.channel_members set role = 'member' where channel_id = $1`, [fixture.closed]),
    ],
    [
      'another history start',
      (s) =>
        s.rows('update public.channel_members set history_from_seq = 4 where channel_id = $1', [
          fixture.lobby,
        ]),
    ],
    [
      'a member who becomes a guest',
      (s) =>
        s.rows(`update public.workspace_members set role = 'guest' where profile_id = any ($1)`, [
          [fixture.profile.bea, fixture.profile.cem],
        ]),
    ],
    [
      'a deactivated member',
      (s) =>
        s.rows(`update public.workspace_members set state = 'deactivated' where profile_id = $1`, [
          fixture.profile.bea,
        ]),
    ],
    [
      'a membership of the workspace that expired',
      (s) =>
        s.rows(`update public.workspace_members set expires_at = now() where profile_id = $1`, [
          fixture.profile.gus,
        ]),
    ],
    [
      'a membership of the workspace that the time alone has ended',
      async (s) => {
        await s.rows(
          'alter table public.workspace_members disable trigger workspace_memberships_are_broadcast',
        )
        await s.rows('update public.workspace_members set expires_at = now() where profile_id = $1', [
          fixture.profile.gus,
        ])
      },
    ],
    [
      'a hidden conversation',
      (s) =>
        s.rows('update public.channel_member_state set hidden = true where channel_id = $1', [
          fixture.direct,
        ]),
    ],
    ['a topic', (s) => s.rows(`update public.channels set topic = 'Fewer words' where true`)],
    [
      'a channel that became private',
      (s) => s.rows(`update public.channels set kind = 'private' where id = $1`, [fixture.side]),
    ],
    [
      'read markers',
      (s) =>
        s.rows(
          'update public.channel_member_state set last_read_seq = 0, read_version = read_version + 1 where true',
        ),
    ],
    ['preferences', (s) => s.rows('update public.channel_member_state set starred = not starred where true')],
    ['sections', (s) => s.rows(`update public.sections set name = name || '!' where true`)],
    [
      'a name',
      (s) => s.rows(`update public.profiles set name = 'Ann Example' where id = $1`, [fixture.profile.ann]),
    ],
    [
      'messages and a reply',
      async (s) => {
        await become(s, 'cem')
        await s.call('send_message', {
          id: randomUUID(),
          channel: fixture.lobby,
          body: 'Back at four <!channel>',
        })
        const body = 'And with cake.'
        await s.call('send_message', {
          id: randomUUID(),
          channel: fixture.lobby,
          thread_root: fixture.messages.old,
          body,
        })
        await becomeService(s)
      },
    ],
    [
      'a thread that was read elsewhere',
      (s) =>
        s.rows(
          `update public.thread_members t set last_read_thread_seq = m.last_thread_seq, read_version = read_version + 1
           from public.messages m where m.id = t.root_id`,
        ),
    ],
    [
      'another history of a channel under the same numbers',
      (s) => s.rows('update public.channel_counters set change_id = change_id + 1 where true'),
    ],
  ]
  it.each(changes)('contain %s, for everybody whom it concerns', async (_what, change) => {
    await fixture.service(async (s) => {
      const before = new Map<Name, Bootstrap>()
      for (const who of people) {
        await become(s, who)
        before.set(who, await s.call('bootstrap', {}))
      }
      await becomeService(s)
      await change(s)
      await s.rows(
        `set constraints public.workspace_memberships_are_broadcast, public.profiles_are_broadcast immediate`,
      )
      let concerned = 0
      for (const who of people) {
        await become(s, who)
        const stored = before.get(who)!
        const differences = await s.call('bootstrap', { stored: stored.digests })
        const fresh = await s.call('bootstrap', {})
        expect(mergeStarts(stored, differences), who).toEqual(mergeStarts({ ...fresh, digests: {} }, fresh))
        if (Object.keys(differences.digests).length > 0) concerned += 1
      }
      expect(concerned).toBeGreaterThan(0)
      await becomeService(s)
    })
  })

  it('refuse more digests and changes than a client can have', async () => {
    const stored = Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [`kind${n}`, 'AAAAAA']))
    const known = (length: number) => Array.from({ length }, (_, n): [number, number] => [n, n])
    await fixture.rolledBackAs('bea', async (s) => {
      const { workspace, lobby: channel } = fixture
      expect(await s.failure('bootstrap', { workspace, stored: stored as never })).toBe('bad_state')
      expect(await s.failure('heartbeat', { workspace, state: 'active', stored: stored as never })).toBe(
        'bad_state',
      )
      expect(await s.failure('channel_changes', { channel, after_rev: 0, known: known(21) as never })).toBe(
        'bad_state',
      )
      await s.call('channel_changes', { channel, after_rev: 0, known: known(20) as never })
      const { digests } = await s.call('bootstrap', { workspace })
      await s.call('heartbeat', { workspace, state: 'active', stored: digests })
    })
  })

  it('have a person’s draft of a channel while they may read it, and what they saved there always', async () => {
    const { workspace, closed, messages, profile } = fixture
    await fixture.service(async (s) => {
      const own = async () => {
        await become(s, 'cem')
        const { own: rows } = await s.call('bootstrap', { workspace })
        return [rows.drafts?.length, rows.saved?.length]
      }
      await become(s, 'cem')
      await s.call('save_draft', { id: randomUUID(), channel: closed, body: 'Not sent' })
      await s.call('save_draft', { id: randomUUID(), channel: fixture.lobby, body: 'Not sent' })
      await s.call('save_message', { message: messages.secret, state: 'saved' })
      expect(await own()).toEqual([2, 1])
      await become(s, 'bea')
      await s.call('remove_member', { channel: closed, person: profile.cem })
      expect(await own()).toEqual([1, 1])
      await become(s, 'bea')
      await s.call('add_members', { channel: closed, people: [profile.cem] })
      expect(await own()).toEqual([2, 1])
    })
  })

  it('of a channel are those after the latest change that the client and the server both have', async () => {
    await fixture.rolledBackAs('bea', async (s) => {
      const channel = fixture.lobby
      const send = async (): Promise<[number, number]> => {
        await s.call('send_message', { id: randomUUID(), channel, body: 'Back at four' })
        const { rev, change_id: id } = (await s.call('channel_changes', { channel, after_rev: -1 })) as {
          rev: number
          change_id: number
        }
        return [rev, id]
      }
      const first = await send()
      const second = await send()
      const third = await send()
      const fetchChanges = (after: number, known: [number, number][]) =>
        s.call('channel_changes', { channel, after_rev: after, known })
      const isOther = ([rev, id]: [number, number]): [number, number] => [rev, id + 1]
      expect(await fetchChanges(second[0], [first, second])).toMatchObject({
        reset: false,
        after: second[0],
        messages: [{ rev: third[0] }],
        change_id: third[1],
      })
      expect(await fetchChanges(second[0], [first, isOther(second)])).toMatchObject({
        reset: false,
        after: first[0],
        messages: [{ rev: second[0] }, { rev: third[0] }],
      })
      expect(await fetchChanges(third[0], [third])).toMatchObject({
        reset: false,
        after: third[0],
        messages: [],
      })
      expect(await fetchChanges(second[0], [isOther(first), isOther(second)])).toMatchObject({ reset: true })
      expect(await fetchChanges(third[0] + 1, [third])).toMatchObject({ reset: true })
      expect(await fetchChanges(second[0], [])).toMatchObject({ reset: true })
    })
  })
})
