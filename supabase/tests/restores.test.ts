import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Uuid } from '../../wire/scalars.ts'
import { testDatabases } from './support/testDatabases.ts'
import { openFixture, type Fixture, type Name, type TestTransaction } from './support/fixture.ts'

/** Each kind of job that sends something to other servers, and two that do not. */
const outgoingKinds = [
  'command',
  'invitation',
  'link_preview',
  'mail',
  'mail_message',
  'push',
  'push_message',
  'webhook',
]
const internalKinds = ['index_file', 'scheduled_message']

describe.each(testDatabases)('a restored copy on $name', ({ open }) => {
  let fixture: Fixture
  const bot = randomUUID()
  beforeAll(async () => {
    fixture = await openFixture(await open())
    const { workspace, lobby } = fixture
    await fixture.committedAs('ann', async (s) => {
      await s.call('create_bot', { id: bot, workspace, name: 'Tides', channels: [lobby] })
      await s.call('create_bot_token', { bot, days: 7 })
      await s.call('create_outgoing_webhook', { bot, channel: lobby, url: 'https://relay.example/in' })
      await s.call('create_bot_command', {
        bot,
        name: 'tide',
        description: 'Water',
        hint: '',
        url: 'https://tides.example/in',
      })
    })
  })
  afterAll(() => fixture.stop())

  const become = (s: TestTransaction, who: Name | 'postgres') => {
    const account = who === 'postgres' ? null : fixture.account[who]
    const claims = { role: 'authenticated', sub: account, session_id: account }
    return s.rows(`select set_config('request.jwt.claims', $1, true), set_config('role', $2, true)`, [
      account === null ? '' : JSON.stringify(claims),
      account === null ? 'postgres' : 'authenticated',
    ])
  }
  const pause = (s: TestTransaction, id: Uuid = randomUUID()) =>
    s.value<{ paused: boolean }>('select public.pause_outgoing($1)', [id])
  const addJobs = (s: TestTransaction, more = 'null') =>
    s.rows(
      `insert into public.jobs (kind, owner_id, payload, failed_at)
       select k, gen_random_uuid(), '{}', ${more} from unnest($1::text[]) k`,
      [[...outgoingKinds, ...internalKinds]],
    )
  const kinds = async (s: TestTransaction): Promise<string[]> =>
    (await s.rows<{ kind: string }>('select distinct kind from public.jobs order by kind')).map(
      ({ kind }) => kind,
    )
  const requests = (s: TestTransaction) =>
    s.rows<{ url: string }>('select url from net.http_request_queue order by id')
  const invoked = async (s: TestTransaction): Promise<string[]> =>
    (
      await s.rows<{ name: string }>(
        'select distinct function_name as name from supabase_functions.invocations order by 1',
      )
    ).map(({ name }) => name)
  /** Bea mentions Cem in a channel with a webhook. */
  const send = async (s: TestTransaction) => {
    await become(s, 'bea')
    await s.call('send_message', {
      id: randomUUID(),
      channel: fixture.lobby,
      body: `<@${fixture.profile.cem}> https://news.example/`,
    })
    await become(s, 'postgres')
  }

  it('discards what was queued to be sent before the restore, and nothing else', async () => {
    await fixture.service(async (s) => {
      await s.rows('delete from public.jobs where true')
      await addJobs(s)
      expect(await pause(s)).toEqual({ paused: true })
      expect(await kinds(s)).toEqual(internalKinds)
    })
  })

  it('keeps the jobs that failed, which administrators can see', async () => {
    await fixture.service(async (s) => {
      await s.rows('delete from public.jobs where true')
      await addJobs(s, 'now()')
      await pause(s)
      expect(await kinds(s)).toEqual([...outgoingKinds, ...internalKinds].toSorted())
    })
  })

  it('marks invitations as failed whose mail was discarded', async () => {
    await fixture.service(async (s) => {
      await become(s, 'ann')
      await s.call('invite_by_mail', {
        workspace: fixture.workspace,
        emails: ['new@harbour.example'],
        role: 'member',
        channels: [],
      })
      await become(s, 'postgres')
      await pause(s)
      expect(
        await s.value(`select mail_state from public.invitations where email = 'new@harbour.example'`),
      ).toBe('failed')
    })
  })

  it('starts no function and no request that sends something, and claims no job', async () => {
    await fixture.service(async (s) => {
      await s.rows('delete from public.jobs where true')
      await pause(s)
      const [requestsBefore, invokedBefore] = [await requests(s), await invoked(s)]
      await send(s)
      await addJobs(s)
      for (const call of [
        'app.queue_mails()',
        'app.run_webhook_deliveries()',
        `app.start_task('push')`,
        `app.start_task('notification-mail')`,
        `app.start_task('outgoing-webhooks')`,
        `app.start_task('link-previews')`,
      ])
        await s.rows(`select ${call}`)
      for (const kind of outgoingKinds)
        expect(await s.rows(`select * from app.claim_jobs($1, 10)`, [kind])).toEqual([])
      expect(await requests(s)).toEqual(requestsBefore)
      expect(await invoked(s)).toEqual(invokedBefore)
      expect(await kinds(s)).toEqual(expect.arrayContaining(outgoingKinds))
    })
  })

  it('sends no command to a bot, and shows the reason to its caller', async () => {
    await fixture.service(async (s) => {
      await pause(s)
      const before = await requests(s)
      const id = randomUUID()
      await become(s, 'bea')
      await s.call('invoke_command', { id, channel: fixture.lobby, name: 'tide' })
      await become(s, 'postgres')
      expect(await s.rows('select state, problem from public.command_responses where id = $1', [id])).toEqual(
        [{ state: 'failed', problem: 'paused' }],
      )
      expect(await requests(s)).toEqual(before)
    })
  })

  it('sends what was queued since the restore once an owner has confirmed it', async () => {
    await fixture.service(async (s) => {
      await s.rows('delete from public.jobs where true')
      await pause(s)
      await send(s)
      await become(s, 'ann')
      const health = await s.call('workspace_health', { workspace: fixture.workspace })
      expect(health.server!.restore).toMatchObject({ recovered_to: null })
      expect(await s.call('confirm_restore', { workspace: fixture.workspace })).toEqual({ paused: false })
      const after = await s.call('workspace_health', { workspace: fixture.workspace })
      expect(after.server!.restore).toBeNull()
      await become(s, 'postgres')
      await s.rows('select public.deliver_webhooks()')
      expect(await requests(s)).toContainEqual({ url: 'https://relay.example/in' })
    })
  })

  it('is not paused again by a repeated call for a restore that was confirmed', async () => {
    await fixture.service(async (s) => {
      const id = randomUUID()
      await pause(s, id)
      await s.rows('select public.resume_outgoing()')
      await addJobs(s)
      expect(await pause(s, id)).toEqual({ paused: false })
      expect(await kinds(s)).toEqual(expect.arrayContaining(outgoingKinds))
      expect(await pause(s)).toEqual({ paused: true })
    })
  })

  it('can be confirmed by owners of the first workspace only', async () => {
    await fixture.service(async (s) => {
      await pause(s)
      const other = await s.value<Uuid>(
        'select workspace_id from public.workspace_members where profile_id = $1',
        [fixture.profile.zoe],
      )
      await s.rows(`update public.workspace_members set role = 'admin' where profile_id = $1`, [
        fixture.profile.cem,
      ])
      for (const [who, workspace, failure] of [
        ['cem', fixture.workspace, 'not_allowed'],
        ['bea', fixture.workspace, 'not_allowed'],
        ['gus', fixture.workspace, 'not_allowed'],
        ['omar', fixture.workspace, 'not_found'],
        ['zoe', fixture.workspace, 'not_found'],
        ['zoe', other, 'not_allowed'],
      ] as const) {
        await become(s, who)
        expect(await s.failure('confirm_restore', { workspace })).toBe(failure)
      }
      await become(s, 'postgres')
      expect(await s.value('select app.is_outgoing_paused()')).toBe(true)
    })
  })
})
