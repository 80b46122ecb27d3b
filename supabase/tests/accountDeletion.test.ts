import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { renderAccountMail } from '../functions/notification-mail/renderAccountMail.ts'
import type { ClaimedAccountMail } from '../functions/notification-mail/sendMails.ts'
import { openFixture, type Fixture, type Name, type TestTransaction } from './support/fixture.ts'
import { testDatabases } from './support/testDatabases.ts'

/** The deletion of an account by its person. */
describe.each(testDatabases)('the deletion of an account on $name', ({ open }) => {
  let fixture: Fixture
  beforeAll(async () => {
    fixture = await openFixture(await open())
  })
  afterAll(() => fixture.stop())

  const become = async (s: TestTransaction, who: Name | 'postgres') => {
    await s.rows('reset role')
    if (who === 'postgres') return
    const account = fixture.account[who]
    await s.rows(
      `select set_config('request.jwt.claims', $1, true), set_config('role', 'authenticated', true)`,
      [JSON.stringify({ role: 'authenticated', sub: account, session_id: account })],
    )
  }
  const addressOf = (s: TestTransaction, who: Name) =>
    s.value<string>('select email from auth.users where id = $1', [fixture.account[who]])
  const signIn = async (s: TestTransaction, who: Name) => {
    await become(s, 'postgres')
    await s.rows('insert into auth.sessions (id, user_id, created_at) values ($1, $1, now())', [
      fixture.account[who],
    ])
    await become(s, who)
  }
  const request = async (s: TestTransaction, who: Name, deletes_messages = false) => {
    await become(s, 'postgres')
    const address = await addressOf(s, who)
    await become(s, who)
    return s.call('request_account_deletion', { address: ` ${address.toUpperCase()} `, deletes_messages })
  }
  const claim = async (s: TestTransaction) => {
    await become(s, 'postgres')
    return (await s.value<{ mails: ClaimedAccountMail[] }>('select public.claim_account_mails()')).mails
  }

  it('is requested with the own address, ends all sessions, mails the person, and is due in a week', () =>
    fixture.service(async (s) => {
      await become(s, 'bea')
      expect(
        await s.failure('request_account_deletion', {
          address: 'ann@harbour.example',
          deletes_messages: false,
        }),
      ).toBe('other_address')
      const before = await s.call('my_account_deletion', {})
      expect(before).toMatchObject({ due_at: null, days: 7, owned_alone: [] })
      expect(before.messages).toBeGreaterThan(0)
      expect(before.workspaces).toHaveLength(1)
      const { due_at } = await request(s, 'bea')
      expect(Date.parse(due_at!) - Date.now()).toBeGreaterThan(6.9 * 86_400_000)
      await become(s, 'postgres')
      expect(await s.rows('select from auth.sessions where user_id = $1', [fixture.account.bea])).toEqual([])
      expect(
        await s.value('select reason from public.ended_sessions where session_id = $1', [
          fixture.account.bea,
        ]),
      ).toBe('deletion_requested')
      const [mail] = await claim(s)
      const { subject, plain } = renderAccountMail(mail!, 'https://chat.example')
      expect(subject).toBe('Your account will be deleted')
      expect(plain).toContain('Until then, you can sign in and keep it.')
    }))

  it('is taken back by the person who signs in, and then nothing is deleted or mailed', () =>
    fixture.service(async (s) => {
      await request(s, 'bea')
      await signIn(s, 'bea')
      expect((await s.call('bootstrap', {})).me!.deletes_at).toEqual(expect.any(String))
      expect((await s.call('cancel_account_deletion', {})).due_at).toBeNull()
      expect((await s.call('bootstrap', {})).me!.deletes_at).toBeUndefined()
      expect(await claim(s)).toEqual([])
      await s.rows('select app.delete_account($1)', [fixture.account.bea])
      expect(await addressOf(s, 'bea')).toEqual(expect.any(String))
    }))

  it('cannot be taken back once it has begun, and is not carried out before', () =>
    fixture.service(async (s) => {
      await request(s, 'bea')
      await become(s, 'postgres')
      await s.rows('select app.delete_account($1)', [fixture.account.bea])
      expect(await addressOf(s, 'bea')).toEqual(expect.any(String))
      await s.rows('update public.account_deletions set due_at = now() where user_id = $1', [
        fixture.account.bea,
      ])
      await signIn(s, 'bea')
      expect((await s.call('cancel_account_deletion', {})).due_at).toEqual(expect.any(String))
    }))

  it('is refused to the only owner of a workspace, until somebody else is an owner too', () =>
    fixture.service(async (s) => {
      const address = await addressOf(s, 'ann')
      await become(s, 'ann')
      expect((await s.call('my_account_deletion', {})).owned_alone).toHaveLength(1)
      expect(await s.failure('request_account_deletion', { address, deletes_messages: false })).toBe(
        'last_owner',
      )
      await s.call('set_member_role', {
        workspace: fixture.workspace,
        person: fixture.profile.cem,
        role: 'owner',
      })
      expect((await request(s, 'ann')).due_at).toEqual(expect.any(String))
    }))

  it('concerns the own account alone, also without a workspace', () =>
    fixture.service(async (s) => {
      await become(s, 'omar')
      expect(await s.call('my_account_deletion', {})).toMatchObject({
        messages: 0,
        workspaces: [],
        due_at: null,
      })
      await request(s, 'omar')
      await become(s, 'ann')
      expect((await s.call('my_account_deletion', {})).due_at).toBeNull()
    }))

  it('erases no messages in a workspace that the person was removed from', () =>
    fixture.service(async (s) => {
      const { workspace } = fixture
      const person = fixture.profile.bea
      const own = `select count(*)::int from public.messages where author_id = $1 and kind = 'text' and deleted_at is null`
      const before = await s.value<number>(own, [person])
      expect(before).toBeGreaterThan(0)
      await become(s, 'ann')
      await s.call('remove_person', { workspace, person })
      await become(s, 'postgres')
      await s.rows('set constraints all immediate')
      await signIn(s, 'bea')
      expect(await s.call('my_account_deletion', {})).toMatchObject({ messages: 0, workspaces: [] })
      await request(s, 'bea', true)
      await become(s, 'postgres')
      expect(await s.value('select app.erase_some_messages_of($1)', [person])).toBe(false)
      expect(await s.value<number>(own, [person])).toBe(before)
    }))

  it.each([
    ['keeps the messages under the name of a former member', false],
    ['erases the messages and files too if the person has chosen that', true],
  ])('%s, and removes everything that was theirs alone', async (_, deletesMessages) => {
    const who = deletesMessages ? 'bea' : 'gus'
    const account = fixture.account[who]
    const person = fixture.profile[who]
    const own = `select count(*)::int from public.messages where author_id = $1 and kind = 'text' and deleted_at is null`
    const address = await fixture.service(async (s) => {
      const email = await addressOf(s, who)
      await request(s, who, deletesMessages)
      await become(s, 'postgres')
      await s.rows('update public.account_deletions set due_at = now() where user_id = $1', [account])
      return email
    }, true)
    const before = await fixture.service((s) => s.value<number>(own, [person]))
    const client = new Client(fixture.database.config('postgres'))
    try {
      await client.connect()
      await client.query('call app.delete_due_accounts()')
      // A repeated run finds nothing.
      await client.query('call app.delete_due_accounts()')
    } finally {
      await client.end()
    }
    await fixture.service(async (s) => {
      expect(await s.rows('select from auth.users where id = $1', [account])).toEqual([])
      expect(
        await s.rows('select is_erased, user_id, avatar from public.profiles where id = $1', [person]),
      ).toEqual([{ is_erased: true, user_id: null, avatar: null }])
      expect(await s.value<number>(own, [person])).toBe(deletesMessages ? 0 : before)
      const left: string[] = []
      for (const table of [
        'drafts',
        'reminders',
        'saved_messages',
        'push_subscriptions',
        'member_addresses',
      ]) {
        const rows = await s.rows(`select from public.${table} where profile_id = $1`, [person])
        if (rows.length > 0) left.push(table)
      }
      expect(left).toEqual([])
      expect(
        await s.rows('select state, ended from public.workspace_members where profile_id = $1', [person]),
      ).toEqual([{ state: 'deactivated', ended: 'left' }])
      const mails = (await claim(s)).filter((mail) => mail.to === address)
      expect(mails.map(({ about }) => about)).toEqual(['account_deleted'])
      expect(renderAccountMail(mails[0]!, 'https://chat.example').subject).toBe('Your account was deleted')
    })
  })
})
