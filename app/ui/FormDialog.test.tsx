// @vitest-environment happy-dom
import { i18n } from '@lingui/core'
import { act, useState } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ConfirmDialog } from './ConfirmDialog.tsx'
import { formFailure } from './fieldFailure.ts'
import { FormDialog } from './FormDialog.tsx'
import { TextField } from './TextField.tsx'
import type { ActionOutcome } from './useAction.ts'

let root: Root
let page: HTMLElement
let outcome: ActionOutcome<string> | null
const onClose = vi.fn<() => void>()
const onDone = vi.fn<(value: string) => void>()

function Fields() {
  const [name, setName] = useState('first')
  return <TextField name="name" label="Name" value={name} onChange={(text) => setName(text)} />
}

const render = (choices = false) =>
  act(() =>
    root.render(
      <FormDialog
        title="Add bot"
        action="Add"
        fields={{ name_taken: 'name' }}
        hasChoices={choices}
        run={() => outcome}
        onDone={onDone}
        onClose={onClose}
      >
        <Fields />
        <input type="search" />
      </FormDialog>,
    ),
  )

beforeEach(() => {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })
  i18n.loadAndActivate({ locale: 'en', locales: ['en'], messages: {} })
  vi.spyOn(history, 'back').mockImplementation(() => {})
  page = document.body.appendChild(document.createElement('main'))
  root = createRoot(page)
  outcome = { ok: true, value: 'id' }
  for (const called of [onClose, onDone]) called.mockClear()
})

afterEach(() => {
  act(() => root.unmount())
  page.remove()
  history.replaceState(null, '')
})

function find<E extends HTMLElement>(selector: string, text = ''): E {
  const found = [...document.querySelectorAll<E>(selector)].find((one) => one.textContent.includes(text))
  if (!found) throw new Error(`${selector} ${text} is missing`)
  return found
}
const button = (label: string) => find('button', label)
const press = (label: string) => act(async () => button(label).click())
const field = () => find<HTMLInputElement>('[name=name]')
const escape = () => act(() => document.querySelector('dialog')?.dispatchEvent(new Event('cancel')))
const isClosing = () => document.body.textContent.includes('Discard your changes?')

function type(input: HTMLInputElement, text: string): void {
  act(() => input.focus())
  act(() => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(input, text)
    input.dispatchEvent(new Event('input', { bubbles: true }))
  })
}

it('an action that succeeds closes the dialog', async () => {
  render()
  await press('Add')
  expect(onClose).toHaveBeenCalledTimes(1)
  expect(onDone).toHaveBeenCalledWith('id')
})

it('the field that caused a failure shows it and has the focus, until the reader types', async () => {
  render()
  outcome = { ok: false, failure: { name: 'name_taken', message: 'The name is taken.' } }
  await press('Add')
  expect(field().getAttribute('aria-invalid')).toBe('true')
  expect(document.activeElement).toBe(field())
  expect(document.body.textContent.match(/The name is taken\./g)).toHaveLength(1)
  type(field(), 'other')
  expect(document.body.textContent).not.toContain('The name is taken.')
  outcome = formFailure('The server can’t be reached.')
  await press('Add')
  expect(field().getAttribute('aria-invalid')).toBeNull()
  expect(document.querySelector('[role=alert]')?.textContent).toBe('The server can’t be reached.')
  expect(onClose).not.toHaveBeenCalled()
})

it('closing asks before it discards text, except with "Cancel"', async () => {
  render()
  type(field(), 'typed')
  escape()
  expect(isClosing()).toBe(true)
  expect(document.activeElement).toBe(button('Keep editing'))
  await press('Keep editing')
  expect([isClosing(), onClose.mock.calls.length]).toEqual([false, 0])
  act(() => {
    // As the browser goes back.
    History.prototype.replaceState.call(history, null, '')
    dispatchEvent(new Event('popstate'))
  })
  expect(isClosing()).toBe(true)
  await press('Discard')
  expect(onClose).toHaveBeenCalledTimes(1)
  await press('Cancel')
  expect(onClose).toHaveBeenCalledTimes(2)
})

it('closing does not ask if the text is as before, or only a list was filtered', () => {
  render()
  type(field(), 'typed')
  type(field(), 'first')
  type(find<HTMLInputElement>('[type=search]'), 'filter')
  escape()
  expect(onClose).toHaveBeenCalledTimes(1)
})

it('closing asks before it discards choices', () => {
  render(true)
  escape()
  expect([isClosing(), onClose.mock.calls.length]).toEqual([true, 0])
})

it('the button that does nothing has the focus in a confirmation without fields', () => {
  act(() =>
    root.render(
      <ConfirmDialog
        title="Delete?"
        text="Gone."
        action="Delete"
        isDestructive
        run={() => null}
        onClose={onClose}
      />,
    ),
  )
  expect(document.activeElement).toBe(button('Cancel'))
})

it('the form of a dialog does not submit the form that contains the dialog', async () => {
  const outer = vi.fn<() => void>()
  const inner = vi.fn<() => null>(() => null)
  act(() =>
    root.render(
      <form onSubmit={outer}>
        <ConfirmDialog title="Attach?" action="Attach anyway" run={inner} onClose={onClose} />
      </form>,
    ),
  )
  expect(document.querySelector('form form')).toBeNull()
  await press('Attach anyway')
  expect([inner, outer].map(({ mock }) => mock.calls.length)).toEqual([1, 0])
})
