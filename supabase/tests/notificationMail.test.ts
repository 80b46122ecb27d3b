import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Uuid } from '../../wire/scalars.ts'
import type { ClaimedMail, MailResult } from '../functions/notification-mail/sendMails.ts'
import { openFixture, type Fixture, type Name, type TestTransaction } from './support/fixture.ts'
import { testDatabases } from './support/testDatabases.ts'

describe.each(testDatabases)('mails of unread messages on $name', ({ open }) => {
  let fixture: Fixture
  beforeAll(async () => {
    fixture = await openFixture(await open())
    await fixture.service((s) => s.rows(`delete from public.jobs where kind like 'mail%'`), true)
  })
  afterAll(async () => {
    await fixture.stop()
    await fixture.database.stop()
  })

  const become = (s: TestTransaction, who: Name | 'postgres') => {
    const account = who === 'postgres' ? undefined : fixture.account[who]
    const claims = account && { role: 'authenticated', sub: account, session_id: account }
    return s.rows(`select set_config('request.jwt.claims', $1, true), set_config('role', $2, true)`, [
      JSON.stringify(claims ?? {}),
      who === 'postgres' ? 'postgres' : 'authenticated',
    ])
  }
  const as = async <T>(s: TestTransaction, who: Name, work: () => Promise<T>): Promise<T> => {
    await become(s, who)
    const result = await work()
    await become(s, 'postgres')
    return result
  }
  const send = (s: TestTransaction, who: Name, body: string, channel = fixture.lobby): Promise<Uuid> =>
    as(s, who, async () => {
      const id = randomUUID()
      await s.call('send_message', { id, channel, body })
      return id
    })
  const mention = (who: Name) => `<@${fixture.profile[who]}>`
  /** What pg_cron runs each minute. */
  const queue = (s: TestTransaction) => s.rows('select app.queue_mails()')
  /** The clock goes on: everything so far is that much older, except pages, which send heartbeats. */
  const wait = async (s: TestTransaction, minutes: number): Promise<void> => {
    // Triggers whose events wait for the commit would forbid the changes of the table.
    await s.rows('set constraints all immediate')
    await s.rows('alter table public.messages disable trigger user')
    const earlier = `- ${minutes} * interval '1 minute'`
    await s.rows(
      `update public.messages set created_at = created_at ${earlier}, edited_at = edited_at ${earlier}
       where created_at is not null`,
    )
    await s.rows('alter table public.messages enable trigger user')
    await s.rows(
      `update public.mail_messages set edited_at = edited_at ${earlier} where edited_at is not null`,
    )
    await s.rows(`update public.jobs set run_at = run_at ${earlier} where run_at is not null`)
    await s.rows(
      `update public.mail_deliveries set attempted_at = attempted_at ${earlier} where profile_id is not null`,
    )
  }
  const claim = async (s: TestTransaction, max = 20): Promise<ClaimedMail[]> =>
    (await s.value<{ mails: ClaimedMail[] }>('select public.claim_mails($1)', [max])).mails
  const begin = async (s: TestTransaction, { job, attempt }: ClaimedMail): Promise<boolean> =>
    (await s.value<{ permitted: boolean }>('select public.begin_mail($1, $2)', [job, attempt])).permitted
  const finish = (s: TestTransaction, mail: ClaimedMail, outcome: MailResult['outcome']) => {
    const results: MailResult[] = [{ job: mail.job, attempt: mail.attempt, outcome, problem: null }]
    return s.value('select public.finish_mails($1)', [JSON.stringify(results)])
  }
  const rest = async (s: TestTransaction) => ({
    jobs: await s.value<number>(`select count(*)::int from public.jobs where kind like 'mail%'`),
    messages: await s.value<number>('select count(*)::int from public.mail_messages'),
  })
  /** The mails that are due 16 minutes after `write`. */
  const mailsAfter = async (s: TestTransaction, write: () => Promise<unknown>): Promise<ClaimedMail[]> => {
    await write()
    await queue(s)
    await wait(s, 16)
    return claim(s)
  }
  const prefer = (s: TestTransaction, who: Name, column: string, value: unknown) =>
    s.rows(
      `insert into public.notification_preferences (workspace_id, profile_id, ${column}) values ($1, $2, $3)
       on conflict (profile_id, workspace_id) do update set ${column} = excluded.${column}`,
      [fixture.workspace, fixture.profile[who], value],
    )
  const openPage = (s: TestTransaction, who: Name, state: string, seconds: number) =>
    s.rows(
      `insert into public.heartbeats (profile_id, state, seen_at)
       select $1, $2, now() - $3 * interval '1 second'
       on conflict (profile_id) do update set state = excluded.state, seen_at = excluded.seen_at`,
      [fixture.profile[who], state, seconds],
    )
  const addDevice = (s: TestTransaction, problem: string | null) =>
    s.rows(
      `insert into public.push_subscriptions (id, profile_id, session_id, endpoint, p256dh, auth, device, language, problem)
       values (gen_random_uuid(), $1, $2, 'https://fcm.googleapis.com/x', $3, $4, '', 'de', $5)`,
      [fixture.profile.cem, fixture.account.cem, `B${'A'.repeat(86)}`, 'A'.repeat(22), problem],
    )
  const to = (mails: ClaimedMail[]): string =>
    mails
      .map((mail) => mail.to.split('@')[0])
      .sort()
      .join()

  it('are one for each person, 15 minutes after the first message, grouped by conversation', async () => {
    await fixture.service(async (s) => {
      const first = await send(s, 'ann', `Hello ${mention('bea')} in <#${fixture.closed}>`)
      expect(await rest(s)).toEqual({ jobs: 1, messages: 0 })
      await queue(s)
      await wait(s, 14)
      const second = await send(s, 'ann', 'And **here**', fixture.direct)
      await send(s, 'cem', 'Nobody is mentioned')
      await queue(s)
      expect(await claim(s)).toEqual([])
      await wait(s, 2)
      const [mail, ...others] = await claim(s)
      expect(others).toEqual([])
      expect(mail).toMatchObject({
        to: 'bea@harbour.example',
        name: 'bea Example',
        workspace: 'Harbour Street',
        language: 'en',
        total: 2,
        conversations: [
          {
            kind: 'public',
            title: '#lobby',
            messages: [
              {
                author: 'Ann Okafor',
                text: 'Hello @bea Example in #partners',
                path: `/c/${fixture.lobby}/m/${first}`,
              },
            ],
          },
          {
            kind: 'direct',
            title: 'Ann Okafor',
            messages: [
              { author: 'Ann Okafor', text: 'And **here**', path: `/c/${fixture.direct}/m/${second}` },
            ],
          },
        ],
      })
      // Claimed: nobody else sends it, and it is begun once.
      expect(await claim(s)).toEqual([])
      expect(await begin(s, { ...mail!, attempt: 2 })).toBe(false)
      expect(await begin(s, mail!)).toBe(true)
      expect(await begin(s, mail!)).toBe(false)
      await finish(s, mail!, 'accepted')
      expect(await rest(s)).toEqual({ jobs: 0, messages: 0 })
      // The next one, an hour after this one.
      await send(s, 'ann', 'More', fixture.direct)
      await queue(s)
      await wait(s, 59)
      expect(await claim(s)).toEqual([])
      await wait(s, 1)
      expect(await claim(s)).toMatchObject([{ total: 1 }])
    })
  })

  it('quote 20 messages and count the others, or none where texts are switched off', async () => {
    await fixture.service(async (s) => {
      for (let i = 0; i < 23; i++) await send(s, 'ann', `No. ${i}`, fixture.direct)
      await s.rows(`update public.settings set value = 'false' where key = 'mail_text'`)
      const [mail] = await mailsAfter(s, async () => {})
      expect(mail!.total).toBe(23)
      expect(mail!.conversations[0]!.messages).toHaveLength(20)
      expect(new Set(mail!.conversations[0]!.messages.map(({ text }) => text))).toEqual(new Set([null]))
    })
  })

  /** Cem is mentioned by Bea, in the lobby unless `channel` is given; then what happens until the mail is due. */
  const cases: [name: string, expected: string, (s: TestTransaction, message: Uuid) => Promise<unknown>][] = [
    ['nothing happens', 'cem', async () => {}],
    ['the page was opened before only', 'cem', (s) => openPage(s, 'cem', 'active', 16 * 60 + 60)],
    ['the page was opened since', '', (s) => openPage(s, 'cem', 'away', 600)],
    ['the page is open', '', (s) => openPage(s, 'cem', 'active', 10)],
    [
      'the message is read',
      '',
      (s) =>
        s.rows(`update public.channel_member_state set last_read_seq = 100 where profile_id = $1`, [
          fixture.profile.cem,
        ]),
    ],
    ['the message is deleted', '', (s, id) => as(s, 'bea', () => s.call('delete_message', { id }))],
    [
      'the person leaves',
      '',
      (s) => as(s, 'cem', () => s.call('leave_channel', { channel: fixture.closed })),
    ],
    [
      'the person is removed',
      '',
      (s) =>
        as(s, 'bea', () => s.call('remove_member', { channel: fixture.closed, person: fixture.profile.cem })),
    ],
    [
      'the person is deactivated',
      '',
      (s) =>
        as(s, 'ann', () =>
          s.call('deactivate_member', { workspace: fixture.workspace, person: fixture.profile.cem }),
        ),
    ],
    [
      'access expires',
      '',
      (s) =>
        s.rows(
          `update public.workspace_members set expires_at = now(), role = 'guest' where profile_id = $1`,
          [fixture.profile.cem],
        ),
    ],
    [
      'the account is disabled',
      '',
      (s) => s.rows(`update auth.users set banned_until = 'infinity' where id = $1`, [fixture.account.cem]),
    ],
    [
      'the address is not confirmed',
      '',
      (s) => s.rows('update auth.users set email_confirmed_at = null where id = $1', [fixture.account.cem]),
    ],
    ['a device is added', '', (s) => addDevice(s, null)],
    ['a device fails', 'cem', (s) => addDevice(s, 'Status 500.')],
    [
      'the channel is muted',
      '',
      (s) =>
        s.rows('update public.channel_member_state set muted = true where profile_id = $1', [
          fixture.profile.cem,
        ]),
    ],
    ['mail is switched off', '', (s) => prefer(s, 'cem', 'mail', false)],
    [
      'do not disturb',
      '',
      (s) => s.rows(`update public.profiles set presence = 'dnd' where id = $1`, [fixture.profile.cem]),
    ],
    [
      'do not disturb, but from Bea',
      'cem',
      async (s) => {
        await s.rows(`update public.profiles set presence = 'dnd' where id = $1`, [fixture.profile.cem])
        await prefer(s, 'cem', 'may_interrupt', [fixture.profile.bea])
      },
    ],
  ]
  it.each(cases)('%s: %j', async (_, expected, change) => {
    await fixture.service(async (s) => {
      const message = await send(s, 'bea', `Now ${mention('cem')}`, fixture.closed)
      await queue(s)
      expect((await rest(s)).messages).toBe(1)
      await wait(s, 16)
      // Between the claim and the end of the mail.
      await s.rows('savepoint waiting')
      const [mail] = await claim(s)
      await change(s, message)
      expect(await begin(s, mail!)).toBe(expected !== '')
      await s.rows('rollback to savepoint waiting')
      // Before the claim.
      await change(s, message)
      expect(to(await claim(s))).toBe(expected)
    })
  })

  it('are for those whom nothing else reached when the message was sent', async () => {
    await fixture.service(async (s) => {
      await openPage(s, 'bea', 'active', 0)
      await openPage(s, 'eli', 'away', 0)
      await addDevice(s, null)
      await prefer(s, 'sid', 'mail', false)
      // Dee is deactivated, the access of Max has expired.
      expect(to(await mailsAfter(s, () => send(s, 'ann', '<!channel>')))).toBe('gus')
    })
    await fixture.service(async (s) => {
      await prefer(s, 'bea', 'level', 'all')
      await prefer(s, 'bea', 'keywords', ['boat'])
      // By mail only mentions and direct messages.
      expect(await mailsAfter(s, () => send(s, 'ann', 'A boat'))).toEqual([])
      expect(await mailsAfter(s, () => send(s, 'ann', `A boat ${mention('gus')}`))).toMatchObject([
        { to: 'gus@harbour.example' },
      ])
    })
  })

  it.each<
    [string, string, (s: TestTransaction) => Promise<unknown>, (s: TestTransaction) => Promise<unknown>]
  >([
    ['its page was suspended before', 'cem', (s) => openPage(s, 'cem', 'active', 20), async () => {}],
    [
      'its page was closed before',
      'cem',
      async (s) => {
        await openPage(s, 'cem', 'active', 20)
        await as(s, 'cem', () => s.call('close_page', {}))
      },
      async () => {},
    ],
    [
      'its page was suspended soon after',
      'cem',
      (s) => openPage(s, 'cem', 'active', 20),
      (s) => openPage(s, 'cem', 'away', -60),
    ],
    [
      'its page stayed open',
      '',
      (s) => openPage(s, 'cem', 'active', 20),
      (s) => openPage(s, 'cem', 'away', -120),
    ],
  ])('reach a person if %s: %j', async (_, expected, before, after) => {
    await fixture.service(async (s) => {
      await before(s)
      await send(s, 'ann', mention('cem'))
      await queue(s)
      await after(s)
      await wait(s, 16)
      await s.rows(
        `update public.heartbeats set seen_at = seen_at - interval '16 minutes', left_at = left_at - interval '16 minutes'
         where profile_id is not null`,
      )
      await queue(s)
      expect(to(await claim(s))).toBe(expected)
      expect((await rest(s)).messages).toBe(expected === '' ? 0 : 1)
    })
  })

  it('wait while it is not known whether the page of a person is still open', async () => {
    await fixture.service(async (s) => {
      await s.rows(`update public.settings set value = '0' where key = 'mail_delay_minutes'`)
      await openPage(s, 'cem', 'active', 20)
      await send(s, 'ann', mention('cem'))
      await queue(s)
      expect(await claim(s)).toEqual([])
      expect(await rest(s)).toEqual({ jobs: 0, messages: 1 })
      await openPage(s, 'cem', 'active', 100)
      await wait(s, 1)
      await queue(s)
      expect(to(await claim(s))).toBe('cem')
    })
  })

  it('contain a mention that an edit adds, once, 15 minutes after the edit, and none that an edit removes', async () => {
    await fixture.service(async (s) => {
      const edit = (id: Uuid, body: string) => as(s, 'ann', () => s.call('edit_message', { id, body }))
      const id = await send(s, 'ann', 'Who has the key?')
      expect(await mailsAfter(s, async () => {})).toEqual([])
      // A page was open since the message, and no longer.
      await openPage(s, 'cem', 'active', 300)
      await edit(id, `Who has the key? ${mention('cem')}`)
      await queue(s)
      await wait(s, 14)
      expect(await claim(s)).toEqual([])
      await s.rows(`update public.heartbeats set seen_at = seen_at - interval '16 minutes' where true`)
      await wait(s, 2)
      const [mail] = await claim(s)
      expect(mail).toMatchObject({ to: 'cem@harbour.example', total: 1 })
      await finish(s, mail!, 'accepted')
      await edit(id, `Who has the keys? ${mention('cem')}`)
      await edit(id, 'Who has the keys?')
      await edit(id, `Who has them? ${mention('cem')}`)
      expect(await mailsAfter(s, () => wait(s, 60))).toEqual([])
      const removed = await send(s, 'ann', mention('cem'))
      await prefer(s, 'cem', 'level', 'all')
      expect(await mailsAfter(s, () => edit(removed, 'Nobody'))).toEqual([])
      expect(await rest(s)).toEqual({ jobs: 0, messages: 0 })
    })
  })

  it('wait for the end of a quiet period, and not longer than three days', async () => {
    await fixture.service(async (s) => {
      await send(s, 'bea', mention('cem'))
      await queue(s)
      await wait(s, 16)
      await prefer(s, 'cem', 'quiet_days', [1, 2, 3, 4, 5, 6, 7])
      await s.rows(
        `update public.notification_preferences set quiet_from = '00:00', quiet_to = '00:00' where true`,
      )
      expect(await claim(s)).toEqual([])
      expect(await rest(s)).toEqual({ jobs: 1, messages: 1 })
      await prefer(s, 'cem', 'quiet_days', [])
      expect(await claim(s)).toEqual([])
      await wait(s, 15)
      const [mail] = await claim(s)
      expect(mail!.total).toBe(1)
      await finish(s, mail!, 'failed')
      await wait(s, 3 * 24 * 60)
      expect(await claim(s)).toEqual([])
      expect(await rest(s)).toEqual({ jobs: 0, messages: 0 })
    })
  })

  it('are repeated after a failure, and never after the mail server may have accepted them', async () => {
    await fixture.service(async (s) => {
      const next = async (minutes: number): Promise<ClaimedMail | undefined> => {
        await wait(s, minutes)
        return (await claim(s))[0]
      }
      await send(s, 'bea', mention('cem'))
      await queue(s)
      const failed = await next(16)
      expect(await begin(s, failed!)).toBe(true)
      await finish(s, failed!, 'failed')
      // Read again: what was written meanwhile is part of it.
      await send(s, 'bea', `${mention('cem')} again`)
      await queue(s)
      const killed = await next(1)
      expect(killed).toMatchObject({ job: failed!.job, attempt: 2, total: 2 })
      // The process was killed before the end of the mail: it is claimed again when its lease has passed.
      expect(await next(4)).toBeUndefined()
      const repeated = await next(2)
      expect(repeated).toMatchObject({ attempt: 3 })
      expect(await begin(s, killed!)).toBe(false)
      expect(await begin(s, repeated!)).toBe(true)
      // Killed after it: it may have arrived.
      expect(await next(6)).toBeUndefined()
      expect(await rest(s)).toEqual({ jobs: 0, messages: 0 })
      await finish(s, repeated!, 'failed')
      expect(await rest(s)).toEqual({ jobs: 0, messages: 0 })
      // A rejected address is tried again after a day.
      await send(s, 'bea', mention('cem'))
      await queue(s)
      const rejected = await next(61)
      await finish(s, rejected!, 'rejected')
      await send(s, 'bea', mention('cem'))
      await queue(s)
      expect(await next(120)).toBeUndefined()
      expect(await next(24 * 60)).toMatchObject({ total: 1 })
    })
  })

  it('are limited for a workspace', async () => {
    await fixture.service(async (s) => {
      await s.rows(`update public.settings set value = '2' where key = 'mail_max_per_hour'`)
      const mails = await mailsAfter(s, () => send(s, 'ann', '<!channel>'))
      expect(mails).toHaveLength(2)
      for (const mail of mails) await finish(s, mail, 'accepted')
      await wait(s, 6)
      expect(await claim(s)).toEqual([])
      await wait(s, 55)
      expect(await claim(s)).toHaveLength(2)
    })
  })

  it('are queued neither where they are switched off nor without a mail server', async () => {
    await fixture.service(async (s) => {
      await send(s, 'bea', mention('cem'))
      await s.rows('select public.report_no_mail_server()')
      expect(await rest(s)).toEqual({ jobs: 0, messages: 0 })
      await send(s, 'bea', mention('cem'))
      expect((await rest(s)).jobs).toBe(0)
      // A restart may have brought one.
      await s.rows(`select public.register_server_url('http://127.0.0.1:1')`)
      await send(s, 'bea', mention('cem'))
      expect((await rest(s)).jobs).toBe(1)
      await s.rows(`update public.settings set value = '"infinity"' where key = 'mail_off_until'`)
      await s.rows(`select public.register_server_url('http://127.0.0.1:1')`)
      await send(s, 'bea', mention('cem'))
      expect((await rest(s)).jobs).toBe(1)
    })
  })

  it('are switched off by the token of a mail, for its recipient in its workspace only', async () => {
    await fixture.service(async (s) => {
      await prefer(s, 'cem', 'mail_language', 'de')
      const mails = await mailsAfter(s, () => send(s, 'ann', `${mention('bea')} ${mention('cem')}`))
      const token = mails.find((mail) => mail.to.startsWith('cem'))!.token
      const unsubscribe = (given: string, isConfirmed: boolean) =>
        s.value('select public.unsubscribe_mail($1, $2)', [given, isConfirmed])
      const [place, person, signature] = token.split('.') as [string, string, string]
      for (const guessed of [
        '',
        'x',
        `${place}.${person}.`,
        `${place}.${fixture.profile.bea}.${signature}`,
        `${randomUUID()}.${person}.${signature}`,
        `${token}x`,
      ]) {
        const { message } = await s.refusal((t) =>
          t.value('select public.unsubscribe_mail($1, true)', [guessed]),
        )
        expect(message).toBe('not_allowed')
      }
      expect(await unsubscribe(token, false)).toEqual({ workspace: 'Harbour Street', language: 'de' })
      const isOff = () =>
        s.value<string[]>(
          `select array(select profile_id::text from public.notification_preferences where not mail)`,
        )
      expect(await isOff()).toEqual([])
      await unsubscribe(token, true)
      await unsubscribe(token, true)
      expect(await isOff()).toEqual([fixture.profile.cem])
      await as(s, 'cem', () => s.rows('update public.notification_preferences set mail = true where true'))
      expect(await isOff()).toEqual([])
      // Somebody who has left learns no new name of the workspace.
      await as(s, 'ann', () =>
        s.call('deactivate_member', { workspace: fixture.workspace, person: fixture.profile.cem }),
      )
      expect(await unsubscribe(token, true)).toEqual({ workspace: null, language: 'de' })
    })
  })
})
