/* oxlint-disable vitest/valid-expect -- the second argument of expect names the case that failed */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { userTopic } from '../../wire/events.ts'
import { testDatabases } from './support/testDatabases.ts'
import { collectBroadcasts } from './support/collectBroadcasts.ts'
import { openFixture, type Name, type TestTransaction, type Fixture } from './support/fixture.ts'

/** A user's own channel order, sections and status: plain DML, restricted by policies and column grants. */
describe.each(testDatabases)('own order on $name', ({ open }) => {
  let fixture: Fixture
  beforeAll(async () => {
    fixture = await openFixture(await open())
  })
  afterAll(() => fixture.stop())

  const add = (s: TestTransaction, name: string, position: unknown = 2, id: string = randomUUID()) =>
    s.rows<{ id: string }>(
      'insert into public.sections (id, workspace_id, name, position) values ($1, $2, $3, $4) returning id',
      [id, fixture.workspace, name, position],
    )
  const refusal = async (
    s: TestTransaction,
    work: (s: TestTransaction) => Promise<unknown>,
  ): Promise<string> => {
    const { constraint, code } = await s.refusal(work)
    return constraint ?? code!
  }
  const put =
    (section: string | null, channel = fixture.lobby) =>
    (s: TestTransaction) =>
      s.rows(
        'update public.channel_member_state set section_id = $1, position = 1.5 where channel_id = $2 returning position',
        [section, channel],
      )

  it('every member can sort their own sidebar, and their other devices receive all of it', async () => {
    const id = randomUUID()
    const events = await collectBroadcasts(fixture, 'gus', async (s) => {
      await s.rows(
        `insert into public.sections (id, workspace_id, name, position, collapsed)
         values ($1, $3, ' Later ', 2, true), ($2, $3, 'Now', 1, false)`,
        [id, randomUUID(), fixture.workspace],
      )
      await put(id)(s)
    })
    expect(events.map(({ topic, event }) => [topic, event])).toEqual([
      [userTopic(fixture.profile.gus), 'sections'],
      [userTopic(fixture.profile.gus), 'state'],
    ])
    const { sections, channels } = await fixture.rolledBackAs('gus', (s) => s.call('bootstrap', {}))
    expect(events[0]!.payload).toMatchObject({ workspace_id: fixture.workspace, sections })
    expect(sections.map((section) => [section.name, section.collapsed])).toEqual([
      ['Now', false],
      ['Later', true],
    ])
    expect(channels[0]!.state).toMatchObject({ section_id: id, position: 1.5 })
    // A section is deleted, its channels stay, and both changes are broadcast.
    const gone = await collectBroadcasts(fixture, 'gus', (s) =>
      s.rows('delete from public.sections where id = $1', [id]),
    )
    expect(gone.map((event) => event.event).toSorted()).toEqual(['sections', 'state'])
    expect(gone.find((event) => event.event === 'state')!.payload).toMatchObject({
      state: { section_id: null, position: 1.5 },
    })
    const renamed = await collectBroadcasts(fixture, 'gus', (s) =>
      s.rows(`update public.sections set name = 'Soon', collapsed = true where true`),
    )
    expect(renamed.map((event) => event.event)).toEqual(['sections'])
    expect((await fixture.rolledBackAs('bea', (s) => s.call('bootstrap', {}))).sections).toMatchObject([
      { id: fixture.section, name: 'Harbour' },
    ])
  })

  it('changes of a section and of preferences are counted, and each event has the number of its change', async () => {
    const id = randomUUID()
    const events = await collectBroadcasts(fixture, 'gus', async (s) => {
      await add(s, 'Counted', 1, id)
      const move = (position: number) =>
        s.rows('update public.sections set position = $1 where id = $2 returning rev::integer', [
          position,
          id,
        ])
      expect([...(await move(2)), ...(await move(2)), ...(await move(3))]).toEqual([
        { rev: 1 },
        { rev: 1 },
        { rev: 2 },
      ])
      await put(id)(s)
      await s.rows('update public.channel_member_state set position = 2 where channel_id = $1', [
        fixture.lobby,
      ])
    })
    const revs = (name: string) =>
      events.flatMap(({ event, payload }) => {
        const { sections, state } = payload as {
          sections?: { id: string; rev: number }[]
          state?: { rev: number }
        }
        return event === name ? [(state ?? sections?.find((one) => one.id === id))?.rev] : []
      })
    expect(revs('sections')).toEqual([0, 1, 1, 2])
    const [before, after] = revs('state')
    expect(after).toBe(before! + 1)
    const { sections, channels } = await fixture.rolledBackAs('gus', (s) => s.call('bootstrap', {}))
    expect(sections.find((section) => section.id === id)?.rev).toBe(2)
    expect(channels.find((entry) => entry.channel.id === fixture.lobby)?.state.rev).toBe(after)
  })

  it('a channel cannot be put into the section of another person', async () => {
    // A channel cannot be put into another user's section or a missing one; both get the same error.
    await fixture.rolledBackAs('cem', async (s) => {
      const [theirs, none] = [await s.refusal(put(fixture.section)), await s.refusal(put(randomUUID()))]
      expect(theirs.code).toBe('42501')
      expect({ code: theirs.code, message: theirs.message, detail: theirs.detail }).toEqual({
        code: none.code,
        message: none.message,
        detail: none.detail,
      })
    })
  })

  it('separates sections by workspace', async () => {
    await fixture.service(async (s) => {
      const elsewhere = randomUUID()
      await s.rows(`insert into public.workspaces (id, name) values ($1, 'Second')`, [elsewhere])
      await s.rows(`insert into public.workspace_members values ($1, $2, 'member')`, [
        elsewhere,
        fixture.profile.bea,
      ])
      const there = randomUUID()
      await s.rows(
        `insert into public.sections (id, workspace_id, profile_id, name, position) values ($1, $2, $3, 'Harbour', 1)`,
        [there, elsewhere, fixture.profile.bea],
      )
      await s.rows(
        `select set_config('request.jwt.claims', $1, true), set_config('role', 'authenticated', true)`,
        [JSON.stringify({ sub: fixture.account.bea, session_id: fixture.account.bea })],
      )
      expect((await s.refusal(put(there))).code).toBe('42501')
      expect(await put(fixture.section)(s)).toEqual([{ position: 1.5 }])
      expect((await s.call('bootstrap', { workspace: fixture.workspace })).sections).toHaveLength(1)
    })
  })

  it('bounds names, positions and how many there are', async () => {
    await fixture.rolledBackAs('bea', async (s) => {
      expect(await refusal(s, (t) => add(t, ' HARBOUR '))).toBe('sections_name_unique')
      expect(await refusal(s, (t) => add(t, ' '))).toBe('sections_name_length')
      expect(await refusal(s, (t) => add(t, 'x'.repeat(81)))).toBe('sections_name_length')
      for (const name of ['a\nb', '\u202Eretsae', '\u200B', '\u3164', '\u00A0', 'a\u2069b']) {
        expect(await refusal(s, (t) => add(t, name))).toBe('sections_name_legible')
      }
      for (const position of ['NaN', 'Infinity', '-Infinity']) {
        expect(await refusal(s, (t) => add(t, 'x', position)), position).toBe('sections_position_finite')
        expect(
          await refusal(s, (t) =>
            t.rows('update public.channel_member_state set position = $1 where channel_id = $2', [
              position,
              fixture.lobby,
            ]),
          ),
        ).toBe('channel_member_state_position_finite')
      }
      await s.rows(
        `insert into public.sections (id, workspace_id, name, position)
         select gen_random_uuid(), $1, 'n ' || i, i from generate_series(1, 49) i`,
        [fixture.workspace],
      )
      expect(await refusal(s, (t) => add(t, 'One more'))).toBe('sections_at_most_fifty')
      await s.rows(`delete from public.sections where name = 'n 7'`)
      await add(s, 'One more')
    })
  })

  it('people can set a status and presence with an end, and those who may see them receive it', async () => {
    const card = (set: string) => (s: TestTransaction) =>
      s.rows(`update public.profiles set ${set} where true returning id`)
    const events = await collectBroadcasts(
      fixture,
      'cem',
      card(`presence = 'dnd', presence_until = now() + interval '1 hour'`),
    )
    expect(events.map((event) => event.event)).toEqual(events.map(() => 'member'))
    // The full members at once, and the guest who shares a channel.
    expect(events.map(({ topic }) => topic.split(':').slice(0, 2).join(':')).toSorted()).toEqual(
      [`user:${fixture.profile.gus}`, `workspace:${fixture.workspace}`].toSorted(),
    )
    for (const { payload } of events) {
      expect(payload).toMatchObject({ member: { profile: { id: fixture.profile.cem, presence: 'dnd' } } })
    }
    const titled = await collectBroadcasts(
      fixture,
      'cem',
      card(`title = 'Ward nurse', time_zone = 'Europe/Berlin'`),
    )
    expect(titled.map(({ payload }) => payload)).toEqual(
      events.map(() =>
        expect.objectContaining({
          member: expect.objectContaining({
            profile: expect.objectContaining({ title: 'Ward nurse', time_zone: 'Europe/Berlin' }),
          }),
        }),
      ),
    )
    await fixture.rolledBackAs('cem', async (s) => {
      for (const [set, constraint] of [
        [`presence = 'invisible'`, 'profiles_presence_known'],
        [`presence_until = 'infinity'`, 'profiles_presence_until_finite'],
        [`status_expires_at = '-infinity'`, 'profiles_status_expires_finite'],
        [`status_text = repeat('x', 101)`, 'profiles_status_text_length'],
        [`status_text = E'a\\nb'`, 'profiles_status_text_legible'],
        [`status_emoji = repeat('x', 65)`, 'profiles_status_emoji_length'],
        [`status_emoji = 'a b'`, 'profiles_status_emoji_plain'],
        [`status_emoji = E'\\u200D'`, 'profiles_status_emoji_legible'],
        [`status_text = E'\\u202Eretsae'`, 'profiles_status_text_legible'],
        [`title = repeat('x', 81)`, 'profiles_title_length'],
        [`title = ''`, 'profiles_title_length'],
        [`title = E'a\\nb'`, 'profiles_title_legible'],
        [`pronouns = repeat('x', 41)`, 'profiles_pronouns_length'],
        [`pronouns = E'a\\nb'`, 'profiles_pronouns_legible'],
        [`pronouns = E'\\u202Eesrun'`, 'profiles_pronouns_legible'],
        [`title = E'\\u202Eesrun'`, 'profiles_title_legible'],
        [`time_zone = 'Berlin, Germany'`, 'profiles_time_zone_form'],
        [`name = E'\\u202EAnn Okafor'`, 'profiles_name_legible'],
        [`name = E'\\u200B'`, 'profiles_name_legible'],
      ] as const) {
        expect(await refusal(s, card(set)), set).toBe(constraint)
      }
    })
    // Signs that join others, and names from right to left, are as they are written.
    await fixture.rolledBackAs('cem', card(`name = 'دانا محمود', status_emoji = '👩🏽‍⚕️', status_text = ''`))
    for (const who of ['omar', 'dee', 'max', 'sid'] as Name[]) {
      expect(await fixture.rolledBackAs(who, card(`presence = 'away'`)), who).toEqual([])
    }
  })
})
