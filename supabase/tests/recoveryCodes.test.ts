import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { renderAccountMail } from '../functions/notification-mail/renderAccountMail.ts'
import type { ClaimedAccountMail } from '../functions/notification-mail/sendMails.ts'
import { openFixture, type Fixture, type Name, type TestTransaction } from './support/fixture.ts'
import { addVerifiedFactor, becomeWithLevel } from './support/secondFactor.ts'
import { testDatabases } from './support/testDatabases.ts'

const CODE = /^[0-9a-f]{5}(-[0-9a-f]{5}){3}$/

/** Codes that remove a lost second factor. */
describe.each(testDatabases)('recovery codes on $name', ({ open }) => {
  let fixture: Fixture
  beforeAll(async () => {
    fixture = await openFixture(await open())
  })
  afterAll(() => fixture.stop())

  const become = (s: TestTransaction, who: Name | 'postgres', aal?: 'aal1' | 'aal2') =>
    becomeWithLevel(fixture, s, who, aal)
  const addFactor = (s: TestTransaction, who: Name) => addVerifiedFactor(fixture, s, who)
  const createCodes = async (s: TestTransaction, who: Name) => {
    await addFactor(s, who)
    await become(s, who, 'aal2')
    return (await s.call('create_recovery_codes', {})).codes
  }
  const countOf = (s: TestTransaction, table: string, who: Name) =>
    s.value<number>(`select count(*)::integer from ${table} where user_id = $1`, [fixture.account[who]])
  /** Runs in a transaction that is rolled back. */
  const inTransaction = (work: (s: TestTransaction) => Promise<void>) => fixture.service(work)

  it('lets a person in once each, in any spelling, removes the factors and ends all other sessions', () =>
    inTransaction(async (s) => {
      const codes = await createCodes(s, 'bea')
      expect(codes).toHaveLength(10)
      expect(new Set(codes).size).toBe(10)
      expect(codes.every((code) => CODE.test(code))).toBe(true)
      await become(s, 'postgres')
      await s.rows('insert into auth.sessions (id, user_id, created_at) values ($1, $2, now())', [
        randomUUID(),
        fixture.account.bea,
      ])
      await become(s, 'bea')
      expect(await s.failure('bootstrap', {})).toBe('second_factor_missing')
      const first = codes[0]!
      const typed = ` ${first.toUpperCase().replaceAll('-', ' ').replaceAll('0', 'O').replaceAll('1', 'l')} `
      expect(await s.call('use_recovery_code', { code: typed })).toEqual({ accepted: true })
      expect((await s.call('bootstrap', {})).workspace).not.toBeNull()
      expect(await s.failure('use_recovery_code', { code: codes[1]! })).toBe('conflict')
      await become(s, 'postgres')
      expect(await countOf(s, 'auth.mfa_factors', 'bea')).toBe(0)
      expect(await countOf(s, 'auth.sessions', 'bea')).toBe(1)

      // The other nine remain for the next factor.
      await addFactor(s, 'bea')
      await become(s, 'bea')
      expect(await s.call('use_recovery_code', { code: first })).toEqual({ accepted: false })
      expect(await s.failure('bootstrap', {})).toBe('second_factor_missing')
      // A session that has verified the factor has verified none afterwards.
      await become(s, 'bea', 'aal2')
      expect(await s.call('use_recovery_code', { code: codes[1]! })).toEqual({ accepted: true })
      expect(await s.call('my_recovery_codes', {})).toMatchObject({ remaining: 8 })
      await become(s, 'postgres')
      expect(
        await s.value('select aal::text from auth.sessions where user_id = $1', [fixture.account.bea]),
      ).toBe('aal1')
    }))

  it('stores only hashes, and new codes replace the old ones', () =>
    inTransaction(async (s) => {
      const old = await createCodes(s, 'gus')
      const { codes } = await s.call('create_recovery_codes', {})
      expect(await s.call('my_recovery_codes', {})).toMatchObject({ remaining: 10 })
      await become(s, 'postgres')
      const stored = await s.value<string>(
        `select string_agg(to_jsonb(c)::text, ' ') || (select coalesce(string_agg(j::text, ' '), '') from public.jobs j)
         || (select coalesce(string_agg(a.target::text, ' '), '') from public.audit_log a) from public.recovery_codes c`,
      )
      for (const code of [...old, ...codes]) {
        expect(stored).not.toContain(code)
        expect(stored).not.toContain(code.replaceAll('-', ''))
      }
      await become(s, 'gus')
      expect(await s.call('use_recovery_code', { code: old[0]! })).toEqual({ accepted: false })
      expect(await s.call('use_recovery_code', { code: codes[0]! })).toEqual({ accepted: true })
    }))

  it('work only for their own account, and only in sessions of the person', () =>
    inTransaction(async (s) => {
      const codes = await createCodes(s, 'ann')
      for (const who of ['gus', 'omar'] as const) {
        await addFactor(s, who)
        await become(s, who)
        expect([who, await s.call('use_recovery_code', { code: codes[0]! })]).toEqual([
          who,
          { accepted: false },
        ])
        // Neither list nor new codes without the second factor.
        expect([who, await s.failure('my_recovery_codes', {})]).toEqual([who, 'second_factor_missing'])
        expect([who, await s.failure('create_recovery_codes', {})]).toEqual([who, 'second_factor_missing'])
      }
      await become(s, 'sid')
      expect(await s.failure('use_recovery_code', { code: codes[0]! })).toBe('session_ended')
      // Ann's account with the session of another person.
      await s.rows(`select set_config('request.jwt.claims', $1, true)`, [
        JSON.stringify({ role: 'authenticated', sub: fixture.account.ann, session_id: fixture.account.gus }),
      ])
      expect(await s.failure('use_recovery_code', { code: codes[0]! })).toBe('session_ended')
      await become(s, 'postgres')
      expect(await countOf(s, 'public.recovery_codes', 'ann')).toBe(10)
    }))

  it('counts wrong codes, also of requests that are committed one by one', async () => {
    await fixture.service((s) => addFactor(s, 'cem'), true)
    const attempt = () => fixture.committedAs('cem', (s) => s.call('use_recovery_code', { code: '0' }))
    for (let n = 0; n < 8; n += 1) expect(await attempt()).toEqual({ accepted: false })
    await expect(attempt()).rejects.toThrow('rate_limited')
    await fixture.service(async (s) => {
      await s.rows('delete from auth.mfa_factors where user_id = $1', [fixture.account.cem])
      await s.rows('delete from public.rate_limits where user_id = $1', [fixture.account.cem])
    }, true)
  })

  it('end when the person removes the last factor', () =>
    inTransaction(async (s) => {
      await createCodes(s, 'bea')
      await addFactor(s, 'bea')
      const removeOne = `delete from auth.mfa_factors where id = (
        select id from auth.mfa_factors where user_id = $1 limit 1)`
      await s.rows(removeOne, [fixture.account.bea])
      expect(await countOf(s, 'public.recovery_codes', 'bea')).toBe(10)
      await s.rows(removeOne, [fixture.account.bea])
      expect(await countOf(s, 'public.recovery_codes', 'bea')).toBe(0)
    }))

  it('record the use in the audit log and mail the person once', () =>
    inTransaction(async (s) => {
      const codes = await createCodes(s, 'ann')
      await become(s, 'ann')
      await s.call('use_recovery_code', { code: codes[3]! })
      const { entries } = await s.call('list_audit_log', { workspace: fixture.workspace, limit: 3 })
      const { ann } = fixture.profile
      expect(entries.map(({ action, actor_id }) => [action, actor_id]).toReversed()).toEqual([
        ['account.recovery_codes_created', ann],
        ['account.factor_removed', ann],
        ['account.recovery_code_used', ann],
      ])

      await become(s, 'postgres')
      const claim = async () =>
        (await s.value<{ mails: ClaimedAccountMail[] }>('select public.claim_account_mails()')).mails
      const [mail, ...others] = await claim()
      expect(others).toEqual([])
      expect(mail).toMatchObject({ to: 'ann@harbour.example', remaining: 9, language: 'en' })
      const rendered = renderAccountMail(mail!, 'https://chat.example')
      expect(rendered.plain).toContain('You have 9 recovery codes left.')
      expect(rendered.plain).toContain('https://chat.example/settings/security')
      expect(rendered.html).toContain('Your second factor was removed')
      const begin = () => s.value('select public.begin_account_mail($1, $2)', [mail!.job, mail!.attempt])
      expect([await begin(), await begin()]).toEqual([{ permitted: true }, { permitted: false }])
      await s.value('select public.finish_account_mails($1)', [
        JSON.stringify([{ job: mail!.job, attempt: mail!.attempt, outcome: 'accepted', problem: null }]),
      ])
      expect(await s.value(`select count(*)::integer from public.jobs where kind = 'account_mail'`)).toBe(0)
    }))
})
