import { expect, test } from 'vitest'
import { findByMembers } from './findByMembers.ts'

const conversation = (id: string, ...people: string[]) => ({ id, people: people.map((one) => ({ id: one })) })
const conversations = [conversation('notes'), conversation('ann', 'ann'), conversation('both', 'ann', 'gus')]

test('the same people have one conversation, in any order', () => {
  expect(findByMembers(conversations, ['gus', 'ann'])?.id).toBe('both')
  expect(findByMembers(conversations, ['ann'])?.id).toBe('ann')
  expect(findByMembers(conversations, [])?.id).toBe('notes')
})

test('one person more or less is another conversation', () => {
  expect(findByMembers(conversations, ['gus'])).toBeUndefined()
  expect(findByMembers(conversations, ['ann', 'gus', 'bea'])).toBeUndefined()
  expect(findByMembers(conversations, ['ann', 'ann', 'gus'])?.id).toBe('both')
})
