// @vitest-environment happy-dom
import { i18n } from '@lingui/core'
import { act } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { storePreference } from '../../../devicePreferences.ts'
import { MessageField } from './MessageField.tsx'
import type { Mentionable } from '../../../../wire/body/encodeMentions.ts'
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
vi.mock(
  import('./WritingTools.tsx'),
  () =>
    ({
      default: ({ onPick }: { onPick: typeof pick }) => {
        pick = onPick
        return null
      },
    }) as never,
)
vi.mock(import('./useMentionable.ts'), () => ({ useMentionable: () => [] }))

let pick: (mentioned: Mentionable) => void

const RichField = ({ body, isFocusedFirst }: MessageFieldProps) => (
  <output>{`${body}${isFocusedFirst ? '|' : ''}`}</output>
)
/** Ends the download of the rich field, which cannot represent "!". */
const load = () =>
  act(async () => {
    chunk.value = { RichField, canEditRich: (body: string) => !body.includes('!') }
    chunk.notify()
  })

const BEA = 'f62b2e3b-3523-4f23-8eff-000000000001'
let root: Root
let main: HTMLElement
const show = (body: string) =>
  act(() =>
    root.render(<MessageField label="" body={body} channelId="" onChange={show} onEnter={() => {}} />),
  )
const area = () => main.querySelector('textarea')!
const rich = () => main.querySelector('output')?.textContent
const enter = (text: string) => {
  Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value')!.set!.call(area(), text)
  area().setSelectionRange(text.length, text.length)
  area().dispatchEvent(new Event('input', { bubbles: true }))
}
const type = (text: string) => act(async () => enter(text))
const fire = (name: string) => act(async () => void area().dispatchEvent(new Event(name, { bubbles: true })))

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
  await type('half a sen')
  await load()
  expect(rich()).toBe('half a sen|')
})

it('the exchange waits for the end of a suggestion and of a composition', async () => {
  act(() => area().focus())
  await type('ask @be')
  await load()
  expect(rich()).toBeUndefined()
  await fire('compositionstart')
  await type('ask @be at noon, に')
  expect(rich()).toBeUndefined()
  await fire('compositionend')
  await type('ask @be at noon, 日')
  expect(rich()).toBe('ask @be at noon, 日|')
})

it('the exchange keeps the mention of the suggestion whose insertion decides it', async () => {
  act(() => area().focus())
  await type('ask @be')
  await load()
  // The handler of the key has what was rendered before it.
  const before = pick
  area().addEventListener('keydown', () => {
    enter('ask @Bea ')
    before({ id: BEA, name: 'Bea', isChannel: false })
  })
  await fire('keydown')
  expect(rich()).toBe(`ask <@${BEA}> |`)
})

it('the exchange waits while a line has no text yet', async () => {
  act(() => area().focus())
  await type('one\n')
  await load()
  expect(rich()).toBeUndefined()
  await type('one\nt')
  expect(rich()).toBe('one\nt|')
})

it('the exchange waits while the caret is within the text', async () => {
  act(() => area().focus())
  await type('one two')
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
