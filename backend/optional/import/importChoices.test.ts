import { expect, it } from 'vitest'
import { parseChoices } from './importChoices.ts'

const ann = '11111111-1111-4111-8111-111111111111'

it('choices for people and channels are read', () => {
  const choices = {
    people: { U1: ann },
    channels: { C1: { isLeftOut: true }, C2: { name: 'a', kind: 'private' } },
  }
  expect(parseChoices(choices)).toEqual(choices)
  expect(parseChoices({})).toEqual({ people: {}, channels: {} })
})

it.each([
  [[], 'must be a JSON object'],
  [{ person: {} }, 'unknown field "person"'],
  [{ people: { U1: 'Ann' } }, 'the person "U1" must be the id of a profile'],
  [{ channels: { C1: 'x' } }, 'The choice for the channel "C1"'],
  [{ channels: { C1: { kind: 'direct' } } }, 'The choice for the channel "C1"'],
  [{ channels: { C1: { leftOut: true } } }, 'The choice for the channel "C1"'],
])('%j are refused', (choices, sentence) => {
  expect(() => parseChoices(choices)).toThrow(sentence)
})
