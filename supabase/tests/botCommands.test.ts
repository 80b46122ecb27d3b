import { createHmac, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BUILT_IN_COMMANDS, type CommandResponse } from '../../wire/botCommands.ts'
import type { Commands } from '../../wire/commands.ts'
import type { Uuid } from '../../wire/scalars.ts'
import { slowDownRefill } from './support/slowDownRefill.ts'
import { testDatabases } from './support/testDatabases.ts'
import { openFixture, type Fixture, type Name, type TestTransaction } from './support/fixture.ts'

interface QueuedRequest extends Record<string, unknown> {
  url: string
  headers: Record<string, string>
  body: string
  timeout: number
}
type Row = Pick<CommandResponse, 'state' | 'problem' | 'body' | 'text'> & { id: Uuid }

describe.each(testDatabases)('commands of bots on $name', ({ open }) => {
  let fixture: Fixture
  const bot = randomUUID()
  let made: Commands['create_bot_command']['response']
  beforeAll(async () => {
    fixture = await openFixture(await open())
    const { workspace, lobby } = fixture
    made = await fixture.committedAs('ann', async (s) => {
      await s.call('create_bot', { id: bot, workspace, name: 'Tides', channels: [lobby] })
      await s.call('create_bot_token', { bot, days: 7 })
      return s.call('create_bot_command', {
        bot,
        name: 'Tide',
        description: 'High and low water',
        hint: 'place',
        url: 'https://tides.example/in',
      })
    })
    await fixture.service(async (s) => {
      await s.call('register_server_url' as never, { url: 'https://linnet.example/' } as never)
    }, true)
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
  /** A transaction in which Bea has entered a command; continued as `postgres`, and rolled back. */
  const afterCommand = <T>(
    work: (s: TestTransaction, id: Uuid) => Promise<T>,
    args: Partial<Commands['invoke_command']['args']> = {},
  ) =>
    fixture.service(async (s) => {
      const id = await enter(s, args)
      return work(s, id)
    })
  const enter = async (s: TestTransaction, args: Partial<Commands['invoke_command']['args']> = {}) => {
    const id = randomUUID()
    await become(s, 'bea')
    await s.call('invoke_command', {
      id,
      channel: fixture.lobby,
      name: 'tide',
      text: ' Cuxhaven & x=1 ',
      ...args,
    })
    await become(s, 'postgres')
    return id
  }
  const requests = (s: TestTransaction) =>
    s.rows<QueuedRequest>(
      `select url, headers, convert_from(body, 'UTF8') as body, timeout_milliseconds as timeout
       from net.http_request_queue where url like 'https://tides.example/%' order by id`,
    )
  const tokenOf = async (s: TestTransaction) =>
    new URLSearchParams((await requests(s)).at(-1)!.body).get('response_url')!.split('/').pop()!
  const receive = (
    s: TestTransaction,
    status: number | null,
    content: string | null = null,
    timedOut = false,
  ) =>
    s.rows(
      `insert into net._http_response (id, status_code, content, content_type, timed_out, error_msg)
       select request_id, $1::integer, $2, 'application/json', $3, case when $1::integer is null then 'not public' end
       from public.jobs where request_id is not null and kind = 'command'`,
      [status, content, timedOut],
    )
  const jobs = (s: TestTransaction) =>
    s.rows<{ id: Uuid; error: string | null; failed: boolean }>(
      `select id, error, failed_at is not null as failed from public.jobs where kind = 'command'`,
    )
  const rows = (s: TestTransaction) =>
    s.rows<Row>('select id, state, problem, body, text from public.command_responses order by rev')
  const respond = (
    s: TestTransaction,
    token: string,
    body: string | null,
    inChannel = false,
    replaces = false,
  ) => s.value('select public.respond_to_command($1, $2, $3, $4)', [token, body, inChannel, replaces])
  const finish = async (s: TestTransaction, body: string | null, inChannel = false) =>
    s.value('select public.finish_command($1, $2, $3)', [(await jobs(s))[0]!.id, body, inChannel])

  it('sends an invocation as a form, signed for receivers of Standard Webhooks and of Slack, and discloses no more', async () => {
    await afterCommand(async (s, id) => {
      const [request] = await requests(s)
      const { headers, body, url, timeout } = request!
      expect([url, timeout, headers['content-type']]).toEqual([
        'https://tides.example/in',
        3000,
        'application/x-www-form-urlencoded',
      ])
      const fields = Object.fromEntries(new URLSearchParams(body))
      expect(fields).toEqual({
        command: '/tide',
        text: 'Cuxhaven & x=1',
        channel_id: fixture.lobby,
        channel_name: 'lobby',
        user_id: fixture.profile.bea,
        user_name: 'bea Example',
        team_id: fixture.workspace,
        api_app_id: bot,
        trigger_id: id,
        response_url: expect.stringMatching(
          /^https:\/\/linnet\.example\/functions\/v1\/command-response\/[\w-]{20,}$/,
        ) as string,
      })
      const [job] = await jobs(s)
      const key = Buffer.from(made.secret!.replace('whsec_', ''), 'base64')
      const at = headers['webhook-timestamp']!
      expect(headers['webhook-id']).toBe(job!.id)
      expect(headers['webhook-signature']).toBe(
        `v1,${createHmac('sha256', key).update(`${job!.id}.${at}.${body}`).digest('base64')}`,
      )
      expect(headers['x-slack-request-timestamp']).toBe(at)
      expect(headers['x-slack-signature']).toBe(
        `v0=${createHmac('sha256', made.secret!).update(`v0:${at}:${body}`).digest('hex')}`,
      )
      expect(await rows(s)).toEqual([
        { id, state: 'pending', problem: null, body: null, text: 'Cuxhaven & x=1' },
      ])
      expect(JSON.stringify(await s.rows('select * from public.jobs'))).not.toContain('Cuxhaven')
    })
  })

  it('runs once when the same request arrives again', async () => {
    await afterCommand(async (s, id) => {
      await become(s, 'bea')
      await s.call('invoke_command', { id, channel: fixture.lobby, name: 'tide' })
      await become(s, 'postgres')
      expect([(await requests(s)).length, (await rows(s)).length]).toEqual([1, 1])
      await become(s, 'ann')
      expect(await s.failure('invoke_command', { id, channel: fixture.lobby, name: 'tide' })).toBe('conflict')
    })
  })

  it('shows an ephemeral response to the caller, and posts one in the channel as the bot', async () => {
    await afterCommand(async (s, id) => {
      await receive(s, 200, '{"text": "High at 08:12"}')
      expect((await jobs(s))[0]).toMatchObject({ error: null, failed: false })
      await finish(s, 'High at 08:12')
      expect([await rows(s), await jobs(s)]).toEqual([
        [{ id, state: 'shown', problem: null, body: 'High at 08:12', text: 'Cuxhaven & x=1' }],
        [],
      ])
    })
    await afterCommand(async (s) => {
      await finish(s, 'High at 08:12', true)
      expect(await rows(s)).toEqual([])
      const [message] = await s.rows(
        `select body, thread_root, author_id from public.messages where channel_id = $1 order by rev desc limit 1`,
        [fixture.lobby],
      )
      expect(message).toEqual({ body: 'High at 08:12', thread_root: null, author_id: bot })
    })
    await afterCommand(async (s) => {
      await receive(s, 200, '  ')
      expect([await rows(s), await jobs(s)]).toEqual([[], []])
    })
  })

  it('hands a body to the function that converts it', async () => {
    await afterCommand(async (s) => {
      await receive(s, 200, '{"text": "Hi"}')
      const [call] = await s.rows<{ body: { content: string } }>(
        `select body from supabase_functions.invocations where function_name = 'command-response'`,
      )
      expect(call!.body).toEqual({
        job: (await jobs(s))[0]!.id,
        content: '{"text": "Hi"}',
        content_type: 'application/json',
      })
      expect(await s.rows('select from net._http_response')).toEqual([])
    })
  })

  it.each([
    [500, null, false, 'error', 'The server responded with status 500.'],
    [null, null, true, 'timeout', 'The server did not respond in time.'],
    [null, null, false, 'unreachable', 'not public'],
    [200, 'x'.repeat(100_001), false, 'bad_response', 'The response has more than 100 kB.'],
  ] as const)(
    'shows the caller that it failed (%s), and those who manage the bot why, without repeating it',
    async (status, content, timedOut, problem, error) => {
      await afterCommand(async (s, id) => {
        await receive(s, status, content, timedOut)
        expect(await rows(s)).toMatchObject([{ id, state: 'failed', problem }])
        expect(await jobs(s)).toEqual([{ id: expect.any(String) as string, error, failed: true }])
        await become(s, 'ann')
        const { commands } = await s.call('list_bot_commands', { bot })
        expect(commands[0]!.deliveries).toMatchObject([{ attempts: 1, error }])
        expect(JSON.stringify(commands)).not.toMatch(/Cuxhaven|whsec_/)
      })
    },
  )

  it('ends what has no response: a lost request, a bot without an address', async () => {
    await afterCommand(async (s) => {
      await s.rows('select app.expire_commands()')
      expect(await rows(s)).toMatchObject([{ state: 'pending' }])
      await s.rows(`update public.jobs set run_at = now() where kind = 'command'`)
      await s.rows('select app.expire_commands()')
      expect(await rows(s)).toMatchObject([{ state: 'failed', problem: 'timeout' }])
    })
    await fixture.service(async (s) => {
      await s.rows('update public.bot_commands set url = null')
      await enter(s)
      expect([await jobs(s), await requests(s)]).toEqual([[], []])
      const [event] = await s.rows<{ payload: Record<string, string> }>(
        `select payload from realtime.messages where topic = $1 and event = 'command'`,
        [`user:${bot}`],
      )
      expect(event!.payload).toMatchObject({ command: '/tide', user_name: 'bea Example' })
      await s.rows(`update public.command_responses set created_at = now() - interval '61 seconds'`)
      await s.rows('select app.expire_commands()')
      expect(await rows(s)).toMatchObject([{ state: 'failed', problem: 'timeout' }])
      const token = event!.payload['response_url']!.split('/').pop()!
      const stored = () =>
        s.rows('select from realtime.messages where strpos(payload::text, $1) > 0', [token])
      expect(await stored()).toHaveLength(1)
      await respond(s, token, 'Here you are')
      // The bot has it: what is stored for those who reconnect has none.
      expect(await stored()).toEqual([])
      expect(await rows(s)).toMatchObject([{ state: 'shown', problem: null, body: 'Here you are' }])
      await respond(s, token, 'And another one')
      expect(await rows(s)).toHaveLength(2)
    })
  })

  it('accepts five responses within 30 minutes at response_url, which replace earlier ones on request', async () => {
    await afterCommand(async (s, id) => {
      const token = await tokenOf(s)
      await respond(s, token, 'One')
      await respond(s, token, 'Two')
      expect((await rows(s)).map(({ body }) => body)).toEqual(['One', 'Two'])
      await respond(s, token, 'Three', false, true)
      expect((await rows(s)).map(({ body }) => body)).toEqual(['Three'])
      await respond(s, token, null, false, true)
      expect(await rows(s)).toEqual([])
      await respond(s, token, 'Five', true)
      expect((await s.refusal((t) => respond(t, token, 'Six'))).message).toBe('rate_limited')
      await s.rows('update public.command_invocations set responses = 0')
      await s.rows(
        `update public.command_invocations set created_at = now() - interval '31 minutes' where id = $1`,
        [id],
      )
      expect((await s.refusal((t) => respond(t, token, 'Late'))).message).toBe('not_found')
      expect((await s.refusal((t) => respond(t, 'x'.repeat(40), 'Guess'))).message).toBe('not_found')
      await s.rows('select app.expire_commands()')
      expect(await s.value('select count(*)::int from public.command_invocations')).toBe(0)
    })
  })

  it('is refused to a bot or caller who was removed, or whose token expired, and to an archived channel', async () => {
    for (const change of [
      `delete from public.channel_members where profile_id = '${bot}'`,
      `update public.bots set token_expires_at = now() where profile_id = '${bot}'`,
      `delete from public.channel_members where profile_id = '${fixture.profile.bea}' and channel_id = '${fixture.lobby}'`,
    ]) {
      await afterCommand(async (s) => {
        const token = await tokenOf(s)
        await s.rows(change)
        expect((await s.refusal((t) => respond(t, token, 'Hi'))).message).toBe('not_a_member')
        await finish(s, 'Hi')
        expect(await rows(s)).toMatchObject([{ state: 'failed', problem: 'refused', body: null }])
      })
    }
    await afterCommand(async (s) => {
      await s.rows('update public.channels set archived_at = now() where id = $1', [fixture.lobby])
      await finish(s, 'Hi', true)
      expect(await jobs(s)).toMatchObject([{ error: 'The response was refused: archived' }])
    })
  })

  it('is shown to the caller but not posted while the caller may not write there', async () => {
    const { lobby, workspace, profile } = fixture
    for (const [change, problem] of [
      [
        `insert into public.silences (workspace_id, profile_id, until, reason)
        values ('${workspace}', '${profile.bea}', now() + interval '5 minutes', 'Calm down')`,
        'silenced',
      ],
      [`update public.channels set posting = 'admins' where id = '${lobby}'`, 'posting_admins'],
      [`update auth.users set banned_until = 'infinity' where id = '${fixture.account.bea}'`, 'not_a_member'],
      [
        `with slow as (update public.channels set slow_seconds = 600 where id = '${lobby}')
        insert into public.slow_mode_messages (channel_id, profile_id, sent_at) values ('${lobby}', '${profile.bea}', now())`,
        'slow_mode',
      ],
      [
        `with guest as (update public.workspace_members set role = 'guest' where profile_id = '${profile.bea}')
        update public.workspaces set guest_links = false where id = '${workspace}'`,
        'links_by_members',
      ],
    ] as const) {
      await afterCommand(async (s) => {
        // The bot itself may write.
        await s.rows(`update public.channel_members set role = 'admin' where profile_id = $1`, [bot])
        const token = await tokenOf(s)
        await s.rows(change)
        const posted = () => s.value('select count(*)::int from public.messages where author_id = $1', [bot])
        expect((await s.refusal((t) => respond(t, token, 'For all: https://a.example', true))).message).toBe(
          problem,
        )
        await respond(s, token, 'For you')
        expect(await rows(s)).toMatchObject([{ state: 'shown', body: 'For you' }])
        await finish(s, 'For all: https://a.example', true)
        expect([await jobs(s), await posted()]).toMatchObject([
          [{ error: `The response was refused: ${problem}` }],
          0,
        ])
      })
    }
  })

  it('counts for the slow mode of its caller where it is posted', async () => {
    await afterCommand(async (s) => {
      await s.rows('update public.channels set slow_seconds = 600 where id = $1', [fixture.lobby])
      const token = await tokenOf(s)
      await respond(s, token, 'For all', true)
      expect((await s.refusal((t) => respond(t, token, 'For all', true))).message).toBe('slow_mode')
      await become(s, 'bea')
      const sent = { id: randomUUID(), channel: fixture.lobby, body: 'Mine' }
      expect(await s.failure('send_message', sent)).toBe('slow_mode')
    })
  })

  it('runs in a thread that the bot may read, and responds there', async () => {
    const root = randomUUID()
    await fixture.committedAs('ann', (s) =>
      s.call('send_message', { id: root, channel: fixture.lobby, body: 'When?' }),
    )
    await afterCommand(
      async (s) => {
        expect(new URLSearchParams((await requests(s))[0]!.body).get('thread_root')).toBe(root)
        await finish(s, 'At eight', true)
        const [reply] = await s.rows(
          'select seq, thread_seq, author_id, body from public.messages where thread_root = $1',
          [root],
        )
        expect(reply).toEqual({ seq: null, thread_seq: '1', author_id: bot, body: 'At eight' })
        expect(await s.value('select reply_count from public.messages where id = $1', [root])).toBe(1)
      },
      { thread_root: root },
    )
    await fixture.rolledBackAs('bea', async (s) => {
      const { fresh } = fixture.messages
      // Before the bot was added.
      expect(await s.call('list_commands', { channel: fixture.lobby, thread_root: fresh })).toEqual({
        commands: [],
      })
      const args = { id: randomUUID(), channel: fixture.lobby, name: 'tide', thread_root: fresh }
      expect(await s.failure('invoke_command', args)).toBe('not_found')
    })
  })

  it('is listed and runs for members of the bot’s channels only, while the bot has a valid token', async () => {
    const tide = {
      name: 'tide',
      description: 'High and low water',
      hint: 'place',
      bot: { id: bot, name: 'Tides' },
    }
    const listed = (who: Name, channel: Uuid) =>
      fixture.rolledBackAs(who, (s) => s.call('list_commands', { channel }))
    const entered = (who: Name, channel: Uuid, name = 'tide') =>
      fixture.rolledBackAs(who, (s) => s.failure('invoke_command', { id: randomUUID(), channel, name }))
    for (const who of ['ann', 'bea', 'gus'] as const) {
      expect(await listed(who, fixture.lobby)).toEqual({ commands: [tide] })
    }
    expect(await listed('bea', fixture.side)).toEqual({ commands: [] })
    expect(await listed('ann', fixture.side)).toEqual({ commands: [] })
    expect(await entered('bea', fixture.side)).toBe('not_found')
    expect(await entered('bea', fixture.closed)).toBe('not_found')
    expect(await entered('bea', fixture.direct)).toBe('not_found')
    expect(await entered('bea', fixture.lobby, 'ebb')).toBe('not_found')
    expect(await entered('ann', fixture.side)).toBe('not_a_member')
    expect(await entered('omar', fixture.lobby)).toBe('not_found')
    for (const change of [
      'update public.bot_commands set enabled = false',
      'update public.bots set token_expires_at = now()',
      `update public.workspace_members set expires_at = now() where profile_id = '${bot}'`,
    ]) {
      await fixture.service(async (s) => {
        await s.rows(change)
        await become(s, 'bea')
        expect(await s.call('list_commands', { channel: fixture.lobby })).toEqual({ commands: [] })
        expect(
          await s.failure('invoke_command', { id: randomUUID(), channel: fixture.lobby, name: 'tide' }),
        ).toBe('not_found')
      })
    }
  })

  it('is refused where the caller may not post, to bots, beyond the rate limit, and with a long text', async () => {
    const failure = (who: Name, change: string, text = '') =>
      fixture.service(async (s) => {
        if (change) await s.rows(change)
        await become(s, who)
        return s.failure('invoke_command', { id: randomUUID(), channel: fixture.lobby, name: 'tide', text })
      })
    expect(await failure('bea', '', 'x'.repeat(4001))).toBe('command_text_length')
    expect(await failure('bea', `update public.channels set posting = 'admins'`)).toBe('posting_admins')
    expect(await failure('bea', `update public.channels set archived_at = now()`)).toBe('archived')
    expect(
      await failure('bea', `update public.profiles set kind = 'bot' where id = '${fixture.profile.bea}'`),
    ).toBe('not_allowed')
    await fixture.service(async (s) => {
      await slowDownRefill(s)
      for (let i = 0; i < 20; i++) await enter(s)
      expect(await rows(s)).toHaveLength(20)
      const first = (await rows(s))[0]!.id
      await become(s, 'bea')
      const args = { id: randomUUID(), channel: fixture.lobby, name: 'tide' }
      expect(await s.failure('invoke_command', args)).toBe('rate_limited')
      await become(s, 'postgres')
      await s.rows(`delete from public.rate_limits where kind = 'command'`)
      await enter(s)
      const left = await rows(s)
      expect([left.length, left.some(({ id }) => id === first)]).toEqual([20, false])
    })
  })

  it('shows responses to the caller alone, on all devices, until they dismiss them or a day has passed', async () => {
    await afterCommand(async (s, id) => {
      await finish(s, 'Only for you')
      const events = await s.rows<{ topic: string; payload: Record<string, unknown> }>(
        `select topic, payload from realtime.messages where event = 'response' order by inserted_at, payload -> 'rev'`,
      )
      expect(new Set(events.map(({ topic }) => topic))).toEqual(new Set([`user:${fixture.profile.bea}`]))
      expect(events.at(-1)!.payload).toMatchObject({ id, state: 'shown', body: 'Only for you' })
      const own = async (who: Name) => {
        await become(s, who)
        const { own } = await s.call('bootstrap', {})
        const visible = await s.value('select count(*)::int from public.command_responses')
        return [(own.responses ?? []).map((one) => one.body), visible]
      }
      expect(await own('bea')).toEqual([['Only for you'], 1])
      expect(await own('ann')).toEqual([[], 0])
      await s.call('dismiss_response', { response: id })
      expect(await own('bea')).toEqual([['Only for you'], 1])
      const { digests } = await s.call('bootstrap', {})
      expect((await s.call('bootstrap', { stored: digests })).own).toEqual({})
      await s.call('dismiss_response', { response: id })
      expect((await s.call('bootstrap', { stored: digests })).own).toEqual({ responses: [] })
    })
    await afterCommand(async (s) => {
      await s.rows(`update public.command_responses set created_at = now() - interval '25 hours'`)
      await s.rows('select app.expire_commands()')
      expect(await rows(s)).toEqual([])
    })
  })

  it('is registered by those who manage the workspace, with a name of its own', async () => {
    const failure = (args: Partial<Commands['create_bot_command']['args']>, who: Name = 'ann') =>
      fixture.rolledBackAs(who, (s) =>
        s.failure('create_bot_command', { bot, name: 'ebb', description: 'Low water', ...args }),
      )
    expect(await failure({}, 'bea')).toBe('not_allowed')
    expect(await failure({}, 'zoe')).toBe('not_found')
    for (const name of ['', '1st', 'two words', 'ä', 'x'.repeat(33), '/ebb'])
      expect([name, await failure({ name })]).toEqual([name, 'bad_command'])
    expect(await failure({ description: ' ' })).toBe('bad_command')
    expect(await failure({ hint: 'x'.repeat(61) })).toBe('bad_command')
    for (const url of ['http://a.example/', 'https://localhost/', 'https://10.0.0.1/x', 'ftp://a.example/'])
      expect([url, await failure({ url })]).toEqual([url, 'bad_command_url'])
    for (const name of [...BUILT_IN_COMMANDS, 'TIDE'])
      expect([name, await failure({ name })]).toEqual([name, 'command_taken'])
    await fixture.rolledBackAs('ann', async (s) => {
      const { command, secret } = await s.call('create_bot_command', {
        bot,
        name: 'ebb',
        description: 'Low water',
      })
      expect([command.url, command.hint, secret]).toEqual([null, '', null])
      expect((await s.call('renew_command_secret', { bot })).secret).toMatch(/^whsec_/)
      const changed = { command: command.id, name: 'flow', description: 'Water', enabled: false }
      expect(await s.call('update_bot_command', changed)).toMatchObject({ name: 'flow', enabled: false })
      expect(await s.failure('update_bot_command', { ...changed, name: 'tide' })).toBe('command_taken')
      for (let i = 2; i < 20; i++)
        await s.call('create_bot_command', { bot, name: `c${i}`, description: 'x' })
      expect(await s.failure('create_bot_command', { bot, name: 'ebb', description: 'x' })).toBe(
        'too_many_commands',
      )
      await s.call('delete_bot_command', { command: command.id })
      expect((await s.call('list_bot_commands', { bot })).commands).toHaveLength(19)
    })
  })

  it('ends with its bot, its secret, invocations and deliveries', async () => {
    await afterCommand(async (s) => {
      const left = () =>
        s.rows(
          `select (select count(*)::int from public.bot_commands) as commands,
             (select count(*)::int from public.jobs) as jobs,
             (select count(*)::int from public.command_invocations) as invocations,
             (select count(*)::int from vault.secrets where name like 'bot commands %') as secrets`,
        )
      expect(await left()).toEqual([{ commands: 1, jobs: 1, invocations: 1, secrets: 1 }])
      await s.rows(`update public.workspace_members set state = 'deactivated' where profile_id = $1`, [bot])
      expect(await left()).toEqual([{ commands: 0, jobs: 0, invocations: 0, secrets: 0 }])
    })
  })
})
