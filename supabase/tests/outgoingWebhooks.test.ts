import { createHmac, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Commands } from '../../wire/commands.ts'
import type { Uuid } from '../../wire/scalars.ts'
import { testDatabases } from './support/testDatabases.ts'
import { openFixture, type Fixture, type TestTransaction } from './support/fixture.ts'

interface QueuedRequest {
  id: string
  url: string
  headers: Record<string, string>
  body: string
}

/** The signature by Standard Webhooks. */
function signatureOf({ headers, body }: QueuedRequest, secret: string): string {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
}

describe.each(testDatabases)('outgoing webhooks on $name', ({ open }) => {
  let fixture: Fixture
  const bot = randomUUID()
  let made: Commands['create_outgoing_webhook']['response']
  beforeAll(async () => {
    fixture = await openFixture(await open())
    const { workspace, lobby } = fixture
    made = await fixture.committedAs('ann', async (s) => {
      await s.call('create_bot', { id: bot, workspace, name: 'Relay', channels: [lobby] })
      return s.call('create_outgoing_webhook', { bot, channel: lobby, url: 'https://relay.example/in' })
    })
  })
  afterAll(() => fixture.stop())

  /** A transaction in which Bea has sent a message, whose first delivery was attempted. Continued as `postgres`, rolled back. */
  const afterMessage = <T>(work: (s: TestTransaction, message: Uuid) => Promise<T>, body = 'Hello there') =>
    fixture.service(async (s) => {
      const message = randomUUID()
      await sendAs(s, 'bea', message, body)
      return work(s, message)
    })
  const becomePerson = (s: TestTransaction, who: 'bea' | 'ann') =>
    s.rows(`select set_config('request.jwt.claims', $1, true), set_config('role', 'authenticated', true)`, [
      JSON.stringify({ role: 'authenticated', sub: fixture.account[who], session_id: fixture.account[who] }),
    ])
  const sendAs = async (s: TestTransaction, who: 'bea' | 'ann', id: Uuid, body: string): Promise<void> => {
    await becomePerson(s, who)
    await s.call('send_message', { id, channel: fixture.lobby, body })
    await s.rows(`select set_config('role', 'postgres', true)`)
    await s.rows('select public.deliver_webhooks()')
  }
  const requests = (s: TestTransaction): Promise<QueuedRequest[]> =>
    s.rows<QueuedRequest & Record<string, unknown>>(
      `select id::text, url, headers, convert_from(body, 'UTF8') as body from net.http_request_queue
       where url like 'https://relay.example/%' order by id`,
    )
  const jobs = (s: TestTransaction) =>
    s.rows<{ id: Uuid; attempts: number; error: string | null; failed: boolean; due: boolean }>(
      `select id, attempts, error, failed_at is not null as failed, run_at <= now() as due from public.jobs`,
    )
  const respond = async (
    s: TestTransaction,
    status: number | null,
    error: string | null = null,
  ): Promise<void> => {
    await s.rows(
      `insert into net._http_response (id, status_code, error_msg, timed_out, content, headers)
       select request_id, $1, $2, false, repeat('x', 1000), '{"x-a": "b"}' from public.jobs where request_id is not null`,
      [status, error],
    )
    await s.rows('select app.run_webhook_deliveries()')
  }
  const webhook = (s: TestTransaction) =>
    s.rows<{ failures: number; disabled: boolean; problem: string | null; delivered: boolean }>(
      `select failures, disabled_at is not null as disabled, problem, delivered_at is not null as delivered
       from public.outgoing_webhooks where id = $1`,
      [made.webhook.id],
    )

  it('sends a message when the function is called, signed by Standard Webhooks', async () => {
    await afterMessage(async (s, message) => {
      const [request] = await requests(s)
      const [job] = await jobs(s)
      const { headers, body, url } = request!
      expect(url).toBe('https://relay.example/in')
      const parsed = JSON.parse(body) as { type: string; data: { message: { id: string }; author: object } }
      expect(parsed.type).toBe('message.created')
      expect(parsed.data.message).toMatchObject({ id: message, body: 'Hello there' })
      expect(parsed.data.author).toEqual({ id: fixture.profile.bea, name: 'bea Example' })
      expect(headers['webhook-id']).toBe(job!.id)
      expect(headers['webhook-signature']).toBe(signatureOf(request!, made.secret))
      expect(Math.abs(Date.now() / 1000 - Number(headers['webhook-timestamp']))).toBeLessThan(600)
    })
  })

  it('is finished by a success, and repeats a failure with the same id, later and later, seven times', async () => {
    await afterMessage(async (s) => {
      await respond(s, 204)
      expect(await s.rows('select status_code, content, headers from net._http_response')).toEqual([
        { status_code: 204, content: null, headers: null },
      ])
      expect(await jobs(s)).toEqual([])
      expect(await webhook(s)).toEqual([{ failures: 0, disabled: false, problem: null, delivered: true }])
    })
    await afterMessage(async (s) => {
      const [first] = await jobs(s)
      const delays: number[] = []
      for (let attempt = 1; attempt < 7; attempt++) {
        await respond(s, 500)
        expect(await jobs(s)).toEqual([
          {
            id: first!.id,
            attempts: attempt,
            error: 'The server responded with status 500.',
            failed: false,
            due: false,
          },
        ])
        delays.push(
          await s.value<number>('select extract(epoch from run_at - now())::float8 from public.jobs'),
        )
        await s.rows('update public.jobs set run_at = now()')
        await s.rows('select app.run_webhook_deliveries()')
      }
      expect(delays.every((delay, i) => i === 0 || delay > 2 * delays[i - 1]!)).toBe(true)
      await respond(s, null, 'The address is not public.')
      expect(await jobs(s)).toEqual([
        { id: first!.id, attempts: 7, error: 'The address is not public.', failed: true, due: false },
      ])
      expect(await webhook(s)).toEqual([
        { failures: 1, disabled: false, problem: 'The address is not public.', delivered: false },
      ])
      const sent = await requests(s)
      expect(new Set(sent.map((one) => one.headers['webhook-id']))).toEqual(new Set([first!.id]))
      expect(sent).toHaveLength(7)
    })
  })

  it('is disabled by 410, and after five deliveries that failed for good; a manager sees why and enables it', async () => {
    await afterMessage(async (s) => {
      await respond(s, 410)
      expect(await webhook(s)).toMatchObject([
        { disabled: true, problem: 'The server responded with status 410.' },
      ])
      await s.rows('delete from public.jobs')
      await sendAs(s, 'ann', randomUUID(), 'Nobody receives this')
      expect(await jobs(s)).toEqual([])
    })
    await afterMessage(async (s) => {
      for (let i = 1; i < 5; i++) await sendAs(s, 'bea', randomUUID(), `Message ${i}`)
      await s.rows('update public.jobs set attempts = 7')
      await respond(s, 503)
      expect(await webhook(s)).toMatchObject([{ failures: 5, disabled: true }])
      await becomePerson(s, 'ann')
      const { outgoing } = await s.call('list_webhooks', { bot })
      expect(outgoing[0]!.deliveries).toHaveLength(5)
      expect(outgoing[0]!.deliveries[0]).toMatchObject({
        attempts: 7,
        error: 'The server responded with status 503.',
      })
      expect(JSON.stringify(outgoing)).not.toContain('whsec_')
      const enabled = await s.call('enable_outgoing_webhook', { webhook: made.webhook.id })
      expect(enabled).toMatchObject({ disabled_at: null, problem: null })
    })
  })

  it('gets a new secret, which enables it and signs the repeated attempts', async () => {
    await afterMessage(async (s) => {
      await respond(s, 500)
      await s.rows('delete from vault.secrets where name = $1', [`outgoing webhook ${made.webhook.id}`])
      await s.rows(`update public.outgoing_webhooks set disabled_at = now(), problem = 'No secret.'`)
      await becomePerson(s, 'bea')
      expect(await s.failure('renew_outgoing_webhook', { webhook: made.webhook.id })).toBe('not_allowed')
      await becomePerson(s, 'ann')
      const renewed = await s.call('renew_outgoing_webhook', { webhook: made.webhook.id })
      expect(renewed.webhook).toMatchObject({ disabled_at: null, problem: null })
      await s.rows(`select set_config('role', 'postgres', true)`)
      await s.rows('update public.jobs set run_at = now()')
      await s.rows('select app.run_webhook_deliveries()')
      const [first, repeated] = await requests(s)
      expect(first!.headers['webhook-signature']).toBe(signatureOf(first!, made.secret))
      expect(repeated!.headers['webhook-signature']).toBe(signatureOf(repeated!, renewed.secret))
    })
  })

  it('treats an attempt without a response as failed once its lease has passed', async () => {
    await afterMessage(async (s) => {
      await s.rows('select app.run_webhook_deliveries()')
      expect(await jobs(s)).toMatchObject([{ attempts: 1, error: null }])
      await s.rows(`update public.jobs set run_at = now() - interval '1 second'`)
      await s.rows('select app.run_webhook_deliveries()')
      expect(await jobs(s)).toMatchObject([{ attempts: 1, error: 'The server did not respond in time.' }])
    })
  })

  it('sends nothing that its bot may not read, that was deleted, or that a bot has written', async () => {
    await afterMessage(async (s, message) => {
      await respond(s, 500)
      await s.rows(`update public.messages set body = '', deleted_at = now() where id = $1`, [message])
      await s.rows('update public.jobs set run_at = now()')
      await s.rows('select app.run_webhook_deliveries()')
      expect([await jobs(s), (await requests(s)).length]).toEqual([[], 1])
    })
    await fixture.service(async (s) => {
      await s.rows('delete from public.channel_members where profile_id = $1', [bot])
      await sendAs(s, 'bea', randomUUID(), 'Hello')
      expect([await jobs(s), await requests(s)]).toEqual([[], []])
    })
    await fixture.service(async (s) => {
      await s.rows('select app.post_as_bot($1, $2, $3)', [bot, fixture.lobby, 'Hello'])
      await s.rows('select public.deliver_webhooks()')
      expect([await jobs(s), await requests(s)]).toEqual([[], []])
    })
    await fixture.service(async (s) => {
      await s.rows(`update public.outgoing_webhooks set words = '{deploy}'`)
      await sendAs(s, 'bea', randomUUID(), 'Please deploy')
      expect(await requests(s)).toEqual([])
      await sendAs(s, 'bea', randomUUID(), 'Deploy main')
      expect(await requests(s)).toHaveLength(1)
    })
  })

  it('compares trigger words as search compares words, and with the signs that they have', async () => {
    const cases: [words: string, text: string, is: boolean][] = [
      ['deploy', 'Deploy: now', true],
      ['deploy', 'deployment', false],
      ['!deploy', '!deploy now', true],
      ['!deploy', 'deploy now', false],
      ['c++', 'C++ is', true],
      ['c++', 'c is', false],
      ['天気', '天気予報', true],
      ['天気', '今日の天気', false],
      ['gru\u0308ße', ' Grüße an alle', true],
      ['deploy', `<@${fixture.profile.bea}> deploy`, false],
    ]
    for (const [word, text, is] of cases)
      await fixture.service(async (s) => {
        await s.rows('update public.outgoing_webhooks set words = array[$1]', [word])
        await sendAs(s, 'bea', randomUUID(), text)
        expect([text, (await requests(s)).length]).toEqual([text, is ? 1 : 0])
      })
  })

  it('never fails a message, and has 1,000 waiting deliveries at most', async () => {
    await fixture.service(async (s) => {
      await s.rows(
        `insert into public.jobs (kind, owner_id, payload) select 'webhook', $1, '{}' from generate_series(1, 1000)`,
        [made.webhook.id],
      )
      await sendAs(s, 'bea', randomUUID(), 'One more')
      expect(await webhook(s)).toMatchObject([
        { disabled: true, problem: 'Too many deliveries were waiting.' },
      ])
    })
    await fixture.service(async (s) => {
      await s.rows(`delete from vault.secrets where name = $1`, [`outgoing webhook ${made.webhook.id}`])
      await sendAs(s, 'bea', randomUUID(), 'Without a secret')
      expect(await jobs(s)).toMatchObject([{ error: 'The secret cannot be read. Create a new secret.' }])
    })
  })

  it('repeats an attempt that could not be made, without failing the message', async () => {
    await fixture.service(async (s) => {
      await s.rows(`create or replace function app.webhook_body(webhook public.outgoing_webhooks, message uuid)
        returns jsonb language plpgsql set search_path = '' as 'begin raise exception ''down''; end'`)
      await sendAs(s, 'bea', randomUUID(), 'Hello')
      expect(await jobs(s)).toMatchObject([{ attempts: 1, error: 'The request failed: down', due: false }])
      await s.rows('update public.jobs set run_at = now()')
      await s.rows('select app.run_webhook_deliveries()')
      expect(await jobs(s)).toMatchObject([{ attempts: 2, error: 'The request failed: down' }])
    })
  })

  it('is repeated in turn with other webhooks, however many deliveries one of them has', async () => {
    await afterMessage(async (s) => {
      await s.rows(
        `insert into public.jobs (kind, owner_id, payload, run_at)
         select 'webhook', $1, jsonb_build_object('message_id', gen_random_uuid()), now() - interval '1 minute'
         from generate_series(1, 201)`,
        [randomUUID()],
      )
      await s.rows('update public.jobs set run_at = now(), request_id = null where owner_id = $1', [
        made.webhook.id,
      ])
      await s.rows('select app.run_webhook_deliveries()')
      const attempts = 'select attempts from public.jobs where owner_id = $1'
      expect(await s.rows(attempts, [made.webhook.id])).toEqual([{ attempts: 2 }])
    })
  })

  it('accepts https addresses of public names, in channels that bot and manager read', async () => {
    const failure = (args: Partial<Commands['create_outgoing_webhook']['args']>) =>
      fixture.rolledBackAs('ann', (s) =>
        s.failure('create_outgoing_webhook', {
          bot,
          channel: fixture.lobby,
          url: 'https://a.example/',
          ...args,
        }),
      )
    for (const url of [
      'http://a.example/',
      'https://localhost/',
      'https://127.0.0.1/',
      'https://[::1]/',
      'https://10.0.0.1:8080/x',
      'https://user@a.example/',
      'https://host.docker.internal:54321/',
      'https://printer.local',
      'https://a.internal?b',
      'https://a.example\n/',
      'ftp://a.example/',
      'https://a.example.1/',
      '',
      'https://0x7f.1/',
    ])
      expect([url, await failure({ url })]).toEqual([url, 'bad_webhook'])
    expect(await failure({ words: ['two words'] })).toBe('bad_webhook')
    expect(await failure({ words: Array.from({ length: 11 }, (_, i) => `w${i}`) })).toBe('bad_webhook')
    expect(await failure({ channel: fixture.closed })).toBe('not_found')
    expect(await failure({ channel: fixture.side })).toBe('bot_not_in_channel')
  })

  it('ends with its secret and its deliveries, and with its bot', async () => {
    const left = (s: TestTransaction) =>
      s.rows(
        `select (select count(*)::int from public.jobs) as jobs, (select count(*)::int from public.outgoing_webhooks) as webhooks,
           (select count(*)::int from vault.secrets where name like 'outgoing webhook %') as secrets`,
      )
    await afterMessage(async (s) => {
      expect(await left(s)).toEqual([{ jobs: 1, webhooks: 1, secrets: 1 }])
      await s.rows(`update public.workspace_members set state = 'deactivated' where profile_id = $1`, [bot])
      expect(await left(s)).toEqual([{ jobs: 0, webhooks: 0, secrets: 0 }])
    })
  })

  it('gives a job to one claimant, and again after its lease', async () => {
    await fixture.service(async (s) => {
      const job = await s.value<Uuid>(`select app.add_job('test', gen_random_uuid(), '{}')`)
      await s.value(`select app.add_job('test', gen_random_uuid(), '{}', now() + interval '1 hour')`)
      const claim = () =>
        s.rows<{ id: Uuid; attempts: number }>(`select id, attempts from app.claim_jobs('test', 10)`)
      expect(await claim()).toEqual([{ id: job, attempts: 1 }])
      expect(await claim()).toEqual([])
      await s.rows('update public.jobs set run_at = now() where id = $1', [job])
      expect(await claim()).toEqual([{ id: job, attempts: 2 }])
      expect(await s.value('select app.finish_job($1)', [job])).toBe(false)
      expect(await s.value('select count(*)::int from public.jobs')).toBe(1)
    })
  })
})
