/* oxlint-disable vitest/valid-expect -- the second argument of expect names the case that failed */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Uuid } from '../../wire/scalars.ts'
import { testDatabases } from './support/testDatabases.ts'
import { openFixture, type Fixture, type TestTransaction } from './support/fixture.ts'

const expired = 'sign_in_code_expired'

describe.each(testDatabases)('signing in by the code of another device on $name', ({ open }) => {
  let fixture: Fixture
  beforeAll(async () => {
    fixture = await openFixture(await open())
  })
  afterAll(() => fixture.stop())

  const as = async <T>(
    s: TestTransaction,
    account: Uuid,
    session: Uuid,
    work: () => Promise<T>,
  ): Promise<T> => {
    const claims = { role: 'authenticated', sub: account, session_id: session }
    await s.rows(
      `select set_config('request.jwt.claims', $1, true), set_config('role', 'authenticated', true)`,
      [JSON.stringify(claims)],
    )
    const result = await work()
    await s.rows(`select set_config('request.jwt.claims', '{}', true), set_config('role', 'postgres', true)`)
    return result
  }
  const asBea = <T>(s: TestTransaction, work: () => Promise<T>): Promise<T> =>
    as(s, fixture.account.bea, fixture.account.bea, work)
  const claim = (s: TestTransaction, code: string) =>
    s.value<{ claim: string; number: number }>(`select public.claim_sign_in($1, 'Phone')`, [code])
  const take = (s: TestTransaction, token: string) =>
    s.value<{ email: string | null }>('select public.take_sign_in($1)', [token])
  const refusal = async (s: TestTransaction, work: () => Promise<unknown>): Promise<string> =>
    (await s.refusal(work)).message

  it('gives the address once, to the one device that Bea approves', async () => {
    await fixture.service(async (s) => {
      const { id, code } = await asBea(s, () => s.call('create_sign_in_code', {}))
      expect(await asBea(s, () => s.call('view_sign_in_code', { id }))).toEqual({
        number: null,
        device: null,
      })
      const phone = await claim(s, code)
      expect(await refusal(s, () => claim(s, code))).toBe(expired)
      expect(await take(s, phone.claim)).toEqual({ email: null })
      expect(await asBea(s, () => s.call('view_sign_in_code', { id }))).toEqual({
        number: phone.number,
        device: 'Phone',
      })
      const other = phone.number === 99 ? 10 : phone.number + 1
      expect(await asBea(s, () => s.failure('approve_device', { id, number: other }))).toBe(expired)
      expect(await take(s, phone.claim)).toEqual({ email: null })
      await asBea(s, () => s.call('approve_device', { id, number: phone.number }))
      const { email } = await take(s, phone.claim)
      expect(email).toBe(await s.value('select email from auth.users where id = $1', [fixture.account.bea]))
      expect(await refusal(s, () => take(s, phone.claim))).toBe(expired)
    })
  })

  it('stores hashes only', async () => {
    await fixture.service(async (s) => {
      const { code } = await asBea(s, () => s.call('create_sign_in_code', {}))
      const phone = await claim(s, code)
      const [row] = await s.rows<{ text: string }>(
        'select to_jsonb(d)::text as text from public.device_sign_ins d',
      )
      expect(row!.text).not.toContain(code)
      expect(row!.text).not.toContain(phone.claim)
    })
  })

  it('ends with time, a newer code, a refusal and the session that displays it', async () => {
    const ends: [string, (s: TestTransaction, id: Uuid) => Promise<unknown>][] = [
      ['time', (s) => s.rows(`update public.device_sign_ins set expires_at = now()`)],
      ['newer', (s) => asBea(s, () => s.call('create_sign_in_code', {}))],
      ['refused', (s, id) => asBea(s, () => s.call('refuse_device', { id }))],
      ['session', (s) => s.rows('delete from auth.sessions where id = $1', [fixture.account.bea])],
    ]
    for (const [how, end] of ends) {
      // oxlint-disable-next-line no-loop-func -- awaited in each round
      await fixture.service(async (s) => {
        const { id, code } = await asBea(s, () => s.call('create_sign_in_code', {}))
        const phone = await claim(s, code)
        await asBea(s, () => s.call('approve_device', { id, number: phone.number }))
        await end(s, id)
        expect(await refusal(s, () => take(s, phone.claim)), how).toBe(expired)
      })
    }
  })

  it('belongs to the session that displays it: others neither see, approve nor refuse it', async () => {
    await fixture.service(async (s) => {
      const { id, code } = await asBea(s, () => s.call('create_sign_in_code', {}))
      const { claim: token, number } = await claim(s, code)
      const { ann, bea } = fixture.account
      const second = await s.value<Uuid>(
        `insert into auth.sessions (id, user_id, created_at, updated_at) values (gen_random_uuid(), $1, now(), now())
         returning id`,
        [bea],
      )
      for (const [account, session] of [
        [ann, ann],
        [bea, second],
      ] as const) {
        await as(s, account, session, async () => {
          expect(await s.failure('view_sign_in_code', { id })).toBe(expired)
          expect(await s.failure('approve_device', { id, number })).toBe(expired)
        })
      }
      await as(s, ann, ann, () => s.call('refuse_device', { id }))
      expect(await take(s, token)).toEqual({ email: null })
    })
  })

  it('needs an address, to which the session is created', async () => {
    await fixture.service(async (s) => {
      await s.rows('update auth.users set email = null where id = $1', [fixture.account.bea])
      expect(await asBea(s, () => s.failure('create_sign_in_code', {}))).toBe('email_address_missing')
    })
  })
})
