// @vitest-environment happy-dom
import { act, useEffect } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { setClientSession } from '../session/clientSession.ts'
import type { ClientSession } from '../session/clientSession.ts'
import { copyDrafts } from '../persistence/draftWrites.ts'
import { useEditDraft, type EditDraft } from './editDrafts.ts'

const MESSAGE = '00000000-0000-4000-8000-000000000001'

let root: Root
let draft: EditDraft
let written: string[]
/** Ends the reading of the stored draft. */
let finishRead: (stored: string) => Promise<void>

function Field() {
  const shown = useEditDraft(MESSAGE, 'Tea')
  useEffect(() => {
    draft = shown
  })
  return null
}

beforeEach(() => {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })
  written = []
  let resolve: (stored: string) => void = () => {}
  const reading = new Promise<string>((done) => {
    resolve = done
  })
  finishRead = (stored) => act(async () => resolve(stored))
  const device = {
    readDraft: () => reading,
    writeDraft: async (_: string, text: string) => void written.push(text),
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
  await finishRead('Green Tea')
  expect(draft.text).toBe('Green Tea? Now.')
  expect(await draft.isComplete()).toBe(false)
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
