import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { knownKeys } from '../../backend/config/knownKeys.ts'
import { openFixture, type Fixture, type TestTransaction } from './support/fixture.ts'
import { testDatabases } from './support/testDatabases.ts'

describe.each(testDatabases)('settings that a file fixes on $name', ({ open }) => {
  let fixture: Fixture
  beforeAll(async () => {
    fixture = await openFixture(await open())
  })
  afterAll(async () => {
    await fixture.stop()
    await fixture.database.stop()
  })

  /** What the server does at its start. */
  const apply = (s: TestTransaction, settings: Record<string, unknown>) =>
    s.rows(`select app.apply_fixed_settings($1)`, [JSON.stringify(settings)])
  const read = (s: TestTransaction, key: string) =>
    s.rows<object>(`select value, is_fixed from public.settings where key = $1`, [key])
  const set = (key: string, value: string) => (s: TestTransaction) =>
    s.rows(`update public.settings set value = $2::jsonb where key = $1`, [key, value])

  it('have the value of the file, and nothing else changes them', async () => {
    await fixture.service(async (s) => {
      await apply(s, { mail_text: false, mail_delay_minutes: 5 })
      expect(await read(s, 'mail_text')).toEqual([{ value: false, is_fixed: true }])
      const refused = { message: expect.stringContaining('mail_text is set in linnet.toml') as string }
      expect(await s.refusal(set('mail_text', 'true'))).toMatchObject(refused)
      const remove = `delete from public.settings where key = 'mail_text'`
      expect(await s.refusal((t) => t.rows(remove))).toMatchObject(refused)
      // The same value is no change, and other settings can change.
      await set('mail_text', 'false')(s)
      await set('mail_language', '"de"')(s)
      expect(await read(s, 'mail_language')).toEqual([{ value: 'de', is_fixed: false }])
    })
  })

  it('have their earlier values again once no file contains them', async () => {
    await fixture.service(async (s) => {
      await set('mail_delay_minutes', '7')(s)
      await s.rows(`delete from public.settings where key = 'mail_language'`)
      await apply(s, { mail_delay_minutes: 5, mail_text: false, mail_language: 'de' })
      await apply(s, { mail_delay_minutes: 6, mail_text: false })
      expect(await read(s, 'mail_delay_minutes')).toEqual([{ value: 6, is_fixed: true }])
      expect(await read(s, 'mail_language')).toEqual([])
      await apply(s, {})
      expect(await read(s, 'mail_delay_minutes')).toEqual([{ value: 7, is_fixed: false }])
      expect(await read(s, 'mail_text')).toEqual([{ value: true, is_fixed: false }])
      await set('mail_text', 'false')(s)
    })
  })

  it('contain the limits of the file beside the other limits', async () => {
    await fixture.service(async (s) => {
      const before = await s.value<Record<string, object>>(
        `select value from public.settings where key = 'rate_limits'`,
      )
      const message = { per_minute: 600, burst: 600 }
      await apply(s, { rate_limits: { message } })
      expect(await read(s, 'rate_limits')).toEqual([{ value: { ...before, message }, is_fixed: true }])
      await apply(s, {})
      expect(await read(s, 'rate_limits')).toEqual([{ value: before, is_fixed: false }])
      const kinds = Object.keys(knownKeys).flatMap(
        (path) => /^settings\.rate_limits\.(\w+)\.burst$/.exec(path)?.[1] ?? [],
      )
      expect(kinds.toSorted()).toEqual(Object.keys(before).toSorted())
    })
  })

  it('are all rows of the table', async () => {
    const names = Object.keys(knownKeys).flatMap((path) => /^settings\.(\w+)$/.exec(path)?.[1] ?? [])
    await fixture.service(async (s) => {
      const known = await s.rows<{ key: string }>(`select key from public.settings`)
      expect(known.map(({ key }) => key)).toEqual(expect.arrayContaining(names))
    })
  })
})
