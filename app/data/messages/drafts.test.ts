import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Mutation } from '../mutations/mutation.ts'
import { writeNow } from '../persistence/draftWrites.ts'
import { draftKey } from '../persistence/deviceStorage.ts'
import { setClientSession } from '../session/clientSession.ts'
import type { ClientSession } from '../session/clientSession.ts'
import { readField } from './draftFields.ts'
import { changeDraft } from './drafts.ts'

const CHANNEL = '00000000-0000-4000-8000-000000000001'
const key = draftKey(CHANNEL, null)
let stored: Mutation[] = []
/** Stores what the outbox was given, in order. */
let finishWrites: (() => void)[] = []

/** A session without drafts of the server, whose outbox stores a change when `finishWrites` is called. */
beforeEach(() => {
  stored = []
  finishWrites = []
  vi.stubGlobal('document', { hidden: false })
  const outbox = {
    isLoaded: () => true,
    mutations: () => stored,
    put: (mutation: Mutation) =>
      new Promise<void>((resolve) => {
        finishWrites.push(() => {
          stored = [{ ...mutation, order: Date.now() }]
          resolve()
        })
      }),
  }
  setClientSession({ store: { get: () => ({ drafts: new Map() }) }, outbox } as unknown as ClientSession)
})

afterEach(() => {
  setClientSession(null)
  vi.unstubAllGlobals()
})

test('text that replaces what is being stored is stored without it', async () => {
  changeDraft(CHANNEL, null, { text: '/shrug who knows' })
  const first = writeNow(key)
  await vi.waitFor(() => expect(finishWrites).toHaveLength(1))

  // The command has run, and empties the field before its text is stored.
  changeDraft(CHANNEL, null, { text: '' })
  const second = writeNow(key)
  finishWrites.shift()!()
  await first
  await vi.waitFor(() => expect(finishWrites).toHaveLength(1))
  finishWrites.shift()!()
  await second

  expect(stored).toEqual([expect.objectContaining({ kind: 'draft', text: '' })])
  expect(readField(CHANNEL)).toEqual({ text: '', quote: null })
})
