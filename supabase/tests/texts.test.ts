/* oxlint-disable vitest/valid-expect -- the second argument of expect names the case that failed */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import en from '../../wire/emojiNames/en.generated.ts'
import { isVisible } from '../../wire/texts.ts'
import { testDatabases } from './support/testDatabases.ts'
import { openFixture, type Fixture, type TestTransaction } from './support/fixture.ts'

/** The characters of Unicode that are assigned a block so far, without surrogates. */
const characters = `select c, chr(c) as s from generate_series(1, 917999) c
  where c < 131072 and c not between 55296 and 57343 or c >= 917504`

describe.each(testDatabases)('texts on $name', ({ open }) => {
  let fixture: Fixture
  beforeAll(async () => {
    fixture = await openFixture(await open())
  })
  afterAll(() => fixture.stop())

  /** Marks in an order in which PostgreSQL would exchange each with each: some minutes for this many. */
  const marks = `x${'\u0344'.repeat(50_000)}${'\u0F73'.repeat(50_000)}`

  it('have bounded runs of combining marks before they are normalised', async () => {
    await fixture.service(async (s) => {
      for (const name of ['fold_text', 'name_key', 'fold_phrase', 'phrase_to_find']) {
        expect(await s.value<number>(`select char_length(app.${name}($1))`, [marks]), name).toBeLessThan(100)
      }
      // Each language is as before.
      for (const text of ['Größe', 'Nguyễn Thị', 'ก็ได้', 'עִבְרִית', 'e' + '\u0301'.repeat(30)]) {
        expect(await s.value('select app.bound_marks($1)', [text])).toBe(text)
      }
      // What this server sorts, by its own tables: behind a mark of the highest class, the mark comes first.
      expect(
        await s.rows(
          `select to_hex(c) from (${characters}) c
           where (c = 837 or left(normalize(U&'\\0345' || s, nfkd), 1) <> U&'\\0345')
             and app.bound_marks(repeat(s, 40)) <> repeat(s, 30)`,
        ),
      ).toEqual([])
    })
  })

  it('are refused by their length before anything examines them', async () => {
    const { workspace, lobby } = fixture
    await fixture.rolledBackAs('ann', async (s) => {
      expect(await s.failure('create_group', { id: randomUUID(), workspace, name: marks })).toBe(
        'user_groups_name_form',
      )
      const channel = { id: randomUUID(), workspace, kind: 'public', name: marks } as const
      expect(await s.failure('create_channel', channel)).toBe('channels_name_length')
      const message = { id: randomUUID(), channel: lobby, body: marks }
      expect(await s.failure('send_message', message)).toBe('messages_body_length')
      const [id] = [fixture.messages.fresh]
      expect(await s.failure('edit_message', { id, body: marks })).toBe('messages_body_length')
      const section = 'insert into public.sections (id, workspace_id, name, position) values ($1, $2, $3, 1)'
      const refused = await s.refusal((t) => t.rows(section, [randomUUID(), workspace, marks]))
      expect(refused.constraint).toBe('sections_name_length')
      await s.call('search_messages', { workspace, query: `"${marks}"` })
      await s.call('list_files', { workspace, query: marks })
      await s.call('send_message', { id: randomUUID(), channel: lobby, body: marks.slice(40_001, 60_001) })
      await s.call('search_messages', { workspace, query: '"x y"' })
    })
  })

  it('of messages have a visible character, and a file a name that can be read', async () => {
    await fixture.rolledBackAs('bea', async (s) => {
      for (const body of ['\u2800', '\u200B', '\u3164', '\u00AD \n\u200D', '\u{E0061}', '\uFFA0', '\u0085']) {
        const message = { id: randomUUID(), channel: fixture.lobby, body }
        const send_at = new Date(Date.now() + 60_000).toISOString()
        expect(await s.failure('send_message', message), JSON.stringify(body)).toBe('messages_not_empty')
        expect(await s.failure('schedule_message', { ...message, send_at })).toBe('messages_not_empty')
        expect(await s.failure('edit_message', { id: fixture.messages.old, body })).toBe('messages_not_empty')
      }
      await s.call('send_message', { id: randomUUID(), channel: fixture.lobby, body: '\u200B👍\uFE0F' })
    })
    await fixture.service(async (s) => {
      // As the app decides it.
      const found = await s.rows<{ c: number }>(`select c from (${characters}) c where not app.is_visible(s)`)
      const invisible = new Set(found.map(({ c }) => c))
      expect(invisible.size).toBeGreaterThan(600)
      const differing: number[] = []
      for (let c = 1; c < 0xe01f0; c += 1) {
        if (c === 0x20000) c = 0xe0000
        const isSurrogate = c >= 0xd800 && c < 0xe000
        if (!isSurrogate && isVisible(String.fromCodePoint(c)) === invisible.has(c)) differing.push(c)
      }
      expect(differing).toEqual([])

      const isName = (name: string) => s.value<boolean>('select app.is_legible_file_name($1)', [name])
      for (const name of ['a.pdf', 'Größe 1.txt', 'تقرير\u200F.pdf', '👩🏽‍⚕️.png', `${'ä'.repeat(251)}.pdf`])
        expect(await isName(name), name).toBe(true)
      for (const name of [
        'invoice\u202Efdp.exe',
        'a\u2028b',
        '\u200B',
        '\u2800',
        'a\u2066b',
        'a/b',
        'a\\b',
        'a\nb',
        'a\u0085b',
        ' ',
        'x'.repeat(256),
      ]) {
        expect(await isName(name), JSON.stringify(name)).toBe(false)
        const cleaned = await s.value<string>('select app.clean_file_name($1)', [name.slice(0, 255)])
        expect(await isName(cleaned), cleaned).toBe(true)
      }
    })
  })

  it('that are names are compared as people see them', async () => {
    const { workspace } = fixture
    const create = (s: TestTransaction, name: string) =>
      s.call('create_channel', { id: randomUUID(), workspace, kind: 'public', name })
    const seenAsEqual = [
      'Büro',
      'bu\u0308ro',
      'ＢＵ\u0308RO',
      'Bü\u00ADro',
      '\u200BBüro',
      ' Büro\u2800',
      'Bü\u2060ro\uFE0F',
    ]
    await fixture.rolledBackAs('ann', async (s) => {
      await create(s, 'Büro')
      await create(s, 'Büro 2')
      await s.call('create_group', { id: randomUUID(), workspace, name: 'Büro' })
      for (const name of seenAsEqual) {
        const id = randomUUID()
        expect(await s.failure('create_channel', { id, workspace, kind: 'public', name }), name).toBe(
          'channels_name_unique',
        )
      }
      for (const name of [
        'bu\u0308ro',
        'ＢＵ\u0308RO',
        'Bü\u00ADro',
        'ｅｖｅｒｙone',
        'Bea\u00AD\u2003example',
      ]) {
        expect(await s.failure('create_group', { id: randomUUID(), workspace, name }), name).toBe(
          'group_name_taken',
        )
      }
      const options = ['Yes', 'Y\u00ADes']
      const poll = { options, multiple: false, anonymous: false, closes_at: null }
      const extras = { poll } as never
      expect(
        await s.failure('send_message', { id: randomUUID(), channel: fixture.lobby, body: '?', extras }),
      ).toBe('bad_poll')
    })
  })

  it('of reactions are emoji, and equal ones are one', async () => {
    const emoji = en.flatMap((group) => group.split('\n').map((line) => line.split('\t')[0]!))
    await fixture.service(async (s) => {
      const all = emoji.flatMap((one) => [
        one,
        one.replaceAll('\uFE0F', ''),
        one.replace(/(\p{Emoji_Modifier_Base})\uFE0F?/u, '$1\u{1F3FD}'),
      ])
      expect(await s.rows('select e from unnest($1::text[]) e where not app.is_emoji(e)', [all])).toEqual([])
      for (const text of [
        'lgtm',
        '1',
        '👍👍',
        '👍 ',
        'a👍',
        '👍a',
        '\u200D',
        '👍\u200D',
        '\uFE0F',
        '🇩',
        '<b>',
        ':+1:',
        '文',
      ])
        expect(await s.value('select app.is_emoji($1)', [text]), text).toBe(false)
    })
    await fixture.rolledBackAs('bea', async (s) => {
      const message = fixture.messages.fresh
      const react = async (key: string, on = true) =>
        (await s.call('react', { message, emoji: key, on })).message!.reactions.map((one) => [
          one.emoji,
          one.count,
        ])
      expect(await s.failure('react', { message, emoji: 'lgtm', on: true })).toBe('bad_emoji')
      await react('❤️')
      expect(await react('❤')).toEqual([['❤️', 1]])
      expect(await react('❤\uFE0E', false)).toEqual([])
      expect(
        await s.refusal((t) => t.rows(`update public.profiles set status_emoji = 'lunch'`)),
      ).toMatchObject({
        constraint: 'profiles_status_emoji_plain',
      })
    })
  })
})
