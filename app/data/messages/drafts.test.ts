// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Mutation } from '../mutations/mutation.ts'
import { cancelWrite, copyDrafts, readCopies, writeNow } from '../persistence/draftWrites.ts'
import { draftKey } from '../persistence/deviceStorage.ts'
import { setClientSession } from '../session/clientSession.ts'
import type { ClientSession } from '../session/clientSession.ts'
import { readField, setTyped } from './draftFields.ts'
import { restoreDraftCopies } from './draftChanges.ts'
import { changeDraft } from './drafts.ts'
import { emptyField } from './emptyField.ts'

const CHANNEL = '00000000-0000-4000-8000-000000000001'
const key = draftKey(CHANNEL, null)
let stored: Mutation[] = []
/** Stores what the outbox was given, in order. */
let finishWrites: (() => void)[] = []

let session: ClientSession
let state: { drafts: Map<string, unknown>; workspace: { id: string }; source: string }

/** A session without drafts of the server, whose outbox stores a change when `finishWrites` is called. */
beforeEach(() => {
  stored = []
  finishWrites = []
  const outbox = {
    isLoaded: () => true,
    mutations: () => stored,
    storedMutations: () => stored,
    put: (mutation: Mutation) =>
      new Promise<void>((resolve) => {
        finishWrites.push(() => {
          stored = [{ ...mutation, order: Date.now() }]
          resolve()
        })
      }),
  }
  state = { drafts: new Map(), workspace: { id: 'workspace' }, source: 'live' }
  session = { userId: 'bea', store: { get: () => state }, outbox } as unknown as ClientSession
  setClientSession(session)
})

afterEach(() => {
  cancelWrite(key)
  setClientSession(null)
  localStorage.clear()
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

/** Closes the page before it has written anything more, and starts the next one, which stores all at once. */
async function reload(): Promise<void> {
  copyDrafts('bea')
  setTyped(CHANNEL, null)
  const restored = restoreDraftCopies(session)
  await vi.waitFor(() => {
    finishWrites.shift()?.()
    expect(readCopies('bea')).toEqual([])
  })
  await restored
}

const storedDraft = (text: string) =>
  ({
    kind: 'draft',
    id: 'draft',
    channel: CHANNEL,
    conversation: CHANNEL,
    text,
    quote: null,
    order: 1,
  }) as Mutation

test.each([
  { before: '', typed: 'half a sentence' },
  { before: 'half a sentence', typed: 'half' },
  { before: 'half a sentence', typed: '' },
])(
  'after a reload the field contains "$typed", typed just before in place of "$before"',
  async ({ before, typed }) => {
    stored = [storedDraft(before)]
    changeDraft(CHANNEL, null, { text: typed })
    await reload()
    expect(readField(CHANNEL).text).toBe(typed)
  },
)

test('after a reload the text is newer than one whose write had no result', async () => {
  changeDraft(CHANNEL, null, { text: 'half a sentence' })
  void writeNow(key)
  await vi.waitFor(() => expect(finishWrites).toHaveLength(1))
  changeDraft(CHANNEL, null, { text: '' })
  // The browser has committed the transaction, and the page has not run since.
  stored = [storedDraft('half a sentence')]
  finishWrites = []
  await reload()
  expect(readField(CHANNEL).text).toBe('')
})

test('a copied text is joined with what another device has written since', async () => {
  stored = [storedDraft('tea')]
  changeDraft(CHANNEL, null, { text: 'tea at four' })
  copyDrafts('bea')
  stored = [storedDraft('tea, or coffee')]
  await reload()
  expect(readField(CHANNEL).text).toBe('tea at four, or coffee')
})

test('a message that was not stored is a draft after a reload, and a stored one is not', async () => {
  changeDraft(CHANNEL, null, { text: 'hello' })
  let finish = () => {}
  emptyField(CHANNEL, null, 'message', new Promise<void>((resolve) => (finish = resolve)))
  copyDrafts('bea')
  const copies = { ...localStorage }
  await reload()
  expect(readField(CHANNEL).text).toBe('hello')
  Object.assign(localStorage, copies)
  stored = [{ kind: 'send', id: 'message', channel: CHANNEL } as Mutation]
  await reload()
  expect(readField(CHANNEL).text).toBe('')
  finish()
})

test('an emptied field stays empty although the cached rows lack the draft that it had', async () => {
  stored = [storedDraft('half a sentence')]
  changeDraft(CHANNEL, null, { text: '' })
  copyDrafts('bea')
  setTyped(CHANNEL, null)
  stored = []
  state = { ...state, source: 'cached' }
  await restoreDraftCopies(session)
  expect(readCopies('bea')).toHaveLength(1)
  const row = { id: CHANNEL, channel_id: CHANNEL, body: 'half a sentence', quote: null, change_id: 'draft' }
  state = { ...state, source: 'live', drafts: new Map([[CHANNEL, row]]) }
  const restored = restoreDraftCopies(session)
  await vi.waitFor(() => {
    finishWrites.shift()!()
  })
  await restored
  expect(readField(CHANNEL).text).toBe('')
  expect(readCopies('bea')).toEqual([])
})
