import { expect, test } from 'vitest'
import {
  mentionedIds,
  massMentionOf,
  decodeMentions,
  encodeMentions,
  matchPeople,
  mentionAt,
} from './mentionText.ts'

const ANN = '00000000-0000-4000-8000-00000000000a'
const ANN_OKAFOR = '00000000-0000-4000-8000-00000000000b'
const TOMAS = '00000000-0000-4000-8000-00000000000c'
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

test('the word at the caret is the query of a mention', () => {
  expect(mentionAt('hi @to', 6)).toEqual({ from: 3, query: 'to' })
  expect(mentionAt('@', 1)).toEqual({ from: 0, query: '' })
  expect(mentionAt('@Ann Ok', 7)).toEqual({ from: 0, query: 'Ann Ok' })
  expect(mentionAt('ann@example', 11)).toBeNull()
  expect(mentionAt('@Ann went home', 14)).toBeNull()
})

test('people are found without diacritics and by their last name', () => {
  expect(matchPeople(people, 'tomas').map((person) => person.id)).toEqual([TOMAS])
  expect(matchPeople(people, 'oka').map((person) => person.id)).toEqual([ANN_OKAFOR])
  expect(matchPeople(people, '', 2)).toHaveLength(2)
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
  expect(mentionAt('明日は@田', 5)).toEqual({ from: 3, query: '田' })
  expect(mentionAt('＠田', 2)).toEqual({ from: 0, query: '田' })
})

test('an "@" in a URL starts no mention', () => {
  expect(mentionAt('https://example.org/@ann', 24)).toBeNull()
  expect(mentionAt('a@@an', 5)).toBeNull()
})

test('a right-to-left name is found and encoded', () => {
  const noor = [{ id: ANN, name: 'نور حداد' }]
  expect(matchPeople(noor, 'حد')).toHaveLength(1)
  expect(encodeMentions('شكرا @نور حداد!', noor)).toBe(`شكرا <@${ANN}>!`)
})

test('mentions are read from the encoded text, without those in code', () => {
  const encoded = encodeMentions('@Ann, @Ann and `@channel`', people)
  expect(mentionedIds(encoded)).toEqual([ANN])
  expect(massMentionOf(encoded)).toBeNull()
  expect(massMentionOf(encodeMentions('@here and @channel', people))).toBe('channel')
  expect(massMentionOf(encodeMentions('@here', people))).toBe('here')
})
