/* oxlint-disable vitest/valid-expect -- the second argument of expect names the case that failed */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { userTopic } from '../../wire/events.ts'
import { testDatabases } from './support/testDatabases.ts'
import { openFixture, type Name, type Fixture } from './support/fixture.ts'

/** What Omar, Gus and those who were shut out try by hand, in SQL, past every interface. */
describe.each(testDatabases)('attacks on $name', ({ open }) => {
  let fixture: Fixture
  beforeAll(async () => {
    fixture = await openFixture(await open())
  })
  afterAll(() => fixture.stop())

  const shutOut: Name[] = ['omar', 'zoe', 'dee', 'max', 'sid']

  it('leaks nothing through joins, counts, functions in filters, or errors in them', async () => {
    for (const who of [...shutOut, 'gus', 'eli', 'ann'] as const) {
      await fixture.rolledBackAs(who, async (s) => {
        for (const sql of [
          `select count(*) from public.messages m join public.channels c on c.id = m.channel_id where c.id = '${fixture.closed}'`,
          `select count(*) from public.reactions r left join public.messages m on m.id = r.message_id where r.message_id = '${fixture.messages.secret}'`,
          `select count(*) from public.channel_members m right join public.channels c on c.id = m.channel_id where c.id = '${fixture.closed}'`,
          `select count(*) from public.mentions where channel_id = '${fixture.closed}'`,
          // Divides by nothing on the hidden row, were it seen before the policy is asked.
          `select count(*) from public.messages where id = '${fixture.messages.secret}' and 1 / (length(body) - length(body)) = 1`,
          `select count(*) from public.channels where id = '${fixture.closed}' and name::integer = 1`,
        ]) {
          expect(Number(await s.value(sql)), `${who}: ${sql}`).toBe(0)
        }
      })
    }
  })

  it('no function in app can be called for somebody else', async () => {
    await fixture.rolledBackAs('omar', async (s) => {
      for (const sql of [
        `select app.channel_access_of('${fixture.closed}')`,
        `select * from app.channel_readers('${fixture.closed}')`,
        `select app.channel_entry_as_json('${fixture.profile.bea}', '${fixture.closed}')`,
        `select app.messages_as_json(array['${fixture.messages.secret}']::uuid[], null)`,
        `select app.unread_counts('${fixture.profile.bea}', '${fixture.closed}', 0)`,
        `select app.thread_as_json('${fixture.profile.bea}', '${fixture.messages.secret}')`,
        `select app.unread_threads('${fixture.profile.bea}', '${fixture.workspace}')`,
        `select * from app.unread_thread_rows('${fixture.profile.bea}', '${fixture.workspace}')`,
        `select app.sections_as_json('${fixture.profile.bea}', '${fixture.workspace}')`,
        `select * from app.channel_access_of_person('${fixture.profile.bea}', '${fixture.closed}')`,
        `select app.make_channel_private('${fixture.lobby}')`,
        `select app.increment_channel_epoch('${fixture.lobby}')`,
        `select app.notify_channel('${fixture.lobby}', 'message', '{}')`,
        `select app.add_channel_member('${fixture.closed}', '${fixture.profile.omar}', '${fixture.profile.bea}', 'admin')`,
        `select app.post_system_message('${fixture.lobby}', '${fixture.profile.ann}', '{"event": "left"}')`,
      ]) {
        expect((await s.refusal((t) => t.rows(sql))).code, sql).toBe('42501')
      }
      expect(await s.value(`select app.can_subscribe('channel:${fixture.closed}:1')`)).toBe(false)
      expect(await s.value(`select app.can_read_file('${fixture.closed}/${randomUUID()}/file')`)).toBe(false)
      expect(await s.rows('select * from app.my_visible_profile_ids()')).toEqual([])
    })
  })

  it('accepts no broadcast of a client: what realtime.send would store for it reaches no table', async () => {
    await fixture.rolledBackAs('bea', async (s) => {
      // It swallows its refusal, as on hosted; the row is what counts.
      await s.rows(`select realtime.send('{"forged": true}', 'message', $1, true)`, [
        `channel:${fixture.lobby}:1`,
      ])
      await s.rows('reset role')
      expect(await s.value(`select count(*)::int from realtime.messages where payload ? 'forged'`)).toBe(0)
    })
  })

  it('deactivated and removed people receive no broadcasts, not even of a new message', async () => {
    const direct = await fixture.committedAs('bea', (s) =>
      s.call('open_direct', { workspace: fixture.workspace, people: [fixture.profile.cem] }),
    )
    const pokes = async (): Promise<number> => {
      await fixture.committedAs('bea', (s) =>
        s.call('send_message', { id: randomUUID(), channel: direct.channel.id, body: 'Hm' }),
      )
      return fixture.service((s) =>
        s.value(
          `select count(*)::int from realtime.messages where topic = $1 and event in ('activity', 'membership')
                 and payload ->> 'channel_id' = $2`,
          [userTopic(fixture.profile.cem), direct.channel.id],
        ),
      )
    }
    const first = await pokes()
    expect(first).toBeGreaterThan(0)
    await fixture.committedAs('cem', (s) => s.call('leave_channel', { channel: direct.channel.id }))
    const hidden = await pokes()
    expect(hidden).toBeGreaterThan(first)
    await fixture.committedAs('cem', (s) => s.call('leave_channel', { channel: direct.channel.id }))
    await fixture.committedAs('ann', (s) =>
      s.call('deactivate_member', { workspace: fixture.workspace, person: fixture.profile.cem }),
    )
    const [before, after] = [await pokes(), await pokes()]
    expect(after).toBe(before)
  })

  it('a banned account has no rights, whatever its tokens contain', async () => {
    const sees = () =>
      fixture.rolledBackAs('bea', (s) => s.value<number>('select count(*)::int from public.messages'))
    expect(await sees()).toBeGreaterThan(0)
    await fixture.service(
      (s) =>
        s.rows(`update auth.users set banned_until = now() + interval '1 day' where id = $1`, [
          fixture.account.bea,
        ]),
      true,
    )
    expect(await sees()).toBe(0)
    expect(await fixture.rolledBackAs('bea', (s) => s.failure('bootstrap', {}))).toBe('session_ended')
    expect(
      await fixture.rolledBackAs('bea', (s) => s.failure('channel_page', { channel: fixture.lobby })),
    ).toBe('session_ended')
    await fixture.service(
      (s) => s.rows('update auth.users set banned_until = null where id = $1', [fixture.account.bea]),
      true,
    )
    expect(await sees()).toBeGreaterThan(0)
  })

  it('accepts a token only while its own session is active, not another one of the same person', async () => {
    const seen = (claims: object) =>
      fixture.service(async (s) => {
        await s.rows(
          `select set_config('request.jwt.claims', $1, true), set_config('role', 'authenticated', true)`,
          [JSON.stringify(claims)],
        )
        return [
          await s.value('select count(*)::int from public.messages'),
          await s.value('select count(*)::int from public.profiles'),
          await s.failure('bootstrap', {}).catch(() => 'answered'),
          await s.failure('channel_page', { channel: fixture.lobby }).catch(() => 'answered'),
        ]
      })
    const [messages, profiles, ...answers] = await seen({
      sub: fixture.account.bea,
      session_id: fixture.account.bea,
    })
    expect([Number(messages) > 0, Number(profiles) > 0, ...answers]).toEqual([
      true,
      true,
      'answered',
      'answered',
    ])
    for (const claims of [
      { sub: fixture.account.bea, session_id: randomUUID() },
      { sub: fixture.account.bea, session_id: fixture.account.ann },
      { sub: fixture.account.bea },
      {},
    ]) {
      expect(await seen(claims), JSON.stringify(claims)).toEqual([0, 0, 'session_ended', 'session_ended'])
    }
  })

  it('survives arguments that make no sense', async () => {
    await fixture.rolledBackAs('bea', async (s) => {
      const wild: [string, unknown[]][] = [
        ['select public.send_message(null, $1, null)', [fixture.lobby]],
        [
          'select public.send_message($2, $1, $3)',
          [fixture.lobby, randomUUID(), '\u202E\uFFFF<@><!channel<@' + 'x'.repeat(19_000)],
        ],
        [
          `select public.send_message($2, $1, 'x', attachments => '[1, null, "a", {"id": 3}]')`,
          [fixture.lobby, randomUUID()],
        ],
        [`select public.send_message($2, $1, 'x', attachments => '{}')`, [fixture.lobby, randomUUID()]],
        ['select public.react($1, null, null)', [fixture.messages.old]],
        ['select public.mark_read($1, null, null)', [fixture.lobby]],
        ['select public.mark_unread($1, -9223372036854775808)', [fixture.lobby]],
        ['select public.mark_unread($1, null)', [fixture.lobby]],
        [
          'select public.channel_page($1, 9223372036854775807, -9223372036854775808, null, -5)',
          [fixture.lobby],
        ],
        ['select public.channel_page($1, after => 9223372036854775807)', [fixture.lobby]],
        ['select public.channel_page($1, before => -9223372036854775808)', [fixture.lobby]],
        ['select public.channel_changes($1, null)', [fixture.lobby]],
        ['select public.channel_changes($1, -1)', [fixture.lobby]],
        ['select public.thread_page($1, after => 9223372036854775807)', [fixture.messages.old]],
        ['select public.create_channel($2, $1, null, null)', [fixture.workspace, randomUUID()]],
        ['select public.create_channel(null, $1, $2, $3)', [fixture.workspace, 'public', 'x']],
        ['select public.update_channel($1, kind => $2)', [fixture.lobby, 'direct']],
        ['select public.archive_channel($1, null)', [fixture.lobby]],
        ['select public.set_channel_role($1, null, null)', [fixture.lobby]],
        ['select public.follow_thread($1, null)', [fixture.messages.old]],
        ['select public.mark_thread_read($1, null, null)', [fixture.messages.old]],
        ['select public.mark_thread_unread($1, -9223372036854775808)', [fixture.messages.old]],
        ['select public.mark_thread_unread($1, null)', [fixture.messages.old]],
        ['select public.thread_states($1, null)', [fixture.workspace]],
        ['select public.thread_states($1, array[null]::uuid[])', [fixture.workspace]],
        ['select public.thread_inbox($1, null, null, -5)', [fixture.workspace]],
        [`select public.thread_inbox($1, before => 'x')`, [fixture.workspace]],
        ['select public.activity($1, null)', [fixture.workspace]],
        ['select public.mark_activity_seen($1, null)', [fixture.workspace]],
        [`select public.mark_activity_seen($1, '-infinity')`, [fixture.workspace]],
        [`select public.activity($1, 'stars')`, [fixture.workspace]],
        [`select public.activity($1, 'all', 'x')`, [fixture.workspace]],
        [
          `select public.activity($1, 'all', '99999999999999999 1 999999999999999999', -5)`,
          [fixture.workspace],
        ],
        ['select public.thread_page($1, around => -9223372036854775808)', [fixture.messages.old]],
        ['select public.edit_message($1, $2, null)', [fixture.messages.old, 'x']],
        ['select public.open_direct($1, null)', [fixture.workspace]],
        ['select public.open_direct($1, array[null]::uuid[])', [fixture.workspace]],
        ['select public.add_members($1, null)', [fixture.lobby]],
        ['select public.heartbeat($1, null)', [fixture.workspace]],
        [`select public.search_messages($1, '')`, [fixture.workspace]],
        ['select public.search_messages($1, null)', [fixture.workspace]],
        [`select public.search_messages($1, $2)`, [fixture.workspace, `'\\ & | ! ( ) <-> : * ' '' "`]],
        [
          `select public.search_messages($1, 'x', before => '99999999999999999 ' || $2)`,
          [fixture.workspace, randomUUID()],
        ],
        [`select public.search_messages($1, 'x', before => 'x')`, [fixture.workspace]],
        ['select public.view_invitation(null)', []],
        ['select public.accept_invitation(null, null)', []],
        ['select public.typing($1, $2)', [fixture.lobby, randomUUID()]],
      ]
      for (const [sql, values] of wild) {
        const code = await s
          .refusal((t) => t.rows(sql, values))
          .then(
            (error) => error.code ?? String(error),
            () => 'fine',
          )
        // Bad input is bad input: nothing of it may look like a fault of ours.
        expect(code, `${sql} ${values.join(', ').slice(0, 90)}`).toMatch(/^(fine|PT4\d\d|22\w{3}|23\w{3})$/)
      }
    })
  })

  it('refuses a text that is too long, and splits in proportion to the length', async () => {
    const body = '水 '.repeat(300_000)
    const id = fixture.messages.old
    await fixture.rolledBackAs('bea', async (s) => {
      expect(await s.failure('send_message', { id: randomUUID(), channel: fixture.lobby, body })).toBe(
        'messages_body_length',
      )
      expect(await s.failure('edit_message', { id, body })).toBe('messages_body_length')
    })
    // A second of CPU time; with a copy of the array per run, a minute. A busy machine takes longer for the second.
    await fixture.service(async (s) => {
      await s.rows(`set local statement_timeout = '30s'`)
      expect(await s.value('select cardinality(app.split_words($1))', [body])).toBe(1)
    })
  })

  it('splits the longest text in any script into words', async () => {
    await fixture.rolledBackAs('bea', async (s) => {
      for (const sign of ['水', '水 ', 'ก', 'x ', '😀', 'ä.']) {
        const body = sign.repeat(20_000 / [...sign].length)
        await s.call('send_message', { id: randomUUID(), channel: fixture.lobby, body })
      }
      const found = async (words: string) =>
        (await s.call('search_messages', { workspace: fixture.workspace, query: words })).hits.length
      await s.call('send_message', {
        id: randomUUID(),
        channel: fixture.lobby,
        body: 'Grüße, 水曜の午後は。 Привет — e-mail FRÜH naïve',
      })
      for (const [words, hits] of [
        ['午後', 1],
        ['水曜の', 1],
        ['GRÜSS', 1],
        ['grusse', 1],
        ['grüße', 1],
        ['прив', 1],
        ['mail früh', 1],
        ['後午', 0],
        ['後', 1],
      ] as const) {
        expect(await found(words), words).toBe(hits)
      }
    })
  })
})
