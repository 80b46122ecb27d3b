import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testDatabases } from './support/testDatabases.ts'
import { collectBroadcasts } from './support/collectBroadcasts.ts'
import { openFixture, type Fixture, type Name, type TestTransaction } from './support/fixture.ts'

/** What each word of a case sets of the arguments of `app.notification_decision`. */
const facts: Record<string, string> = {
  direct: 'is_direct => true',
  reply: 'is_reply => true',
  person: `mention => 'person'`,
  everyone: `mention => 'channel'`,
  here: `mention => 'here'`,
  keyword: 'has_keyword => true',
  follows: 'follows_thread => true',
  all: `channel_level => 'all'`,
  mentions: `channel_level => 'mentions'`,
  nothing: `channel_level => 'nothing'`,
  workspaceAll: `workspace_level => 'all'`,
  workspaceNothing: `workspace_level => 'nothing'`,
  muted: 'is_muted => true',
  quiet: 'is_quiet => true',
  interrupt: 'may_interrupt => true',
  active: `page => 'active'`,
  away: `page => 'away'`,
  phone: 'has_push => true',
}

/** Event, preferences, devices: how the person is notified. */
const cases = `
message, , active: none
message, , phone: none
message, all, active: desktop
message, all, phone: push
message, all, : mail
message, workspaceAll, active: desktop
message, workspaceAll mentions, active: none
message, workspaceAll nothing, active: none
message, workspaceAll muted, active: none
message, workspaceNothing, active: none
message, workspaceNothing all, active: desktop
message, all quiet, active: badge
message, all quiet interrupt, active: desktop
message, all muted, phone: none
person, , active: desktop
person, , active phone: desktop
person, , away: desktop
person, , away phone: push
person, , phone: push
person, , : mail
person, mentions, phone: push
person, all, phone: push
person, nothing, active: badge
person, nothing, phone: badge
person, nothing, : badge
person, workspaceNothing, phone: badge
person, workspaceNothing mentions, phone: push
person, muted, active: badge
person, muted all, phone: badge
person, quiet, active: badge
person, quiet, phone: badge
person, quiet, : badge
person, quiet interrupt, active: desktop
person, quiet interrupt, phone: push
person, nothing interrupt, phone: badge
person, muted interrupt, phone: badge
everyone, , active: desktop
everyone, , phone: push
everyone, , : mail
everyone, nothing, phone: badge
everyone, muted, active: badge
everyone, quiet, phone: badge
everyone reply, , phone: none
everyone reply follows, , phone: push
here, , active: desktop
here, , active phone: desktop
here, , away: none
here, , phone: none
here, , : none
here, all, phone: push
here reply, , active: none
here reply follows, , active: desktop
keyword, , active: desktop
keyword, , phone: push
keyword, muted, active: none
keyword, nothing, active: badge
keyword, quiet, active: badge
keyword reply, , active: desktop
direct, , active: desktop
direct, , away phone: push
direct, , phone: push
direct, , : mail
direct, mentions, phone: badge
direct, nothing, phone: badge
direct, muted, phone: badge
direct, quiet, phone: badge
direct, quiet interrupt, phone: push
direct, workspaceNothing, phone: push
direct reply, , phone: none
direct reply follows, , phone: push
direct reply person, , phone: push
reply, , active: none
reply, all, active: none
reply follows, , active: desktop
reply follows, mentions, phone: push
reply follows, nothing, phone: badge
reply follows, muted, active: none
reply follows, quiet, active: badge
reply person, , phone: push
reply person, muted, phone: badge`
  .trim()
  .split('\n')
  .map((line) => line.split(': ') as [string, string])

describe.each(testDatabases)('notifications on $name', ({ open }) => {
  let fixture: Fixture
  beforeAll(async () => {
    fixture = await openFixture(await open())
  })
  afterAll(() => fixture.stop())

  it('are decided as the cases say', async () => {
    const selects = cases.map(([words]) => {
      const given = words.split(/[ ,]+/).filter((word) => word && word !== 'message')
      return `(select app.notification_decision(${given.map((word) => facts[word] ?? word).join(', ')}))`
    })
    await fixture.service(async (s) => {
      const decided = await s.value<string[]>(`select array[${selects.join(', ')}]`)
      expect(decided.map((decision, i) => `${cases[i]![0]}: ${decision}`)).toEqual(
        cases.map(([words, expected]) => `${words}: ${expected}`),
      )
    })
  })

  it('are quiet by the local clock, across midnight and changes to daylight-saving time', async () => {
    const quiet = (s: TestTransaction, at: string, begins: string, ends: string, days: string) =>
      s.value<boolean>(`select app.is_quiet($1, $2, $3, 'Europe/Berlin', $4)`, [days, begins, ends, at])
    await fixture.service(async (s) => {
      for (const [at, begins, ends, days, expected] of [
        // Friday to Saturday, 22:00 to 07:00.
        ['2026-11-20T20:59:59Z', '22:00', '07:00', '{5}', false],
        ['2026-11-20T21:00:00Z', '22:00', '07:00', '{5}', true],
        ['2026-11-21T05:59:59Z', '22:00', '07:00', '{5}', true],
        ['2026-11-21T06:00:00Z', '22:00', '07:00', '{5}', false],
        ['2026-11-21T21:30:00Z', '22:00', '07:00', '{5}', false],
        ['2026-11-20T03:00:00Z', '22:00', '07:00', '{5}', false],
        // Sunday to Monday: the week ends in between.
        ['2026-11-23T01:00:00Z', '22:00', '07:00', '{7}', true],
        // Within a day, and a whole one.
        ['2026-11-20T11:30:00Z', '12:00', '13:00', '{5}', true],
        ['2026-11-20T12:00:00Z', '12:00', '13:00', '{5}', false],
        ['2026-11-20T22:59:59Z', '00:00', '00:00', '{5}', true],
        ['2026-11-20T23:00:00Z', '00:00', '00:00', '{5}', false],
        // 2026-03-29: the clock goes from 02:00 to 03:00; 07:00 is 05:00 UTC.
        ['2026-03-29T04:59:59Z', '22:00', '07:00', '{6}', true],
        ['2026-03-29T05:00:00Z', '22:00', '07:00', '{6}', false],
        // 2026-10-25: 07:00 is 06:00 UTC.
        ['2026-10-25T05:59:59Z', '22:00', '07:00', '{6}', true],
        ['2026-10-25T06:00:00Z', '22:00', '07:00', '{6}', false],
        ['2026-11-20T23:00:00Z', '22:00', '07:00', '{}', false],
      ] as const) {
        expect(await quiet(s, at, begins, ends, days), `${at} ${begins} ${days}`).toBe(expected)
      }
    })
  })

  const recipients = async (s: TestTransaction, message: string) => {
    const rows = await s.rows<{ profile_id: string; decision: string }>(
      'select * from app.notification_recipients($1)',
      [message],
    )
    const nameOf = (id: string) =>
      (Object.keys(fixture.profile) as Name[]).find((n) => fixture.profile[n] === id)
    return Object.fromEntries(rows.map((row) => [nameOf(row.profile_id), row.decision]))
  }
  const send = async (s: TestTransaction, body: string, message: string, channel = fixture.lobby) => {
    await s.rows(
      `update public.channel_counters set last_seq = last_seq + 1, rev = rev + 1 where channel_id = $1`,
      [channel],
    )
    await s.rows(
      `insert into public.messages (id, channel_id, author_id, body, seq, rev, history_seq, created_at)
        select $1, k.channel_id, $2, $3, k.last_seq, k.rev, k.last_seq, now() from public.channel_counters k
        where k.channel_id = $4`,
      [message, fixture.profile.ann, body, channel],
    )
  }
  const ID = '00000000-0000-4000-8000-00000000a001'

  it('reach members who may read, by name, for all, by keyword; nobody else', async () => {
    await fixture.service(async (s) => {
      await send(s, 'The Oxygen-Mask is missing', ID)
      expect(await recipients(s, ID)).toEqual({})
      await s.rows(
        `insert into public.notification_preferences (workspace_id, profile_id, keywords, time_zone)
          values ($1, $2, '{" Oxygen mask!","mis"}', 'Europe/Berlin'), ($1, $3, '{issing,"?"}', 'UTC')`,
        [fixture.workspace, fixture.profile.bea, fixture.profile.cem],
      )
      expect(await recipients(s, ID)).toEqual({ bea: 'mail' })
      const mention = (kind: string, who: Name | null) =>
        s.rows(
          `insert into public.mentions (message_id, channel_id, kind, profile_id, author_id, seq)
            select id, channel_id, $2, $3, author_id, seq from public.messages where id = $1`,
          [ID, kind, who && fixture.profile[who]],
        )
      await mention('channel', null)
      const everyone = await recipients(s, ID)
      expect(everyone).toMatchObject({ bea: 'mail', cem: 'mail', gus: 'mail' })
      for (const who of ['ann', 'dee', 'max', 'omar', 'zoe']) expect(everyone).not.toHaveProperty(who)
      // Gus joined after the message `old`.
      await s.rows('delete from public.mentions where message_id = $1', [fixture.messages.old])
      await s.rows(
        `insert into public.mentions (message_id, channel_id, kind, author_id, seq)
          select id, channel_id, 'channel', author_id, seq from public.messages where id = $1`,
        [fixture.messages.old],
      )
      expect(await recipients(s, fixture.messages.old)).not.toHaveProperty('gus')
      await s.rows(`update public.channel_member_state set last_read_seq = 1000 where profile_id = $1`, [
        fixture.profile.bea,
      ])
      expect(await recipients(s, ID)).not.toHaveProperty('bea')
      await s.rows(`update public.profiles set presence = 'dnd' where id = $1`, [fixture.profile.cem])
      expect(await recipients(s, ID)).toMatchObject({ cem: 'badge' })
      await s.rows(`update public.notification_preferences set may_interrupt = $2 where profile_id = $1`, [
        fixture.profile.cem,
        [fixture.profile.ann],
      ])
      expect(await recipients(s, ID)).toMatchObject({ cem: 'mail' })
      await s.rows(`update public.messages set deleted_at = now(), body = '' where id = $1`, [ID])
      expect(await recipients(s, ID)).toEqual({})
    })
  })

  it('find keywords as search finds words, in any script and spelling', async () => {
    const cases: [keyword: string, texts: string[], others: string[]][] = [
      ['会議', ['明日の会議は十時'], ['議会']],
      ['ประชุม', ['วันนี้ประชุมตอนเช้า'], ['ชุมนุม']],
      ['ភាសា', ['ខ្ញុំចូលចិត្តភាសាខ្មែរ'], ['x']],
      ['C++', ['We write C++.'], ['We write C', 'C# instead']],
      ['Grüße', ['liebe GRÜSSE', 'gru\u0308ße'], ['Grübelei']],
      ['cafe\u0301', ['Café?', 'ｃａｆé'], ['cafeteria']],
    ]
    await fixture.service(async (s) => {
      await s.rows(
        `insert into public.notification_preferences (workspace_id, profile_id, time_zone) values ($1, $2, 'UTC')`,
        [fixture.workspace, fixture.profile.bea],
      )
      await send(s, 'x', ID)
      for (const [keyword, texts, others] of cases) {
        await s.rows('update public.notification_preferences set keywords = $2 where profile_id = $1', [
          fixture.profile.bea,
          [keyword, ` ${keyword} `],
        ])
        expect(
          await s.value('select keywords from public.notification_preferences where profile_id = $1', [
            fixture.profile.bea,
          ]),
        ).toEqual([keyword.toLowerCase()])
        for (const text of [...texts, ...others]) {
          await s.rows('update public.messages set body = $2 where id = $1', [ID, text])
          expect([text, 'bea' in (await recipients(s, ID))]).toEqual([text, texts.includes(text)])
        }
      }
    })
  })

  it('are returned to a page for its own reader only', async () => {
    await fixture.committedAs('ann', (s) =>
      s.call('send_message', { id: ID, channel: fixture.direct, body: 'Hello' } as never),
    )
    const mine = (who: Name) =>
      fixture.rolledBackAs(who, (s) => s.call('my_notifications', { channels: [fixture.direct], revs: [0] }))
    expect(await mine('bea')).toContainEqual(
      expect.objectContaining({
        id: ID,
        workspace_id: fixture.workspace,
        title: 'Ann Okafor',
        author: null,
        body: 'Hello',
        decision: 'desktop',
      }),
    )
    for (const who of ['ann', 'cem', 'gus'] as const) expect(await mine(who)).toEqual([])
    await fixture.rolledBackAs('bea', async (s) => {
      const channels = Array<string>(21).fill(fixture.direct)
      expect(await s.failure('my_notifications', { channels, revs: channels.map(() => 0) })).toBe('too_many')
    })
  })

  it('of an edit are returned to a page, also if the message is older, and announced to whom it concerns', async () => {
    const { lobby, profile } = fixture
    const id = '00000000-0000-4000-8000-00000000a002'
    const mine = (who: Name) =>
      fixture.rolledBackAs(who, async (s) => {
        const found = await s.call('my_notifications', { channels: [lobby], revs: [0] })
        return found.filter((one) => one.id === id).map(({ decision, body }) => [decision, body])
      })
    const edited = async (body: string) => {
      const broadcasts = await collectBroadcasts(fixture, 'ann', (s) => s.call('edit_message', { id, body }))
      return broadcasts.flatMap(({ topic, ...one }) =>
        one.event === 'message_edited' ? [[topic, one.payload.notifies]] : [],
      )
    }
    await fixture.service(
      (s) =>
        s.rows(
          `insert into public.notification_preferences (workspace_id, profile_id, keywords) values ($1, $2, '{boat}')
           on conflict (profile_id, workspace_id) do update set keywords = excluded.keywords`,
          [fixture.workspace, profile.cem],
        ),
      true,
    )
    for (const who of ['bea', 'cem', 'gus'] as const)
      await fixture.committedAs(who, (s) =>
        s.call('heartbeat', { workspace: fixture.workspace, state: 'away' }),
      )
    await fixture.committedAs('ann', (s) => s.call('send_message', { id, channel: lobby, body: 'Hello' }))
    await fixture.service(
      (s) => s.rows(`update public.messages set created_at = now() - interval '1 hour' where id = $1`, [id]),
      true,
    )
    const user = (who: Name) => `user:${profile[who]}`
    expect(await edited('Hello there')).toEqual([])
    expect(await edited(`Hello <@${profile.bea}>`)).toEqual([[user('bea'), true]])
    expect(await mine('bea')).toEqual([['desktop', `Hello @bea Example`]])
    expect(await mine('gus')).toEqual([])
    expect(await edited('Hello boat')).toEqual(
      expect.arrayContaining([
        [user('bea'), false],
        [user('cem'), true],
      ]),
    )
    expect(await mine('bea')).toEqual([])
    expect(await mine('cem')).toEqual([['desktop', 'Hello boat']])
    const everyone = await edited('Hello boat <!channel>')
    expect(everyone.map(([topic]) => topic).toSorted()).toEqual(
      [user('bea'), user('cem'), user('gus')].toSorted(),
    )
    // Gus has read it, and Bea has closed her page.
    await fixture.service(
      (s) =>
        s.rows(`update public.channel_member_state set last_read_seq = 1000 where profile_id = $1`, [
          profile.gus,
        ]),
      true,
    )
    await fixture.committedAs('bea', (s) => s.call('close_page', {}))
    expect(await edited('Hello boat')).toEqual([[user('cem'), true]])
  })

  it('have preferences whose changes are sent to the devices of their owner alone', async () => {
    const sent = await collectBroadcasts(fixture, 'bea', (s) =>
      s.rows(`insert into public.notification_preferences (workspace_id) values ($1)`, [fixture.workspace]),
    )
    expect(sent).toMatchObject([
      {
        topic: `user:${fixture.profile.bea}`,
        event: 'notification_preferences',
        payload: { workspace_id: fixture.workspace },
      },
    ])
  })

  it('have preferences that only their owner sees, within bounds', async () => {
    await fixture.rolledBackAs('bea', async (s) => {
      const insert = (columns: string, values: string) =>
        s.refusal((t) =>
          t.rows(
            `insert into public.notification_preferences (workspace_id, ${columns}) values ('${fixture.workspace}', ${values})`,
          ),
        )
      const prefix = 'notification_preferences_'
      expect((await insert('time_zone', `'Mars/Base'`)).constraint).toBe(`${prefix}time_zone_known`)
      expect(
        (await insert('keywords', `array(select 'w' || g from generate_series(1, 21) g)`)).constraint,
      ).toBe(`${prefix}keywords_count`)
      expect((await insert('quiet_days', `'{8}'`)).constraint).toBe(`${prefix}quiet_days_known`)
      expect((await insert('level', `'loud'`)).constraint).toBe(`${prefix}level_known`)
      expect((await insert('profile_id', `'${fixture.profile.ann}'`)).code).toBe('42501')
    })
  })
})
