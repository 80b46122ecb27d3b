import { expect, it } from 'vitest'
import { createMutation } from './mutation.ts'
import type { MutationInput } from './mutation.ts'
import { parseStoredMutation } from './mutationKinds.ts'

const base = { id: 'm', channel: 'c' }
const content = { threadRoot: null, alsoToChannel: false, files: [], createdAt: '2026-01-01T00:00:00Z' }
const send = { ...base, kind: 'send', body: 'hello', ...content } as const
const draft = { ...base, kind: 'draft', conversation: 'c', threadRoot: null, text: 'a', quote: null } as const
const stored = (input: MutationInput) => createMutation(input, [], 1)

it.each<MutationInput>([
  send,
  { ...draft, from: '', base: [] },
  { ...base, kind: 'preferences', change: { starred: true } },
  { ...base, kind: 'notificationPreferences', workspace: 'w', change: { level: 'all' } },
  { ...base, kind: 'read', seq: 3, from: 1, readVersion: 0 },
])('a stored mutation of the kind $kind is read', (input) => {
  expect(parseStoredMutation(stored(input))).toEqual(stored(input))
})

it.each([
  ['a kind of a later version', { ...stored(send), kind: 'later' }],
  ['a name of an inherited property as its kind', { ...stored(send), kind: 'toString' }],
  ['no order', { ...stored(send), order: undefined }],
  ['no text', { ...stored(send), body: undefined }],
  ['no list of files', { ...stored(send), files: null }],
  ['no time', { ...stored(send), createdAt: '' }],
  ['no earlier changes', stored({ ...draft, from: '', base: null as unknown as [] })],
  ['no change', stored({ ...base, kind: 'preferences', change: null as unknown as object })],
])('a stored mutation with %s is ignored', (_what, mutation) => {
  expect(parseStoredMutation(mutation)).toBeNull()
})
