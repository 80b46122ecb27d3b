import { describe, expect, test } from 'vitest'
import { encodeMentions, unknownNames } from '../../../../wire/body/encodeMentions.ts'
import {
  decodeForEditing,
  mentionedIds,
  massMentionOf,
  decodeMentions,
  mentionedIn,
  namesakeMention,
} from './mentionText.ts'

const ANN = '00000000-0000-4000-8000-00000000000a'
const ANN_OKAFOR = '00000000-0000-4000-8000-00000000000b'
const TOMAS = '00000000-0000-4000-8000-00000000000c'
const NAMESAKE = '00000000-0000-4000-8000-00000000000e'
const ROTA = '00000000-0000-4000-8000-00000000000d'
const people = [
  { id: ANN, name: 'Ann' },
  { id: ANN_OKAFOR, name: 'Ann Okafor' },
  { id: TOMAS, name: 'Tomás (he/him)' },
]

test('names become ids, the longest name first', () => {
  expect(encodeMentions('@Ann Okafor and @Ann, @Tomás (he/him)!', people)).toBe(
    `<@${ANN_OKAFOR}> and <@${ANN}>, <@${TOMAS}>!`,
  )
})

test('part of a word, an email address and unknown names stay text', () => {
  for (const text of ['@Anna', 'ann@Ann.example', '@Zoë']) expect(encodeMentions(text, people)).toBe(text)
})

test('@channel and @here become mass mentions', () => {
  expect(encodeMentions('@channel @here @channels', people)).toBe('<!channel> <!here> @channels')
})

test('code is not encoded', () => {
  expect(encodeMentions('`@Ann` @Ann\n```\n@Ann\n```', people)).toBe(
    `\`@Ann\` <@${ANN}>\n\`\`\`\n@Ann\n\`\`\``,
  )
})

test('encoded text is decoded again', () => {
  const text = 'hello @Ann Okafor and @channel'
  const names = new Map(people.map((person) => [person.id, person.name]))
  expect(decodeMentions(encodeMentions(text, people), (id) => names.get(id) ?? null)).toBe(text)
  expect(decodeMentions(`<@${ANN}>`, () => null)).toBe(`<@${ANN}>`)
})

test('of two people with one name the first one given is mentioned', () => {
  expect(encodeMentions('@Ann', [{ id: TOMAS, name: 'Ann' }, ...people])).toBe(`<@${TOMAS}>`)
})

test('the name of a channel becomes its id, outside of words, addresses and code', () => {
  const known = [...people, { id: ROTA, name: 'garden beds', isChannel: true }]
  expect(encodeMentions('see #garden beds, @Ann', known)).toBe(`see <#${ROTA}>, <@${ANN}>`)
  for (const text of [
    'a#garden beds',
    'https://a.example/#garden beds',
    '#garden bedside',
    '@garden beds',
    '`#garden beds`',
  ])
    expect(encodeMentions(text, known)).toBe(text)
  expect(encodeMentions('# garden beds', known)).toBe('# garden beds')
})

test('a person and a channel may have the same name', () => {
  const known = [...people, { id: ROTA, name: 'Ann', isChannel: true }]
  expect(encodeMentions('@Ann #Ann', known)).toBe(`<@${ANN}> <#${ROTA}>`)
  const body = `<@${ANN}> <#${ROTA}>`
  expect(decodeMentions(body, () => 'Ann')).toBe('@Ann #Ann')
  expect(mentionedIn(body, () => 'Ann')).toEqual([
    { id: ANN, name: 'Ann', isChannel: false },
    { id: ROTA, name: 'Ann', isChannel: true },
  ])
})

test('a name may contain any character', () => {
  const odd = [{ id: ANN, name: 'Jean-Luc [x] (a|b) $^.*+?{}/' + String.fromCodePoint(92) }]
  expect(encodeMentions(`hi @${odd[0]?.name}`, odd)).toBe(`hi <@${ANN}>`)
})

test('a first name is enough where only one person has it', () => {
  const team = [
    { id: ANN, name: 'Ann Okafor' },
    { id: ANN, name: 'Ann Okafor' },
    { id: TOMAS, name: 'Tomás Ferreira' },
  ]
  expect(encodeMentions('@Ann, @Tomás Ferreira', team)).toBe(`<@${ANN}>, <@${TOMAS}>`)
  expect(encodeMentions('@Ann', [...team, { id: ANN_OKAFOR, name: 'Ann Lee' }])).toBe('@Ann')
  expect(encodeMentions('@Annika', team)).toBe('@Annika')
})

test('in scripts without spaces a name may be followed by other letters', () => {
  const team = [
    { id: ANN, name: '田中' },
    { id: TOMAS, name: 'Tomás Ferreira' },
  ]
  expect(encodeMentions('明日は@田中さんです', team)).toBe(`明日は<@${ANN}>さんです`)
  expect(encodeMentions('＠田中', team)).toBe(`<@${ANN}>`)
  expect(encodeMentions('x@田中', team)).toBe('x@田中')
})

test('a right-to-left name is encoded', () => {
  const noor = [{ id: ANN, name: 'نور حداد' }]
  expect(encodeMentions('شكرا @نور حداد!', noor)).toBe(`شكرا <@${ANN}>!`)
})

test('mentions are read from the encoded text, without those in code', () => {
  const encoded = encodeMentions('@Ann, @Ann and `@channel`', people)
  expect(mentionedIds(encoded)).toEqual([ANN])
  expect(massMentionOf(encoded)).toBeNull()
  expect(massMentionOf(encodeMentions('@here and @channel', people))).toBe('channel')
  expect(massMentionOf(encodeMentions('@here', people))).toBe('here')
})

describe('an edit that changes nothing keeps each mention', () => {
  const team = [...people, { id: NAMESAKE, name: 'Ann' }, { id: ROTA, name: 'Ann', isChannel: true }]
  const nameOf = (id: string) => team.find((one) => one.id === id)?.name ?? null

  test.each([
    ['of two people with one name', `<@${ANN}> and <@${NAMESAKE}>`, `@Ann and <@${NAMESAKE}>`],
    ['of the second of them alone', `<@${NAMESAKE}>`, '@Ann'],
    ['before text that continues the name', `<@${ANN}> Okafor`, `<@${ANN}> Okafor`],
    ['in the middle of a word', `x<@${ANN}>`, `x<@${ANN}>`],
    ['beside text in code', `\`\\<@${ANN}>\` <@${ANN}>`, `\`\\<@${ANN}>\` @Ann`],
    ['of everyone', `<!channel>s <!here>`, '<!channel>s @here'],
    ['of a channel and a person', `<#${ROTA}> <@${ANN}>`, '#Ann @Ann'],
  ])('%s', (_kind, body, field) => {
    const mentionable = [...mentionedIn(body, nameOf), ...team]
    expect(decodeForEditing(body, mentionable, nameOf)).toBe(field)
    expect(encodeMentions(field, mentionable)).toBe(body)
  })
})

test('the suggestion of somebody who shares their name is inserted by id', () => {
  const team = [...people, { id: NAMESAKE, name: 'Ann' }, { id: ROTA, name: 'Ann', isChannel: true }]
  expect(namesakeMention({ id: NAMESAKE, name: 'Ann' }, team)).toBe(`<@${NAMESAKE}>`)
  expect(namesakeMention({ id: ANN, name: 'Ann' }, team)).toBe(`<@${ANN}>`)
  expect(namesakeMention({ id: ANN_OKAFOR, name: 'Ann Okafor' }, team)).toBeNull()
  expect(namesakeMention({ id: ROTA, name: 'Ann', isChannel: true }, team)).toBeNull()
})

test('code of every kind, formulas, addresses and what is behind a backslash are not encoded', () => {
  for (const text of [
    '``a ` @Ann``',
    '~~~\n@Ann\n~~~',
    '````\n```\n@Ann\n```\n````',
    '$@Ann$',
    'https://medium.com/@channel/post',
    '[post](https://a.example/@Ann)',
    '<https://a.example/@Ann>',
    String.raw`\@Ann`,
  ])
    expect(encodeMentions(text, people)).toBe(text)
  expect(encodeMentions('\\`@Ann\\`', people)).toBe('\\`<@' + ANN + '>\\`')
  expect(encodeMentions('**@Ann** [@Ann](https://a.example) it`s @Ann', people)).toBe(
    `**<@${ANN}>** [<@${ANN}>](https://a.example) it\`s <@${ANN}>`,
  )
})

test('a stored mention that is typed as code becomes text', () => {
  expect(encodeMentions(`\`<@${ANN}>\` <@${ANN}> \\<!here>`, people)).toBe(
    `\`\\<@${ANN}>\` <@${ANN}> \\<!here>`,
  )
  expect(encodeMentions('```\n<!channel>\n```', people)).toBe('```\n\\<!channel>\n```')
})

test('names are recognised in any case and composition, and with a possessive', () => {
  expect(encodeMentions('@ann okafor, @tomás (he/him)'.normalize('NFD'), people)).toBe(
    `<@${ANN_OKAFOR}>, <@${TOMAS}>`,
  )
  expect(encodeMentions('@Anns Schicht, @Ann’s, @Annas', people)).toBe(
    `<@${ANN}>s Schicht, <@${ANN}>’s, @Annas`,
  )
  expect(encodeMentions('@Here', people)).toBe('<!here>')
})

test('names that look like mentions and are none are listed', () => {
  const unknown = (text: string) => unknownNames(encodeMentions(text, people))
  expect(unknown('@Bae, ask @Ann and @Tmoás.')).toEqual(['Bae', 'Tmoás'])
  for (const text of [
    '@Ann!',
    '`@bae `',
    'ann@a.example ',
    '@types/node ',
    String.raw`\@bae `,
    '@2x ',
    '@ba',
  ])
    expect(unknown(text)).toEqual([])
})
