// @vitest-environment happy-dom
import { i18n } from '@lingui/core'
import { act } from 'react'
import { createRoot } from 'react-dom/client'
import { expect, it, vi } from 'vitest'
import type { Profile } from '../../../../wire/people.ts'
import { PeoplePicker } from './PeoplePicker.tsx'

it('renders 50 of 2,000 people, and 50 more on request', async () => {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })
  i18n.loadAndActivate({ locale: 'en', messages: {} })
  const people = Array.from({ length: 2_000 }, (_, index) => ({ id: `p${index}`, name: `Person ${index}` }))
  const container = document.body.appendChild(document.createElement('main'))
  const root = createRoot(container)
  await act(async () =>
    root.render(<PeoplePicker people={people as Profile[]} chosen={[]} max={9} onChange={vi.fn()} />),
  )
  const rows = () => container.querySelectorAll('input[type=checkbox]').length
  expect(rows()).toBe(50)
  await act(async () => container.querySelector<HTMLElement>('button[data-entry]')?.click())
  expect(rows()).toBe(100)
  expect(document.activeElement).toBe(container.querySelectorAll('input[type=checkbox]')[50])
  await act(async () => root.unmount())
  container.remove()
})

it('empties the search field when a found person is selected', async () => {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })
  i18n.loadAndActivate({ locale: 'en', messages: {} })
  const people = [
    { id: 'a', name: 'Ann Okafor' },
    { id: 'b', name: 'Bea Lindqvist' },
  ]
  const container = document.body.appendChild(document.createElement('main'))
  const root = createRoot(container)
  const onChange = vi.fn()
  await act(async () =>
    root.render(<PeoplePicker people={people as Profile[]} chosen={[]} max={9} onChange={onChange} />),
  )
  const field = container.querySelector<HTMLInputElement>('input[type=search]')!
  await act(async () => {
    const { set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')!
    set!.call(field, 'bea')
    field.dispatchEvent(new Event('input', { bubbles: true }))
  })
  const choices = () => container.querySelectorAll<HTMLElement>('input[type=checkbox]')
  expect(choices()).toHaveLength(1)
  await act(async () => choices()[0]!.click())
  expect(onChange).toHaveBeenCalledWith(['b'])
  expect(field.value).toBe('')
  expect(document.activeElement).toBe(field)
  expect(choices()).toHaveLength(2)
  await act(async () => root.unmount())
  container.remove()
})
