// @vitest-environment happy-dom
import { i18n } from '@lingui/core'
import { act } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { storePreference } from '../../../devicePreferences.ts'
import { MessageField } from './MessageField.tsx'
import type { MessageFieldProps } from './MessageFieldProps.ts'

const { chunk } = vi.hoisted(() => ({ chunk: { value: null as unknown, notify: () => {} } }))
vi.mock(
  import('./loadRichField.ts'),
  () =>
    ({
      loadRichField: async () => {},
      loadedRichField: () => chunk.value,
      subscribeToRichField: (listener: () => void) => {
        chunk.notify = listener
        return () => {}
      },
    }) as never,
)
vi.mock(import('./WritingTools.tsx'), () => ({ default: () => null }) as never)
vi.mock(import('./useMentionable.ts'), () => ({ useMentionable: () => [] }))

const RichField = ({ body, isFocusedFirst }: MessageFieldProps) => (
  <output>{`${body}${isFocusedFirst ? '|' : ''}`}</output>
)
/** Ends the download of the rich field, which cannot represent "!". */
const load = () =>
  act(async () => {
    chunk.value = { RichField, canEditRich: (body: string) => !body.includes('!') }
    chunk.notify()
  })

let root: Root
let main: HTMLElement
const show = (body: string) =>
  act(() =>
    root.render(<MessageField label="" body={body} channelId="" onChange={show} onEnter={() => {}} />),
  )
const area = () => main.querySelector('textarea')!
const rich = () => main.querySelector('output')?.textContent
const type = (text: string) =>
  act(() => {
    Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value')!.set!.call(area(), text)
    area().setSelectionRange(text.length, text.length)
    area().dispatchEvent(new Event('input', { bubbles: true }))
  })
const fire = (name: string) => act(() => area().dispatchEvent(new Event(name, { bubbles: true })))

beforeEach(() => {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })
  i18n.loadAndActivate({ locale: 'en', messages: {} })
  chunk.value = null
  storePreference('markdownSource', false)
  main = document.body.appendChild(document.createElement('main'))
  root = createRoot(main)
  show('')
})
afterEach(() => {
  act(() => root.unmount())
  main.remove()
  localStorage.clear()
})

it('the rich field takes over what was typed before it was loaded, with the focus', async () => {
  act(() => area().focus())
  type('half a sen')
  await load()
  expect(rich()).toBe('half a sen|')
})

it('the exchange waits for the end of a suggestion and of a composition', async () => {
  act(() => area().focus())
  type('ask @be')
  await load()
  expect(rich()).toBeUndefined()
  fire('compositionstart')
  type('ask @be at noon, に')
  expect(rich()).toBeUndefined()
  fire('compositionend')
  type('ask @be at noon, 日')
  expect(rich()).toBe('ask @be at noon, 日|')
})

it('the exchange waits while a line has no text yet', async () => {
  act(() => area().focus())
  type('one\n')
  await load()
  expect(rich()).toBeUndefined()
  type('one\nt')
  expect(rich()).toBe('one\nt|')
})

it('the exchange waits while the caret is within the text', async () => {
  act(() => area().focus())
  type('one two')
  area().setSelectionRange(3, 3)
  await load()
  expect(rich()).toBeUndefined()
  act(() => area().blur())
  expect(rich()).toBe('one two')
})

it('the field stays plain for a text that the rich field cannot represent, and for those who write Markdown source', async () => {
  show('no!')
  await load()
  expect(area().value).toBe('no!')
  act(() => void storePreference('markdownSource', true))
  show('yes')
  expect(area().value).toBe('yes')
  await act(async () => void storePreference('markdownSource', false))
  expect(rich()).toBe('yes')
})

it('the exchange ends in the task that decides it', async () => {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: false })
  let remaining: Element | null | undefined
  const canEditRich = () => {
    queueMicrotask(() => (remaining = area()))
    return true
  }
  chunk.value = { RichField, canEditRich }
  chunk.notify()
  await vi.waitFor(() => expect(rich()).toBe(''))
  expect(remaining).toBeNull()
})
