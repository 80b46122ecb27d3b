import { expect, test } from 'vitest'
import { sameConversation } from './sameConversation.ts'

const talk = (id: string, ...people: string[]) => ({ id, people: people.map((one) => ({ id: one })) })
const talks = [talk('notes'), talk('ann', 'ann'), talk('both', 'ann', 'gus')]

test('the same people are the same conversation, in any order', () => {
  expect(sameConversation(talks, ['gus', 'ann'])?.id).toBe('both')
  expect(sameConversation(talks, ['ann'])?.id).toBe('ann')
  expect(sameConversation(talks, [])?.id).toBe('notes')
})

test('one more or less is another', () => {
  expect(sameConversation(talks, ['gus'])).toBeUndefined()
  expect(sameConversation(talks, ['ann', 'gus', 'bea'])).toBeUndefined()
  expect(sameConversation(talks, ['ann', 'ann', 'gus'])?.id).toBe('both')
})
