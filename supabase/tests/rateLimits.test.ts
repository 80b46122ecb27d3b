import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Uuid } from '../../wire/scalars.ts'
import { slowDownRefill } from './support/slowDownRefill.ts'
import { testDatabases } from './support/testDatabases.ts'
import { openFixture, type Name, type TestTransaction, type Fixture } from './support/fixture.ts'

/** How often one person may change things, as the data API has it checked before each request. */
describe.each(testDatabases)('rate limits on $name', ({ open }) => {
  let fixture: Fixture
  beforeAll(async () => {
    fixture = await openFixture(await open())
  })
  afterAll(() => fixture.stop())

  const request = async (s: TestTransaction, path: string): Promise<void> => {
    await s.rows(`select set_config('request.path', $1, true)`, [path])
    await s.rows('select app.check_request()')
  }
  const expectRefusal = async (s: TestTransaction, path: string): Promise<void> =>
    expect(await s.refusal((t) => request(t, path))).toMatchObject({ code: 'PT429', message: 'rate_limited' })
  const slowDown = async (s: TestTransaction): Promise<void> => {
    await s.rows('reset role')
    await slowDownRefill(s)
    await s.rows('set local role authenticated')
  }
  /** How many requests of a path pass before one is refused; at most 1,000. */
  const passed = (who: Name, path: string): Promise<number> =>
    fixture.rolledBackAs(who, async (s) => {
      await slowDown(s)
      await s.rows(`select set_config('request.path', $1, true)`, [path])
      // One statement: a round trip for each of 740 requests takes seconds.
      await s.rows(`do $$
        declare passed integer := 0;
        begin
          while passed < 1000 loop
            begin
              perform app.check_request();
            exception when sqlstate 'PT429' then exit;
            end;
            passed := passed + 1;
          end loop;
          perform set_config('test.passed', passed::text, true);
        end $$`)
      return Number(await s.value(`select current_setting('test.passed')`))
    })

  it('let a person react, write, type and change their profile so often, and then refuse it', async () => {
    for (const [path, burst] of [
      ['/rpc/react', 120],
      ['/rpc/edit_message', 120],
      ['/rpc/typing', 60],
      ['/profiles', 20],
      ['/rpc/save_draft', 120],
      ['/rpc/a_later_command', 300],
    ] as const) {
      expect([path, await passed('gus', path)]).toEqual([path, burst])
    }
  })

  it('cannot be evaded by another way of writing a path', async () => {
    for (const path of ['/%70rofiles', '/rpc/send%5Fmessage', '/%72pc/react'])
      await fixture.rolledBackAs('gus', async (s) => {
        const refused = await s.refusal((t) => request(t, path))
        expect([path, refused]).toEqual([
          path,
          expect.objectContaining({ code: 'PT404', message: 'not_found' }),
        ])
      })
  })

  it('count each person and each kind for itself', async () => {
    await fixture.rolledBackAs('gus', async (s) => {
      await slowDown(s)
      for (let i = 0; i < 20; i++) await request(s, '/profiles')
      await expectRefusal(s, '/profiles')
      await request(s, '/rpc/react')
      await s.rows(
        `select set_config('request.jwt.claims', jsonb_build_object('sub', $1::text, 'session_id', $1::text)::text, true)`,
        [fixture.account.bea],
      )
      await request(s, '/profiles')
    })
  })

  it('let a person write so many characters in messages, edits and drafts, and then refuse long texts', async () => {
    const body = (n: number) => String.fromCodePoint(0x4e00 + n).repeat(19_000)
    const expectedFailure = 'rate_limited'
    await fixture.rolledBackAs('gus', async (s) => {
      await slowDown(s)
      const send = (text: string) => ({ id: randomUUID(), channel: fixture.lobby, body: text })
      const { message } = await s.call('send_message', send('short'))
      for (let n = 0; n < 10; n += 1) await s.call('send_message', send(body(n)))
      for (let n = 0; n < 10; n += 1)
        await s.call('edit_message', { id: message.id, body: body(n), edit: randomUUID() })
      await s.call('send_message', send(body(0)))
      expect(await s.failure('send_message', send(body(1)))).toBe(expectedFailure)
      expect(await s.failure('edit_message', { id: message.id, body: body(11), edit: randomUUID() })).toBe(
        expectedFailure,
      )
      const sendAt = new Date(Date.now() + 86_400_000).toISOString()
      expect(await s.failure('schedule_message', { ...send(body(2)), send_at: sendAt })).toBe(expectedFailure)
      expect(await s.failure('send_message', send(body(3) + body(4)))).toBe('messages_body_length')
      await s.call('send_message', send('short again'))
      let base: Uuid[] = []
      const draft = (n: number) => ({ id: randomUUID(), channel: fixture.lobby, body: body(n), base })
      for (let n = 0; n < 52; n += 1) {
        const change = draft(n)
        await s.call('save_draft', change)
        base = [change.id]
      }
      expect(await s.failure('save_draft', draft(53))).toBe(expectedFailure)
    })
  })

  it('let a bot write so many characters without a session', async () => {
    await fixture.service(async (s) => {
      await slowDownRefill(s)
      const post = (t: TestTransaction, text: string) =>
        t.rows('select app.post_as_bot($1, $2, $3)', [fixture.profile.bea, fixture.lobby, text])
      for (let n = 0; n < 20; n += 1) await post(s, 'x'.repeat(20_000))
      expect(await s.refusal((t) => post(t, 'x'.repeat(101)))).toMatchObject({ code: 'PT429' })
      await post(s, 'x'.repeat(100))
    })
  })

  it('refill steadily', async () => {
    await fixture.rolledBackAs('gus', async (s) => {
      await slowDown(s)
      for (let i = 0; i < 20; i++) await request(s, '/profiles')
      await expectRefusal(s, '/profiles')
      await s.rows('reset role')
      await s.rows(
        `update public.rate_limits set full_at = full_at - interval '200 minutes' where kind = 'profile'`,
      )
      await s.rows('set local role authenticated')
      await request(s, '/profiles')
      await request(s, '/profiles')
      await expectRefusal(s, '/profiles')
    })
  })

  it('count a change of all preferences as one for each channel', async () => {
    await fixture.rolledBackAs('bea', async (s) => {
      await slowDown(s)
      await request(s, '/channel_member_state')
      const { length } = await s.rows(
        'update public.channel_member_state set muted = true where true returning channel_id',
      )
      expect(length).toBeGreaterThan(2)
      await s.rows('reset role')
      // With 0.01 a minute, a quarter of the limit regains one in 400 minutes.
      const used = await s.value<number>(
        `select round(sum(extract(epoch from full_at - clock_timestamp())) / 24000)::int from public.rate_limits
         where user_id = $1 and kind = 'own'`,
        [fixture.account.bea],
      )
      expect(used).toBe(length)
    })
  })

  it('end where the setting is removed, and bind neither the service nor requests that only read', async () => {
    await fixture.rolledBackAs('gus', async (s) => {
      await s.rows('reset role')
      await s.rows(`update public.settings set value = value || '{"profile": {"per_minute": 1, "burst": 1}}'
        where key = 'rate_limits'`)
      await s.rows('set local role authenticated')
      await request(s, '/profiles')
      await expectRefusal(s, '/profiles')
      await s.rows('reset role')
      await s.rows(`delete from public.settings where key = 'rate_limits'`)
      await s.rows('set local role authenticated')
      await request(s, '/profiles')
      await request(s, '/profiles')
    })
    await fixture.rolledBackAs('gus', async (s) => {
      await s.rows('set transaction read only')
      for (let i = 0; i < 30; i++) await request(s, '/profiles')
    })
    await fixture.service(async (s) => {
      await s.rows(`set local role service_role; set local request.jwt.claims = '{"role": "service_role"}'`)
      for (let i = 0; i < 30; i++) await request(s, '/profiles')
      await s.rows('reset role')
      expect(await s.rows('select from public.rate_limits')).toEqual([])
    })
  })
})
