import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PushPayload } from '../../wire/push.ts'
import type { Uuid } from '../../wire/scalars.ts'
import type { ClaimedPush, PushResult } from '../functions/push/sendPushes.ts'
import { openFixture, type Fixture, type Name, type TestTransaction } from './support/fixture.ts'
import { testDatabases } from './support/testDatabases.ts'

const keys = { p256dh: `B${'A'.repeat(86)}`, auth: 'A'.repeat(22) }

describe.each(testDatabases)('notifications of devices on $name', ({ open }) => {
  let fixture: Fixture
  beforeAll(async () => {
    fixture = await openFixture(await open())
  })
  afterAll(async () => {
    await fixture.stop()
    await fixture.database.stop()
  })

  const become = (s: TestTransaction, who: Name | 'postgres') => {
    const account = who === 'postgres' ? null : fixture.account[who]
    const claims = { role: 'authenticated', sub: account, session_id: account }
    return s.rows(`select set_config('request.jwt.claims', $1, true), set_config('role', $2, true)`, [
      account === null ? '' : JSON.stringify(claims),
      account === null ? 'postgres' : 'authenticated',
    ])
  }
  const as = async <T>(s: TestTransaction, who: Name, work: () => Promise<T>): Promise<T> => {
    await become(s, who)
    const result = await work()
    await become(s, 'postgres')
    return result
  }
  const subscribe = async (
    s: TestTransaction,
    more: { endpoint?: string; id?: Uuid; hides_content?: boolean } = {},
  ): Promise<Uuid> => {
    const endpoint = `https://updates.push.services.mozilla.com/wpush/v2/${randomUUID()}`
    const args = { id: randomUUID(), endpoint, ...keys, device: 'Firefox', language: 'de', ...more }
    return (await s.call('add_push_subscription', args)).id
  }
  const send = async (s: TestTransaction, body: string, channel = fixture.lobby): Promise<Uuid> => {
    const id = randomUUID()
    await s.call('send_message', { id, channel, body })
    return id
  }
  const claim = async (s: TestTransaction): Promise<ClaimedPush[]> =>
    (await s.value<{ pushes: ClaimedPush[] }>('select public.claim_pushes()')).pushes
  const finish = (
    s: TestTransaction,
    push: ClaimedPush,
    status: number,
    retryAfter: number | null = null,
  ) => {
    const { jobs, subscription, short, content } = push
    const result: PushResult = {
      jobs,
      subscription,
      short,
      status,
      tag: content.tag,
      message: content.message ?? null,
      close: content.close ?? [],
      retry_after: retryAfter,
      problem: status === 201 ? null : `status ${status}`,
    }
    return s.value('select public.finish_pushes($1)', [JSON.stringify([result])])
  }
  const jobs = (s: TestTransaction) =>
    s.rows<{ kind: string; due_in: number; payload: object }>(
      `select kind, payload, extract(epoch from run_at - now())::float as due_in from public.jobs where kind like 'push%' order by created_at, id`,
    )
  /** Bea and Cem have a device; then `work` as `postgres`. */
  const withDevices = <T>(work: (s: TestTransaction, bea: Uuid, cem: Uuid) => Promise<T>) =>
    fixture.service(async (s) => {
      const bea = await as(s, 'bea', () => subscribe(s))
      const cem = await as(s, 'cem', () => subscribe(s))
      return work(s, bea, cem)
    })

  it('adds a device only with an address of a push service, and never more than ten', async () => {
    await fixture.service(async (s) => {
      await become(s, 'bea')
      for (const endpoint of [
        'http://fcm.googleapis.com/fcm/send/x',
        'https://fcm.googleapis.com.evil.example/x',
        'https://evil.example/fcm.googleapis.com/',
        'https://127.0.0.1/',
        'https://evil.example@fcm.googleapis.com:x/',
        'https://user@fcm.googleapis.com/',
        'https://fcm.googleapis.com:22/',
        'https://fcm.googleapis.com/\nx',
        'https://xpush.apple.com/x',
        `https://fcm.googleapis.com/${'x'.repeat(1000)}`,
        'file:///etc/passwd',
      ]) {
        const args = { id: randomUUID(), endpoint, ...keys, device: 'x', language: 'en' }
        expect(await s.failure('add_push_subscription', args)).toBe('bad_push_subscription')
      }
      for (const endpoint of [
        'https://fcm.googleapis.com/fcm/send/x:y',
        'https://wns2-par02p.notify.windows.com/w/?token=x',
        'https://web.push.apple.com/x',
      ]) {
        await subscribe(s, { endpoint })
        // A session is in one browser.
        expect(await s.call('my_push_subscriptions', {})).toHaveLength(1)
      }
      await become(s, 'postgres')
      const others = Array.from({ length: 12 }, () => randomUUID())
      await s.rows(
        `insert into auth.sessions (id, user_id, created_at) select unnest($1::uuid[]), $2, now()`,
        [others, fixture.account.bea],
      )
      for (const session of others) {
        const claims = { role: 'authenticated', sub: fixture.account.bea, session_id: session }
        await s.rows(`select set_config('request.jwt.claims', $1, true)`, [JSON.stringify(claims)])
        await subscribe(s)
      }
      const listed = await s.call('my_push_subscriptions', {})
      expect(listed).toHaveLength(10)
      expect(listed.filter(({ current }) => current)).toHaveLength(1)
      expect(Object.keys(listed[0]!)).not.toContain('endpoint')
    })
  })

  it('a reminder that is due reaches the devices of its owner, once and until it is completed', async () => {
    await withDevices(async (s, bea) => {
      const message = await as(s, 'ann', () => send(s, 'The **soup** for <@' + fixture.profile.bea + '>'))
      await s.rows(`delete from public.jobs where kind = 'push_message'`)
      const set = (id: Uuid, more: object) =>
        as(s, 'bea', () =>
          s.call('set_reminder', {
            id,
            workspace: fixture.workspace,
            due_at: new Date(Date.now() + 60_000).toISOString(),
            time_zone: 'UTC',
            ...more,
          }),
        )
      const run = async () => {
        await s.rows(`update public.jobs set run_at = now() where kind = 'reminder'`)
        await s.rows('select app.run_reminders()')
      }
      const [text, ofMessage, completed] = [randomUUID(), randomUUID(), randomUUID()]
      await set(text, { text: 'Water the plants' })
      await set(ofMessage, { text: '', message })
      await set(completed, { text: 'Done meanwhile' })
      await run()
      await as(s, 'bea', () => s.call('complete_reminder', { id: completed }))
      const pushes = (await claim(s)).toSorted((a, b) => a.content.lines!.length - b.content.lines!.length)
      expect(pushes.map(({ subscription }) => subscription)).toEqual([bea, bea])
      expect(pushes.map(({ content }) => [content.kind, content.reminder, content.lines])).toEqual(
        expect.arrayContaining([
          ['reminder', text, [{ author: null, text: 'Water the plants' }]],
          ['reminder', ofMessage, [{ author: 'Ann Okafor', text: 'The **soup** for @bea Example' }]],
        ]),
      )
      for (const push of pushes) await finish(s, push, 201)
      expect(await jobs(s)).toEqual([])

      // Of a message that its reader may no longer read, nothing is sent.
      await set(ofMessage, { text: '', message })
      await run()
      await s.rows('delete from public.channel_members where profile_id = $1', [fixture.profile.bea])
      await s.rows(`update public.workspace_members set role = 'guest' where profile_id = $1`, [
        fixture.profile.bea,
      ])
      expect((await claim(s)).map(({ content }) => content.lines)).toEqual([[]])

      await s.rows(`delete from public.jobs where kind = 'push'`)
      await s.rows(`update public.profiles set presence = 'dnd', presence_until = null where id = $1`, [
        fixture.profile.bea,
      ])
      await set(text, { text: 'Later' })
      await run()
      expect(await claim(s)).toEqual([])
    })
  })

  it('a device ends with its session, and with another person who signs in in the same browser', async () => {
    await withDevices(async (s, bea) => {
      const endpoint = await s.value<string>('select endpoint from public.push_subscriptions where id = $1', [
        bea,
      ])
      const count = () => s.value<number>('select count(*)::int from public.push_subscriptions')
      await as(s, 'ann', async () => {
        expect((await s.call('remove_push_subscription', { id: bea })).id).toBe(bea)
        expect(await s.failure('test_push', { id: bea })).toBe('not_found')
        expect(await s.call('my_push_subscriptions', {})).toEqual([])
      })
      expect(await count()).toBe(2)
      const id = await as(s, 'ann', () => subscribe(s, { endpoint }))
      expect(await count()).toBe(2)
      await s.rows('delete from auth.sessions where id = $1', [fixture.account.cem])
      expect(await s.rows('select id from public.push_subscriptions')).toEqual([{ id }])
    })
  })

  it('sends a message to those whom it mentions, as one job until it is claimed, without its text', async () => {
    await withDevices(async (s, bea) => {
      const message = await as(s, 'ann', () =>
        send(s, `Hello <@${fixture.profile.bea}>, see <#${fixture.closed}>`),
      )
      expect(await jobs(s)).toMatchObject([{ kind: 'push_message', payload: { message_id: message } }])
      const [push, ...others] = await claim(s)
      expect(others).toEqual([])
      expect(push).toMatchObject({
        subscription: bea,
        content: {
          kind: 'message',
          message,
          channel: fixture.lobby,
          thread: null,
          seq: await s.value<number>('select seq::int from public.messages where id = $1', [message]),
          tag: fixture.lobby,
          title: '#lobby',
          language: 'de',
          urgent: true,
          lines: [{ author: 'Ann Okafor', text: 'Hello @bea Example, see #partners' }],
          close: [],
        } satisfies Partial<PushPayload> & { urgent: boolean },
      })
      expect(JSON.stringify(await jobs(s))).not.toContain('Hello')
      // Claimed: nobody else sends it.
      expect(await claim(s)).toEqual([])
      await finish(s, push!, 201)
      expect(await jobs(s)).toEqual([])
      const [device] = await as(s, 'bea', () => s.call('my_push_subscriptions', {}))
      expect(device).toMatchObject({ shown_at: null, problem: null })
      expect(device!.accepted_at).not.toBeNull()
    })
  })

  it('groups messages of a conversation, and shows names of channels only to their readers', async () => {
    await withDevices(async (s) => {
      await as(s, 'bea', async () => {
        for (const body of ['one', 'two', 'three', `<#${fixture.side}> four`]) {
          await send(s, `<@${fixture.profile.cem}> ${body}`)
        }
      })
      await s.rows(`update public.channels set kind = 'private' where id = $1`, [fixture.side])
      const [push, ...others] = await claim(s)
      expect(others).toEqual([])
      expect(push!.jobs).toHaveLength(4)
      expect(push!.content.lines!.map(({ text }) => text)).toEqual([
        '@cem Example two',
        '@cem Example three',
        '@cem Example #… four',
      ])
    })
  })

  it('names only people whom its reader may see, and cuts no spoiler open', async () => {
    const { lobby, profile } = fixture
    await fixture.service(async (s) => {
      const textFor = (person: Uuid) =>
        s.value<string>('select app.push_text($1, m) from public.messages m where m.id = $2', [
          person,
          fixture.messages.fresh,
        ])
      const set = (body: string) =>
        s.rows('update public.messages set body = $1 where id = $2', [body, fixture.messages.fresh])
      const inLobby = await s.rows<{ id: Uuid }>(
        'select profile_id as id from public.channel_members where channel_id = $1',
        [lobby],
      )
      expect(inLobby.map(({ id }) => id)).toContain(profile.gus)
      await s.rows('delete from public.channel_members where channel_id = $1 and profile_id = $2', [
        lobby,
        profile.cem,
      ])
      await set(`<@${profile.bea}> and <@${profile.cem}> and <@${profile.zoe}>`)
      expect(await textFor(profile.bea)).toBe('@bea Example and @cem Example and @…')
      expect(await textFor(profile.gus)).toBe('@bea Example and @… and @…')
      await set(`before ||${'x'.repeat(1100)}|| after`)
      expect(await textFor(profile.bea)).toBe('before …')
    })
  })

  it('sends nothing that was read, deleted or is no longer readable when it is sent', async () => {
    const { lobby, closed } = fixture
    const cases: Record<string, [Uuid, (s: TestTransaction, message: Uuid) => Promise<unknown>]> = {
      read: [
        lobby,
        async (s, message) => {
          const seq = await s.value<number>('select seq::int from public.messages where id = $1', [message])
          const version = await s.value<number>(
            'select read_version::int from public.channel_member_state where channel_id = $1 and profile_id = $2',
            [lobby, fixture.profile.cem],
          )
          await as(s, 'cem', () => s.call('mark_read', { channel: lobby, seq, read_version: version }))
        },
      ],
      deleted: [lobby, (s, id) => as(s, 'bea', () => s.call('delete_message', { id }))],
      'not in the channel': [closed, (s) => as(s, 'cem', () => s.call('leave_channel', { channel: closed }))],
      'not in the workspace': [
        lobby,
        (s) =>
          as(s, 'ann', () =>
            s.call('deactivate_member', { workspace: fixture.workspace, person: fixture.profile.cem }),
          ),
      ],
      'signed out': [lobby, (s) => s.rows('delete from auth.sessions where id = $1', [fixture.account.cem])],
      'session over': [
        lobby,
        (s) => s.rows('update auth.sessions set not_after = now() where id = $1', [fixture.account.cem]),
      ],
      'second factor missing': [
        lobby,
        (s) => s.rows('update public.profiles set second_factor = true where id = $1', [fixture.profile.cem]),
      ],
    }
    const queued: string[] = []
    const sent: string[] = []
    for (const [name, [channel, change]] of Object.entries(cases)) {
      for (const isQueued of [false, true]) {
        await withDevices(async (s) => {
          const message = await as(s, 'bea', () => send(s, `Now <@${fixture.profile.cem}>`, channel))
          if (isQueued) {
            queued.push(...(await claim(s)).map(() => name))
            await s.rows(`update public.jobs set run_at = now() where kind = 'push'`)
          }
          await change(s, message)
          sent.push(...(await claim(s)).map(() => name), ...(await jobs(s)).map(() => name))
        })
      }
    }
    expect(queued).toEqual(Object.keys(cases))
    expect(sent).toEqual([])
  })

  it('is sent to whom the decision function chooses, of whom a page learns the same', async () => {
    await withDevices(async (s, bea, cem) => {
      const set = (who: Name, columns: string, values: string) =>
        s.rows(
          `insert into public.notification_preferences (workspace_id, profile_id, ${columns})
            values ($1, $2, ${values}) on conflict (profile_id, workspace_id) do update set (${columns}) = row (${values})`,
          [fixture.workspace, fixture.profile[who]],
        )
      const page = (who: Name, state: string) =>
        s.rows(
          `insert into public.heartbeats (profile_id, state, seen_at) values ($1, $2, now())
            on conflict (profile_id) do update set state = excluded.state`,
          [fixture.profile[who], state],
        )
      const sentTo = async (body: string) => {
        const id = await as(s, 'ann', () => send(s, body))
        const pushed = (await claim(s)).map(({ subscription }) => (subscription === bea ? 'bea' : 'cem'))
        const decisions: Record<string, string | undefined> = {}
        for (const who of ['bea', 'cem'] as const) {
          const mine = await as(s, who, () =>
            s.call('my_notifications', { channels: [fixture.lobby], revs: [0] }),
          )
          decisions[who] = mine.find((one) => one.id === id)?.decision
        }
        expect(pushed.toSorted()).toEqual(Object.keys(decisions).filter((who) => decisions[who] === 'push'))
        return decisions
      }
      expect([bea, cem]).toHaveLength(2)
      expect(await sentTo('The oxygen mask')).toEqual({})
      await set('bea', 'keywords', `'{oxygen mask}'`)
      await set('cem', 'level', `'all'`)
      await page('cem', 'away')
      expect(await sentTo('The oxygen mask')).toEqual({ bea: 'push', cem: 'push' })
      await page('cem', 'active')
      await set('bea', 'quiet_days, quiet_from, quiet_to', `'{1,2,3,4,5,6,7}', '00:00', '00:00'`)
      expect(await sentTo('The oxygen mask')).toEqual({ bea: 'badge', cem: 'desktop' })
      await set('bea', 'quiet_days, may_interrupt', `'{}', array[]::uuid[]`)
      await s.rows('delete from public.workspace_members where profile_id = $1', [fixture.profile.cem])
      await s.rows(`update public.channel_members set history_from_seq = 100000 where profile_id = $1`, [
        fixture.profile.bea,
      ])
      await s.rows(`update public.workspace_members set role = 'guest' where profile_id = $1`, [
        fixture.profile.bea,
      ])
      await as(s, 'ann', () => send(s, `The oxygen mask <@${fixture.profile.bea}> <!channel>`))
      expect(await claim(s)).toEqual([])
    })
  })

  it('calls the function once for a burst of messages, and again while an author has not committed', async () => {
    const calls = (s: TestTransaction) =>
      s.value<number>('select count(*)::int from supabase_functions.invocations')
    await withDevices(async (s) => {
      for (const body of ['one', 'two', 'three']) await as(s, 'ann', () => send(s, body))
      expect(await calls(s)).toBe(1)
      const author = new Client(fixture.database.config('postgres'))
      await author.connect()
      try {
        await author.query(`begin; select pg_advisory_xact_lock_shared(hashtextextended('queue_push', 0))`)
        await claim(s)
        expect(await calls(s)).toBe(2)
      } finally {
        await author.end()
      }
      await as(s, 'ann', () => send(s, 'three'))
      await claim(s)
      expect(await calls(s)).toBe(3)
      // Not claimed for so long, the call has failed.
      for (const body of ['four', 'five']) {
        await as(s, 'ann', () => send(s, body))
        await s.rows(`update public.jobs set created_at = now() - interval '3 seconds'`)
      }
      expect(await calls(s)).toBe(5)
    })
  })

  it('a device that hides content gets neither names nor texts, until its owner changes that in this browser', async () => {
    const { lobby, profile } = fixture
    await fixture.service(async (s) => {
      const hidden = await as(s, 'bea', () => subscribe(s, { hides_content: true }))
      await as(s, 'ann', () => send(s, `The secret of <@${profile.bea}>`))
      const id = randomUUID()
      await as(s, 'bea', () =>
        s.call('set_reminder', {
          id,
          workspace: fixture.workspace,
          due_at: new Date(Date.now() + 60_000).toISOString(),
          time_zone: 'UTC',
          text: 'The secret of the plants',
        }),
      )
      await s.rows(`update public.jobs set run_at = now() where kind = 'reminder'`)
      await s.rows('select app.run_reminders()')
      const pushes = await claim(s)
      expect(pushes.map(({ content }) => content.kind).toSorted()).toEqual(['message', 'reminder'])
      expect(JSON.stringify(pushes)).not.toMatch(/secret|Ann|#lobby/)
      expect(pushes.find(({ content }) => content.kind === 'message')!.content).toMatchObject({
        channel: lobby,
        tag: lobby,
      })
      // A page that does not know the setting, and one that does.
      const again = await as(s, 'bea', () => subscribe(s))
      const shown = (device: Uuid) =>
        s.rows('select hides_content from public.push_subscriptions where id = $1', [device])
      expect(await shown(hidden)).toEqual([])
      expect(await shown(again)).toEqual([{ hides_content: true }])
      await as(s, 'bea', () => subscribe(s, { id: again, hides_content: false }))
      await as(s, 'ann', () => send(s, `The secret of <@${profile.bea}>`))
      expect((await claim(s))[0]!.content.title).toBe('#lobby')
      // Somebody else who signs in in this browser has a choice of their own.
      const endpoint = await s.value<string>('select endpoint from public.push_subscriptions where id = $1', [
        again,
      ])
      await as(s, 'bea', () => subscribe(s, { id: again, endpoint, hides_content: true }))
      const other = await as(s, 'cem', () => subscribe(s, { endpoint }))
      expect(await shown(other)).toEqual([{ hides_content: false }])
    })
  })

  it('abandons a job whose attempts never end, and goes on with the others', async () => {
    await withDevices(async (s, bea) => {
      await as(s, 'ann', () => send(s, `<@${fixture.profile.bea}>`))
      // Each call of the function ends with its process.
      for (let attempt = 1; attempt <= 12; attempt++) {
        expect(await claim(s)).toHaveLength(1)
        await s.rows(`update public.jobs set run_at = now() where kind = 'push'`)
      }
      await as(s, 'bea', () => s.call('test_push', { id: bea }))
      expect((await claim(s)).map(({ content }) => content.kind)).toEqual(['test'])
      expect(
        await s.rows(`select attempts, error from public.jobs where kind = 'push' and failed_at is not null`),
      ).toEqual([{ attempts: 13, error: 'The attempts ended without a result.' }])
    })
  })

  const page = (s: TestTransaction, who: Name, secondsAgo: number, state = 'active') =>
    s.rows(
      `insert into public.heartbeats (profile_id, state, seen_at) values ($1, $3, now() - $2 * interval '1 second')
       on conflict (profile_id) do update set state = excluded.state, seen_at = excluded.seen_at`,
      [fixture.profile[who], secondsAgo, state],
    )
  const edit = (s: TestTransaction, id: Uuid, body: string) =>
    as(s, 'ann', () => s.call('edit_message', { id, body }))

  it('an edit reaches people of whom or of whose keywords no earlier version was, until they have read it', async () => {
    await withDevices(async (s, bea, cem) => {
      const { profile } = fixture
      await s.rows(
        `insert into public.notification_preferences (workspace_id, profile_id, level, keywords)
         values ($1, $2, 'all', '{}'), ($1, $3, 'mentions', '{boat}')`,
        [fixture.workspace, profile.cem, profile.bea],
      )
      const id = await as(s, 'ann', () => send(s, 'Who comes?'))
      const sentBy = async (body: string) => {
        await edit(s, id, body)
        const pushes = await claim(s)
        for (const push of pushes) await finish(s, push, 201)
        return pushes.map(({ subscription }) => (subscription === bea ? 'bea' : 'cem')).toSorted()
      }
      expect((await claim(s)).map(({ subscription }) => subscription)).toEqual([cem])
      // Cem was notified of the message itself.
      expect(await sentBy('Who comes today?')).toEqual([])
      expect(await sentBy(`Who comes today? <@${profile.bea}>`)).toEqual(['bea'])
      expect(await sentBy(`Who comes now? <@${profile.bea}>`)).toEqual([])
      expect(await sentBy('Who comes now?')).toEqual([])
      expect(await sentBy(`Who comes? <@${profile.bea}>`)).toEqual([])
      expect(await sentBy('Who comes by boat?')).toEqual(['bea'])
      expect(await sentBy('Boat, who?')).toEqual([])
      expect(await sentBy('Boat, who? <!channel>')).toEqual(['bea', 'cem'])
      // A job of an edit that a later one follows before it is claimed.
      const other = await as(s, 'ann', () => send(s, 'So'))
      await claim(s)
      await edit(s, other, `So <@${profile.bea}>`)
      await edit(s, other, `So, <@${profile.bea}>`)
      expect((await claim(s)).map(({ subscription }) => subscription)).toEqual([bea])
      // An old message, which she has not read, and then has.
      const old = await as(s, 'ann', () => send(s, 'Old'))
      await s.rows(`update public.messages set created_at = now() - interval '9 days' where id = $1`, [old])
      await claim(s)
      await edit(s, old, `Old <@${profile.bea}>`)
      expect((await claim(s)).map(({ subscription }) => subscription)).toEqual([bea])
      await edit(s, old, `Old boat <@${profile.bea}>`)
      await s.rows(`update public.channel_member_state set last_read_seq = 1000 where profile_id = $1`, [
        profile.bea,
      ])
      expect(await claim(s)).toEqual([])
    })
  })

  it('a mention that an edit removes is not sent, and is closed with the next message', async () => {
    await withDevices(async (s) => {
      const { closed, profile } = fixture
      const first = await as(s, 'bea', () => send(s, `One <@${profile.cem}>`, closed))
      const change = (id: Uuid, body: string) => as(s, 'bea', () => s.call('edit_message', { id, body }))
      const [push] = await claim(s)
      expect(push!.content.messages).toEqual([first])
      await finish(s, push!, 201)
      await change(first, 'One')
      const waiting = await as(s, 'bea', () => send(s, `Two <@${profile.cem}>`))
      await change(waiting, 'Two')
      expect(await claim(s)).toEqual([])
      await as(s, 'bea', () => send(s, `Three <@${profile.cem}>`))
      const [last] = await claim(s)
      expect(last!.content).toMatchObject({ close: [closed], lines: [{ text: 'Three @cem Example' }] })
    })
  })

  it('reaches a device once the page has been closed, or has sent no heartbeat for a while', async () => {
    await withDevices(async (s, bea) => {
      const mention = () => as(s, 'ann', () => send(s, `<@${fixture.profile.bea}>`))
      const sent = async () => (await claim(s)).map(({ subscription }) => subscription)
      const due = () => s.rows(`update public.jobs set run_at = now() where kind like 'push%'`)
      await page(s, 'bea', 20)
      await mention()
      expect(await sent()).toEqual([])
      expect(await jobs(s)).toMatchObject([{ kind: 'push_message', due_in: 95 }])
      // Suspended: no heartbeat has followed.
      await page(s, 'bea', 115)
      await due()
      expect(await sent()).toEqual([bea])
      await s.rows(`delete from public.jobs where kind like 'push%'`)
      // Still open after 150 seconds, and idle: the page has notified.
      await page(s, 'bea', 20)
      await mention()
      expect(await sent()).toEqual([])
      await page(s, 'bea', 20, 'away')
      await due()
      expect(await sent()).toEqual([])
      expect(await jobs(s)).toMatchObject([{ kind: 'push_message', due_in: 95 }])
      await s.rows(
        `update public.messages set created_at = created_at - interval '160 seconds' where author_id = $1`,
        [fixture.profile.ann],
      )
      await due()
      expect(await sent()).toEqual([])
      expect(await jobs(s)).toEqual([])
      // Closed.
      await as(s, 'bea', () => s.call('close_page', {}))
      await mention()
      expect(await sent()).toEqual([bea])
      await s.rows(`delete from public.jobs where kind like 'push%'`)
      // Another device, whose page is open.
      await as(s, 'bea', () => s.call('heartbeat', { workspace: fixture.workspace, state: 'active' }))
      await mention()
      expect(await sent()).toEqual([])
    })
  })

  it('a reminder reaches a device if the page that should show it was suspended', async () => {
    await withDevices(async (s, bea) => {
      await page(s, 'bea', 20)
      await as(s, 'bea', () =>
        s.call('set_reminder', {
          id: randomUUID(),
          workspace: fixture.workspace,
          due_at: new Date(Date.now() + 60_000).toISOString(),
          time_zone: 'UTC',
          text: 'Water the plants',
        }),
      )
      await s.rows(`update public.jobs set run_at = now() where kind = 'reminder'`)
      await s.rows('select app.run_reminders()')
      expect(await claim(s)).toEqual([])
      expect(await jobs(s)).toMatchObject([{ kind: 'push', due_in: 95 }])
      await s.rows('savepoint open')
      await s.rows(`update public.jobs set run_at = now() where kind = 'push'`)
      expect(await claim(s)).toEqual([])
      expect(await jobs(s)).toEqual([])
      await s.rows('rollback to savepoint open')
      await page(s, 'bea', 115)
      await s.rows(`update public.jobs set run_at = now() where kind = 'push'`)
      expect((await claim(s)).map(({ subscription }) => subscription)).toEqual([bea])
    })
  })

  it('closes with the next message what was read meanwhile', async () => {
    await withDevices(async (s) => {
      await as(s, 'bea', () => send(s, `<@${fixture.profile.cem}>`, fixture.closed))
      const [first] = await claim(s)
      await finish(s, first!, 201)
      await as(s, 'cem', async () => s.call('leave_channel', { channel: fixture.closed }))
      await as(s, 'bea', () => send(s, `<@${fixture.profile.cem}>`))
      const [second] = await claim(s)
      expect(second!.content).toMatchObject({ tag: fixture.lobby, close: [fixture.closed] })
      await finish(s, second!, 201)
      await as(s, 'bea', () => send(s, `Again <@${fixture.profile.cem}>`))
      expect((await claim(s))[0]!.content.close).toEqual([])
    })
  })

  it('repeats later what a push service refuses for now, sends less where it was too much, and ends what is gone', async () => {
    await withDevices(async (s, _, cem) => {
      const pushed = async (): Promise<ClaimedPush> => {
        await s.rows(`update public.jobs set run_at = now() where kind = 'push'`)
        return (await claim(s))[0]!
      }
      await as(s, 'bea', () => send(s, `<@${fixture.profile.cem}>`))
      await finish(s, await pushed(), 429, 600)
      const [limited] = await jobs(s)
      expect(limited!.due_in).toBeGreaterThan(590)
      await finish(s, await pushed(), 413)
      const [shorter] = await jobs(s)
      expect(shorter).toMatchObject({ due_in: 0, payload: { short: true } })
      const short = await pushed()
      expect(short.short).toBe(true)
      await finish(s, short, 413)
      expect(await jobs(s)).toEqual([])
      const [device] = await as(s, 'cem', () => s.call('my_push_subscriptions', {}))
      expect(device).toMatchObject({ id: cem, problem: 'status 413' })
      await as(s, 'bea', () => send(s, `<@${fixture.profile.cem}>`))
      const gone = await pushed()
      await as(s, 'bea', () => send(s, `<@${fixture.profile.cem}>`))
      await finish(s, gone, 410)
      expect(await as(s, 'cem', () => s.call('my_push_subscriptions', {}))).toEqual([])
      expect(await claim(s)).toEqual([])
      expect(await jobs(s)).toEqual([])
    })
  })

  it('abandons a message after six attempts', async () => {
    await withDevices(async (s) => {
      await as(s, 'bea', () => send(s, `<@${fixture.profile.cem}>`))
      for (let attempt = 1; attempt <= 6; attempt++) {
        const [push] = await claim(s)
        await finish(s, push!, attempt % 2 ? 0 : 503)
        await s.rows(`update public.jobs set run_at = now() where kind = 'push'`)
      }
      expect(await jobs(s)).toEqual([])
    })
  })

  it('marks a conversation as read for who has received the token of a notification, and for nobody else', async () => {
    await withDevices(async (s) => {
      const message = await as(s, 'bea', () => send(s, `<@${fixture.profile.cem}>`))
      const [push] = await claim(s)
      const { token } = push!.content
      const report = (given: string, of: Uuid | null) =>
        s.value<{ read: boolean }>('select public.report_push($1, $2)', [given, of])
      for (const wrong of ['', 'x', `${token}x`, token.slice(0, -1), token.replace(/^[^.]+/, randomUUID())]) {
        expect((await s.refusal(() => report(wrong, message))).message).toBe('not_allowed')
      }
      await report(token, null)
      const [device] = await as(s, 'cem', () => s.call('my_push_subscriptions', {}))
      expect(device!.shown_at).not.toBeNull()
      expect(await report(token, fixture.messages.whisper)).toEqual({ read: false })
      expect(await report(token, message)).toEqual({ read: true })
      const { channels } = await as(s, 'cem', () => s.call('bootstrap', {}))
      const lobby = channels.find(({ channel }) => channel.id === fixture.lobby)!
      expect(lobby.counts).toEqual({ unread: 0, mentions: 0 })
    })
  })

  it('stores one pair of keys, and only a test reaches a device whose owner is not notified', async () => {
    await withDevices(async (s, bea) => {
      const read = (made: string | null) =>
        s.value<{ keys: { public: string } | null; contact: unknown }>('select public.push_keys($1)', [made])
      expect(await read(null)).toEqual({ keys: null, contact: null, allowed: [] })
      expect(await read('{"public": "a"}')).toMatchObject({ keys: { public: 'a' } })
      expect(await read('{"public": "b"}')).toMatchObject({ keys: { public: 'a' } })
      await as(s, 'ann', () => send(s, 'Hello'))
      await as(s, 'bea', async () => {
        await s.call('test_push', { id: bea })
        await s.call('test_push', { id: bea })
      })
      const [push, ...others] = await claim(s)
      expect(others).toEqual([])
      expect(push).toMatchObject({ subscription: bea, content: { kind: 'test', tag: 'test' } })
    })
  })
})
