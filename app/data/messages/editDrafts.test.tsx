// @vitest-environment happy-dom
import { act, useEffect } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { setClientSession } from '../session/clientSession.ts'
import type { ClientSession } from '../session/clientSession.ts'
import type { StoredDraft } from '../persistence/deviceStorage.ts'
import { copyDrafts } from '../persistence/draftWrites.ts'
import { useEditDraft, type EditDraft } from './editDrafts.ts'

const MESSAGE = '00000000-0000-4000-8000-000000000001'

let root: Root
let draft: EditDraft
let written: string[]
let bases: (string | null)[]
/** Ends the reading of the stored draft. */
let finishRead: (stored: string, base?: string) => Promise<void>

/** The body of the message. */
let body: string

function Field() {
  const shown = useEditDraft(MESSAGE, body)
  useEffect(() => {
    draft = shown
  })
  return null
}

beforeEach(() => {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })
  written = []
  bases = []
  body = 'Tea'
  let resolve: (stored: StoredDraft) => void = () => {}
  const reading = new Promise<StoredDraft>((done) => {
    resolve = done
  })
  finishRead = (text, base) => act(async () => resolve({ text, base: base ?? null }))
  const device = {
    readDraft: () => reading,
    writeDraft: async (_: string, { text, base }: StoredDraft) => {
      written.push(text)
      bases.push(base)
    },
  }
  setClientSession({ userId: 'bea', device: Promise.resolve(device) } as unknown as ClientSession)
  root = createRoot(document.createElement('main'))
  act(() => root.render(<Field />))
})

afterEach(() => setClientSession(null))

const type = (text: string) => act(() => draft.setText(text))
const close = async (stored: string) => {
  act(() => root.unmount())
  await vi.waitFor(() => expect(written).toEqual([stored]))
}

it('shows and keeps what is typed before the stored draft is read', async () => {
  await type('Tea?')
  expect(draft.text).toBe('Tea?')
  await finishRead('')
  expect(draft.text).toBe('Tea?')
  expect(await draft.isComplete()).toBe(true)
  await close('Tea?')
})

it('joins it with the stored draft, which is shown before it is saved', async () => {
  await type('Tea? Now.')
  const wasComplete = draft.isComplete()
  await finishRead('Green Tea')
  expect(draft.text).toBe('Green Tea? Now.')
  // What was saved before the stored draft was shown is not what the person has seen; the next attempt is.
  expect([await wasComplete, await draft.isComplete()]).toEqual([false, true])
  await close('Green Tea? Now.')
})

it('writes it although the field is closed before the stored draft is read', async () => {
  await type('Tea?')
  act(() => root.unmount())
  await finishRead('Green Tea')
  await vi.waitFor(() => expect(written).toEqual(['Green Tea?']))
})

it('a cancelled edit deletes its draft', async () => {
  await finishRead('Green Tea')
  expect(draft.text).toBe('Green Tea')
  act(() => draft.discard())
  expect(draft.text).toBeNull()
  await close('')
})

/** Another device edits the message. */
const editElsewhere = (changed: string) =>
  act(() => {
    body = changed
    root.render(<Field />)
  })

describe('an edit on another device', () => {
  it('is reported while a field with changes is open, and is replaced only after that', async () => {
    await finishRead('')
    await type('Green Tea')
    expect(draft.isOutdated).toBe(false)
    await editElsewhere('Coffee')
    expect(draft.isOutdated).toBe(true)
    act(() => draft.acceptChange())
    expect([draft.isOutdated, draft.text]).toEqual([false, 'Green Tea'])
    await close('Green Tea')
    expect(bases).toEqual(['Coffee'])
  })

  it('is reported where a stored draft was begun before it', async () => {
    body = 'Coffee'
    await act(async () => root.render(<Field />))
    await finishRead('Green Tea', 'Tea')
    expect([draft.isOutdated, draft.text]).toEqual([true, 'Green Tea'])
  })

  it('is not reported where nothing was typed, nor for a draft of an earlier build, nor after a cancelled edit', async () => {
    await editElsewhere('Coffee')
    expect([draft.isOutdated, draft.text]).toEqual([false, null])
    await finishRead('Green Tea')
    expect(draft.isOutdated).toBe(false)
    act(() => draft.discard())
    await type('Water')
    expect(draft.isOutdated).toBe(false)
    await close('Water')
    expect(bases).toEqual(['Coffee'])
  })

  it('is reported after a reload that happened before the draft was stored', async () => {
    await finishRead('')
    await type('Green Tea')
    copyDrafts('bea')
    const copies = { ...localStorage }
    act(() => root.unmount())
    await vi.waitFor(() => expect(written).not.toEqual([]))
    Object.assign(localStorage, copies)
    body = 'Coffee'
    root = createRoot(document.createElement('main'))
    await act(async () => root.render(<Field />))
    expect([draft.isOutdated, draft.text]).toEqual([true, 'Green Tea'])
    act(() => root.unmount())
    await vi.waitFor(() => expect(bases).toEqual(['Tea', 'Tea']))
  })
})

it.each([
  { isRead: true, stored: 'Green Tea', typed: 'Black Tea', restored: 'Black Tea' },
  { isRead: true, stored: 'Green Tea', typed: '', restored: '' },
  { isRead: false, stored: 'Green Tea', typed: 'Tea? Now.', restored: 'Green Tea? Now.' },
  { isRead: false, stored: '', typed: 'Tea? Now.', restored: 'Tea? Now.' },
])('a reload before the write restores "$typed" (stored draft read: $isRead)', async (o) => {
  if (o.isRead) await finishRead(o.stored)
  await type(o.typed)
  copyDrafts('bea')
  const copies = { ...localStorage }
  act(() => root.unmount())
  await finishRead(o.stored)
  await vi.waitFor(() => expect(written).not.toEqual([]))
  // The next page, in which nothing of this one has been written.
  Object.assign(localStorage, copies)
  written.length = 0
  root = createRoot(document.createElement('main'))
  await act(async () => root.render(<Field />))
  expect(draft.text ?? '').toBe(o.restored)
  await close(o.restored)
  expect({ ...localStorage }).toEqual({})
})
