import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ScheduledMessage } from '../../wire/messages.ts'
import { userTopic } from '../../wire/events.ts'
import { collectBroadcasts } from './support/collectBroadcasts.ts'
import { testDatabases } from './support/testDatabases.ts'
import { openFixture, type Name, type TestTransaction, type Fixture } from './support/fixture.ts'

describe.each(testDatabases)('scheduled messages on $name', ({ open }) => {
  let fixture: Fixture
  beforeAll(async () => {
    fixture = await openFixture(await open())
  })
  afterAll(() => fixture.stop())

  const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()
  const schedule = (s: TestTransaction, body: string, more: object = {}) =>
    s.call('schedule_message', {
      id: randomUUID(),
      channel: fixture.lobby,
      body,
      send_at: inMinutes(60),
      ...more,
    })
  const scheduledOf = async (s: TestTransaction): Promise<ScheduledMessage[]> =>
    (await s.call('bootstrap', {})).own.scheduled ?? []
  const asPostgres = async <T>(s: TestTransaction, work: () => Promise<T>): Promise<T> => {
    await s.rows(`select set_config('role', 'postgres', true)`)
    const result = await work()
    await s.rows(`select set_config('role', 'authenticated', true)`)
    return result
  }
  /** The time of a message is reached; the claims of the transaction are those of nobody, as in a job. */
  const run = async (s: TestTransaction): Promise<void> =>
    asPostgres(s, async () => {
      const claims = await s.value<string>(`select current_setting('request.jwt.claims')`)
      await s.rows(`select set_config('request.jwt.claims', '', true)`)
      await s.rows(`update public.jobs set run_at = now() where kind = 'scheduled_message'`)
      while (await s.value<boolean>('select app.send_next_scheduled_message()'));
      await s.rows(`select set_config('request.jwt.claims', $1, true)`, [claims])
    })
  const sent = (s: TestTransaction, body: string) =>
    s.rows(
      'select id, author_id, channel_id, seq, thread_root, extras from public.messages where body = $1',
      [body],
    )

  it('are sent by the job with the id that was chosen, also without a session of the author', async () => {
    const [id, root, quote] = [randomUUID(), fixture.messages.old, fixture.messages.fresh]
    await fixture.rolledBackAs('bea', async (s) => {
      const row = (await schedule(s, 'At nine <@everyone>', { id })).scheduled
      expect(row).toMatchObject({ id, channel_id: fixture.lobby, body: 'At nine <@everyone>', problem: null })
      await schedule(s, 'In the thread', { thread_root: root, also_to_channel: true, quote })
      expect(await scheduledOf(s)).toHaveLength(2)
      await asPostgres(s, () => s.rows('select app.send_next_scheduled_message()'))
      expect(await sent(s, 'At nine <@everyone>')).toEqual([])
      await run(s)
      expect(await sent(s, 'At nine <@everyone>')).toMatchObject([
        { id, author_id: fixture.profile.bea, channel_id: fixture.lobby, thread_root: null },
      ])
      const [reply] = await sent(s, 'In the thread')
      expect(reply).toMatchObject({ thread_root: root, extras: { quote: { message_id: quote } } })
      expect(reply!['seq']).not.toBeNull()
      expect(await scheduledOf(s)).toEqual([])
      const jobs = `select from public.jobs where kind = 'scheduled_message'`
      expect(await asPostgres(s, () => s.rows(jobs))).toEqual([])
      expect((await s.call('thread_page', { root })).messages.at(-1)?.body).toBe('In the thread')
    })
  })

  it('are seen by their author alone, whose devices receive each change', async () => {
    const id = randomUUID()
    const events = await collectBroadcasts(fixture, 'bea', async (s) => {
      await schedule(s, 'Soon', { id })
      await s.call('change_scheduled_message', { id, body: 'x'.repeat(4_001) })
      await s.call('change_scheduled_message', { id, body: 'Later' })
    })
    const topic = userTopic(fixture.profile.bea)
    expect(events.map((one) => [one.topic, one.event])).toEqual([
      [topic, 'scheduled'],
      [topic, 'own_row'],
      [topic, 'scheduled'],
    ])
    // Broadcasts are stored: that of a long text has its number only.
    expect(events[1]?.payload).toEqual({
      kind: 'scheduled',
      id,
      rev: expect.any(Number),
      workspace_id: fixture.workspace,
    })
    const [row] = await fixture.rolledBackAs('bea', scheduledOf)
    expect(events.at(-1)?.payload).toEqual({ ...row, workspace_id: fixture.workspace })
    expect(row?.body).toBe('Later')
    for (const who of ['ann', 'gus', 'omar'] satisfies Name[]) {
      expect(await fixture.rolledBackAs(who, (s) => s.rows('select from public.scheduled_messages'))).toEqual(
        [],
      )
      for (const command of ['send_scheduled_message', 'delete_scheduled_message'] as const) {
        expect(await fixture.rolledBackAs(who, (s) => s.failure(command, { id }))).toBe('not_found')
      }
    }
    const removed = await collectBroadcasts(fixture, 'bea', (s) => s.call('delete_scheduled_message', { id }))
    expect(removed.map((one) => one.payload)).toEqual([{ id, state: null, workspace_id: fixture.workspace }])
    expect(
      await fixture.service((s) => s.rows(`select from public.jobs where kind = 'scheduled_message'`)),
    ).toEqual([])
  })

  it('need the rights of the author when they are sent; without them they stay with the reason', async () => {
    const cases: [string, (s: TestTransaction) => Promise<unknown>, object?][] = [
      [
        'not_a_member',
        (s) => s.call('leave_channel', { channel: fixture.closed }),
        { channel: fixture.closed },
      ],
      [
        'archived',
        (s) =>
          asPostgres(s, () =>
            s.rows('update public.channels set archived_at = now() where id = $1', [fixture.lobby]),
          ),
      ],
      [
        'posting_admins',
        (s) =>
          asPostgres(s, () =>
            s.rows(`update public.channels set posting = 'admins' where id = $1`, [fixture.lobby]),
          ),
      ],
      [
        'message_deleted',
        (s) => s.call('delete_message', { id: fixture.messages.old }),
        { thread_root: fixture.messages.old },
      ],
      [
        'message_deleted',
        (s) => s.call('delete_message', { id: fixture.messages.old }),
        { quote: fixture.messages.old },
      ],
      [
        'not_a_member',
        (s) =>
          asPostgres(s, () =>
            s.rows(
              `update public.workspace_members set state = 'deactivated', deactivated_at = now() where profile_id = $1`,
              [fixture.profile.bea],
            ),
          ),
      ],
      [
        'not_a_member',
        (s) =>
          asPostgres(s, () =>
            s.rows(`update auth.users set banned_until = now() + interval '1 day' where id = $1`, [
              fixture.account.bea,
            ]),
          ),
      ],
    ]
    for (const [problem, lose, more] of cases) {
      await fixture.rolledBackAs('bea', async (s) => {
        await schedule(s, 'Too late', more)
        await lose(s)
        await run(s)
        const rows = await asPostgres(s, () =>
          s.rows('select problem, job_id from public.scheduled_messages'),
        )
        expect(rows).toEqual([{ problem, job_id: null }])
        expect(await asPostgres(s, () => sent(s, 'Too late'))).toEqual([])
      })
    }
    // Where it was possible again, another time schedules it again.
    await fixture.rolledBackAs('bea', async (s) => {
      const set = (at: string) =>
        asPostgres(s, () =>
          s.rows(`update public.channels set archived_at = ${at} where id = $1`, [fixture.lobby]),
        )
      const id = randomUUID()
      await schedule(s, 'Again', { id })
      await set('now()')
      await run(s)
      expect(await s.failure('send_scheduled_message', { id })).toBe('archived')
      expect((await scheduledOf(s))[0]?.problem).toBe('archived')
      await set('null')
      await s.call('change_scheduled_message', { id, send_at: inMinutes(5) })
      expect((await scheduledOf(s))[0]?.problem).toBeNull()
      await run(s)
      expect(await sent(s, 'Again')).toHaveLength(1)
    })
  })

  describe('with files', () => {
    const pathOf = (upload: string, part = 'file') => `${fixture.lobby}/${upload}/${part}`
    const put = (s: TestTransaction, who: Name, path: string) =>
      s.rows(
        `insert into storage.objects (bucket_id, name, owner, owner_id, metadata)
         values ('files', $1, $2, $3, '{"size": 1234, "mimetype": "image/png"}')`,
        [path, fixture.account[who], fixture.account[who]],
      )
    const plain = { name: 'Rota.png', width: null, height: null, thumb: false }
    /** Two uploads of Bea, and a message at nine that has them. */
    const scheduleFiles = async (s: TestTransaction) => {
      await s.rows(`set local storage.allow_delete_query = 'true'`)
      await asPostgres(s, () => s.rows('delete from public.file_deletion_queue where true'))
      const [id, kept, dropped] = [randomUUID(), randomUUID(), randomUUID()]
      for (const path of [pathOf(kept), pathOf(kept, 'thumb'), pathOf(dropped)]) await put(s, 'bea', path)
      const { scheduled } = await schedule(s, '', {
        id,
        attachments: [
          { id: kept, name: 'Rota.png', width: 400, height: 300, thumb: true },
          { id: dropped, name: 'Notes.txt', width: null, height: null, thumb: false },
        ],
      })
      return { id, kept, dropped, scheduled }
    }
    /** Two days pass, and the hourly job runs. */
    const sweep = (s: TestTransaction) =>
      asPostgres(s, async () => {
        await s.rows(
          `update storage.objects set created_at = now() - interval '2 days' where bucket_id = 'files'`,
        )
        await s.rows(`select app.queue_unreferenced_objects('files')`)
      })
    const queued = (s: TestTransaction) =>
      asPostgres(s, async () =>
        (await s.rows<{ name: string }>(`select name from public.file_deletion_queue order by name`)).map(
          ({ name }) => name,
        ),
      )

    it('are sent with them days later, when unattached uploads were swept', async () => {
      await fixture.rolledBackAs('bea', async (s) => {
        const { id, kept, dropped, scheduled } = await scheduleFiles(s)
        expect(scheduled!.files).toEqual([
          { id: kept, name: 'Rota.png', type: 'image/png', size: 1234, width: 400, height: 300, thumb: true },
          {
            id: dropped,
            name: 'Notes.txt',
            type: 'image/png',
            size: 1234,
            width: null,
            height: null,
            thumb: false,
          },
        ])
        const unused = randomUUID()
        await put(s, 'bea', pathOf(unused))
        await sweep(s)
        expect(await queued(s)).toEqual([pathOf(unused)])
        // Its author alone sees them before, and cannot delete them under it.
        const visible = () => s.rows(`select from storage.objects where name = $1`, [pathOf(kept)])
        expect(await visible()).toHaveLength(1)
        expect(
          await s.rows('delete from storage.objects where name = $1 returning name', [pathOf(kept)]),
        ).toEqual([])
        await run(s)
        const { messages } = await s.call('channel_page', { channel: fixture.lobby })
        const message = messages.find((one) => one.id === id)
        expect(message!.attachments).toMatchObject(scheduled!.files!)
        expect(await queued(s)).toEqual([pathOf(unused)])
        expect(await visible()).toHaveLength(1)
      })
    })

    it('are private until they are sent: nobody else reads or schedules them', async () => {
      const { id, kept } = await fixture.committedAs('bea', scheduleFiles)
      for (const who of ['ann', 'gus', 'omar'] satisfies Name[]) {
        await fixture.rolledBackAs(who, async (s) => {
          expect(await s.rows('select from storage.objects where name = $1', [pathOf(kept)])).toEqual([])
          if (who === 'omar') return
          const attachments = [{ ...plain, id: kept }]
          const { message } = await s.refusal((t) => schedule(t, 'Mine', { attachments }))
          expect(message).toBe('attachments_missing')
        })
      }
      await fixture.committedAs('bea', (s) => s.call('delete_scheduled_message', { id }))
    })

    it('lose those that are removed, and all with the message, whose objects are deleted', async () => {
      await fixture.rolledBackAs('bea', async (s) => {
        const { id, kept, dropped } = await scheduleFiles(s)
        const { scheduled } = await s.call('change_scheduled_message', {
          id,
          kept_files: [kept, randomUUID()],
        })
        expect(scheduled.files!.map((file) => file.id)).toEqual([kept])
        expect(await queued(s)).toEqual([pathOf(dropped), pathOf(dropped, 'thumb')])
        const nothing = await s.refusal((t) => t.call('change_scheduled_message', { id, kept_files: [] }))
        expect(nothing.message).toBe('messages_not_empty')
        await s.call('delete_scheduled_message', { id })
        expect(await queued(s)).toEqual(
          [kept, dropped].flatMap((upload) => [pathOf(upload), pathOf(upload, 'thumb')]).toSorted(),
        )
        const again = await s.refusal((t) => schedule(t, 'Again', { attachments: [{ ...plain, id: kept }] }))
        expect(again.message).toBe('attachments_missing')
      })
    })

    it('are added after those that stay, once, at most ten in all, by the rules of a new message', async () => {
      await fixture.rolledBackAs('bea', async (s) => {
        const { id, kept, dropped } = await scheduleFiles(s)
        const uploads = Array.from({ length: 10 }, () => randomUUID())
        for (const upload of uploads) await put(s, 'bea', pathOf(upload))
        const add = (t: TestTransaction, added: readonly string[], more: object = {}) =>
          t.call('change_scheduled_message', {
            id,
            attachments: added.map((upload) => ({ ...plain, id: upload })),
            ...more,
          })
        const [added] = uploads as [string]
        for (const _attempt of [1, 2]) {
          // oxlint-disable-next-line no-await-in-loop -- one after the other
          const { scheduled } = await add(s, [added], { kept_files: [kept] })
          expect(scheduled.files!.map((file) => file.id)).toEqual([kept, added])
          expect(await queued(s)).toEqual([pathOf(dropped), pathOf(dropped, 'thumb')])
        }
        const refusal = async (attempt: (t: TestTransaction) => Promise<unknown>) =>
          (await s.refusal(attempt)).message
        expect(await refusal((t) => add(t, uploads))).toBe('attachments_at_most_ten')
        expect(await refusal((t) => add(t, [added, added]))).toBe('bad_attachment')
        expect(await refusal((t) => add(t, [dropped]))).toBe('attachments_missing')
        const [anns, elsewhere] = [randomUUID(), randomUUID()]
        await put(s, 'ann', pathOf(anns))
        expect(await refusal((t) => add(t, [anns]))).toBe('attachments_missing')
        await put(s, 'bea', pathOf(elsewhere).replace(fixture.lobby, fixture.side))
        expect(await refusal((t) => add(t, [elsewhere]))).toBe('attachments_missing')
        await asPostgres(s, () =>
          s.rows('delete from public.channel_members where channel_id = $1 and profile_id = $2', [
            fixture.lobby,
            fixture.profile.bea,
          ]),
        )
        expect(await refusal((t) => add(t, [uploads[1]!]))).toBe('not_a_member')
        expect((await scheduledOf(s))[0]!.files!.map((file) => file.id)).toEqual([kept, added])
      })
    })

    it('are sent at once by their author, and stay with the reason where their objects are gone', async () => {
      await fixture.rolledBackAs('bea', async (s) => {
        const first = await scheduleFiles(s)
        const { message } = await s.call('send_scheduled_message', { id: first.id })
        expect(message.attachments).toHaveLength(2)
        expect(await queued(s)).toEqual([])
        const second = await scheduleFiles(s)
        await asPostgres(s, () =>
          s.rows('delete from storage.objects where name = $1', [pathOf(second.dropped)]),
        )
        await run(s)
        expect(await scheduledOf(s)).toMatchObject([{ id: second.id, problem: 'attachments_missing' }])
      })
    })

    it.each([
      ['bad_attachment', { id: 'x', name: 'a' }],
      ['bad_attachment', { name: 'a/b' }],
      ['bad_attachment', { name: 'a', width: 0 }],
      ['attachments_missing', { id: randomUUID(), name: 'a' }],
    ])('are refused with %s: %j', async (failure, file) => {
      await fixture.rolledBackAs('bea', async (s) => {
        const upload = randomUUID()
        await put(s, 'bea', pathOf(upload))
        const attachments = [{ ...plain, id: upload, ...file }]
        expect((await s.refusal((t) => schedule(t, 'x', { attachments }))).message).toBe(failure)
        const one = { ...plain, id: upload }
        const both = await s.refusal((t) => schedule(t, 'x', { attachments: [one, one] }))
        expect(both.message).toBe('bad_attachment')
      })
    })
  })

  it('are refused without the rights, in the past, beyond a year, and above 100', async () => {
    const refused = async (who: Name, more: object) =>
      fixture.rolledBackAs(who, async (s) => (await s.refusal((t) => schedule(t, 'x', more))).message)
    expect(await refused('ann', { channel: fixture.closed })).toBe('not_found')
    expect(await refused('ann', { channel: fixture.side })).toBe('not_a_member')
    expect(await refused('gus', { thread_root: fixture.messages.old })).toBe('not_found')
    expect(await refused('gus', { quote: fixture.messages.old })).toBe('not_found')
    expect(await refused('bea', { thread_root: fixture.messages.reply })).toBe('not_a_thread')
    expect(await refused('bea', { send_at: inMinutes(-1) })).toBe('scheduled_in_the_past')
    expect(await refused('bea', { send_at: 'infinity' })).toBe('scheduled_in_the_past')
    expect(await refused('bea', { send_at: inMinutes(366 * 24 * 60) })).toBe('scheduled_too_far')
    expect(await refused('bea', { body: ' \n' })).toBe('messages_not_empty')
    expect(await refused('bea', { body: 'x'.repeat(20_001) })).toBe('messages_body_length')
    await fixture.rolledBackAs('bea', async (s) => {
      const id = randomUUID()
      await schedule(s, 'first', { id })
      for (let i = 1; i < 100; i++) await schedule(s, 'more')
      expect((await s.refusal((t) => schedule(t, 'x'))).message).toBe('scheduled_at_most_100')
      // A repeated request, and one that arrives after the message was sent.
      expect((await schedule(s, 'first', { id })).scheduled?.id).toBe(id)
      await s.call('send_scheduled_message', { id })
      expect((await schedule(s, 'first', { id })).scheduled).toBeNull()
      expect((await s.call('send_scheduled_message', { id })).message.body).toBe('first')
      expect(await sent(s, 'first')).toHaveLength(1)
    })
  })

  it('are sent in turn, one of each author, although those of one author were due first', async () => {
    await fixture.committedAs('bea', async (s) => {
      for (let n = 0; n < 3; n++) await schedule(s, 'In turn: bea')
    })
    for (const who of ['cem', 'ann'] as const) {
      await fixture.committedAs(who, (s) => schedule(s, `In turn: ${who}`))
    }
    const due = `update public.jobs set run_at = now() - interval '1 hour' + interval '1 minute' * (
      select count(*) from public.jobs o where o.kind = 'scheduled_message' and o.created_at < jobs.created_at)
      where kind = 'scheduled_message'`
    await fixture.service((s) => s.rows(due), true)
    const client = new Client(fixture.database.config('postgres'))
    await client.connect()
    try {
      await client.query('call app.send_scheduled_messages()')
    } finally {
      await client.end()
    }
    const sent = await fixture.service((s) =>
      s.rows<{ body: string }>(`select body from public.messages where body like 'In turn%' order by seq`),
    )
    expect(sent.map((one) => one.body.slice(9))).toEqual(['bea', 'cem', 'ann', 'bea', 'bea'])
  })

  it('are sent once by two schedulers, late where the server was stopped, and again after an error', async () => {
    const bodies = Array.from({ length: 12 }, (_, i) => `Of twelve: ${i}`)
    await fixture.committedAs('bea', async (s) => {
      for (const [i, body] of bodies.entries()) {
        await schedule(s, body, i % 2 ? { thread_root: fixture.messages.fresh } : {})
      }
    })
    // Nothing ran for a day after the time.
    await fixture.service(
      (s) =>
        s.rows(`update public.jobs set run_at = now() - interval '1 day' where kind = 'scheduled_message'`),
      true,
    )
    const clients = await Promise.all(
      [1, 2].map(async () => {
        const client = new Client(fixture.database.config('postgres'))
        await client.connect()
        return client
      }),
    )
    try {
      // A scheduler that is killed while it sends leaves the message to the next one.
      await clients[0]!.query('begin')
      await clients[0]!.query('select app.send_next_scheduled_message()')
      await clients[0]!.query('rollback')
      await Promise.all(clients.map((client) => client.query('call app.send_scheduled_messages()')))
    } finally {
      await Promise.all(clients.map((client) => client.end()))
    }
    const found = await fixture.service((s) =>
      s.rows<{ body: string }>(`select body from public.messages where body like 'Of twelve%'`),
    )
    expect(found.map((one) => one.body).toSorted()).toEqual(bodies.toSorted())
    expect(await fixture.rolledBackAs('bea', scheduledOf)).toEqual([])
    await fixture.service(async (s) => {
      // Any error that is not a refusal: it is tried again with backoff, and given up after seven attempts.
      await s.rows(
        `insert into public.scheduled_messages (id, profile_id, channel_id, body, send_at, job_id)
         values ($1, $2, $3, 'x', now(), app.add_job('scheduled_message', $2, '{}'))`,
        [randomUUID(), fixture.profile.bea, fixture.lobby],
      )
      await s.rows(`create or replace function app.post_as(author uuid, id uuid, channel uuid, body text,
        thread_root uuid default null, also_to_channel boolean default false, quote uuid default null,
        files jsonb default '[]', extras jsonb default null)
        returns uuid language plpgsql set search_path = '' as 'begin raise exception ''down''; end'`)
      const [row] = ['select problem from public.scheduled_messages']
      for (let attempt = 1; attempt <= 7; attempt++) {
        expect(await s.rows(row!)).toEqual([{ problem: null }])
        await s.rows(`update public.jobs set run_at = now() where kind = 'scheduled_message'`)
        expect(await s.value('select app.send_next_scheduled_message()')).toBe(true)
        expect(await s.value('select app.send_next_scheduled_message()')).toBe(false)
      }
      expect(await s.rows(row!)).toEqual([{ problem: 'server_error' }])
    })
  })
})
