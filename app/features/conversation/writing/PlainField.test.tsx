// @vitest-environment happy-dom
import { i18n } from '@lingui/core'
import { act, createRef } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Mentionable } from '../../../../wire/body/encodeMentions.ts'
import { PlainField } from './PlainField.tsx'

const BEA = '00000000-0000-4000-8000-00000000000a'
const OTHER_BEA = '00000000-0000-4000-8000-00000000000b'
const CHANNEL = '00000000-0000-4000-8000-00000000000c'

const { people } = vi.hoisted(() => ({ people: { known: [] as readonly Mentionable[] } }))
vi.mock(import('./useMentionable.ts'), () => ({ useMentionable: () => people.known }))
vi.mock(import('../../../data/messages/mentionedName.ts'), () => ({
  mentionedName: (id: string) => people.known.find((one) => one.id === id)?.name ?? null,
}))
vi.mock(import('./WritingTools.tsx'), () => ({ default: () => null }) as never)

let root: Root
let main: HTMLElement
let body: string
const area = createRef<HTMLTextAreaElement>()

const show = (next: string) => {
  body = next
  act(() =>
    root.render(
      <PlainField
        area={area}
        label="Message"
        body={body}
        channelId={CHANNEL}
        onChange={show}
        onEnter={() => {}}
      />,
    ),
  )
}
const field = () => main.querySelector('textarea')!
const type = (text: string) =>
  act(() => {
    Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value')!.set!.call(field(), text)
    field().dispatchEvent(new Event('input', { bubbles: true }))
  })

beforeEach(() => {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })
  i18n.loadAndActivate({ locale: 'en', messages: {} })
  people.known = [{ id: BEA, name: 'Bea Lindqvist' }]
  main = document.body.appendChild(document.createElement('main'))
  root = createRoot(main)
})
afterEach(() => {
  act(() => root.unmount())
  main.remove()
})

it('shows names, emits ids, and keeps what was typed as it was typed', () => {
  show('')
  type('ask @bea')
  expect(body).toBe(`ask <@${BEA}>`)
  expect(field().value).toBe('ask @bea')
  type('ask @beas')
  type('ask @beast')
  expect(body).toBe('ask @beast')
})

it('a text from elsewhere replaces the content, with its names', () => {
  show('')
  type('hello')
  show(`hello <@${BEA}>`)
  expect(field().value).toBe('hello @Bea Lindqvist')
  show('')
  expect(field().value).toBe('')
})

it('two people with one name stay two people while the text changes', () => {
  people.known = [...people.known, { id: OTHER_BEA, name: 'Bea Lindqvist' }]
  show(`<@${OTHER_BEA}> or <@${BEA}>`)
  type(`${field().value}?`)
  expect(body).toBe(`<@${OTHER_BEA}> or <@${BEA}>?`)
})

it('a person who is renamed while the field has the focus stays mentioned', () => {
  show(`<@${BEA}> `)
  act(() => field().focus())
  people.known = [{ id: BEA, name: 'Beatrice' }]
  show(body)
  expect(field().value).toBe('@Bea Lindqvist ')
  type('@Bea Lindqvist hi')
  expect(body).toBe(`<@${BEA}> hi`)
})

it('a person who is renamed is shown with the new name, and stays mentioned', () => {
  show(`hi <@${BEA}>`)
  people.known = [{ id: BEA, name: 'Beatrice' }]
  show(body)
  expect(field().value).toBe('hi @Beatrice')
  expect(body).toBe(`hi <@${BEA}>`)
})
