// @vitest-environment happy-dom
import { i18n } from '@lingui/core'
import { act } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { formFailure } from './fieldFailure.ts'
import { Form } from './Form.tsx'
import { TextField } from './TextField.tsx'
import { useAction } from './useAction.ts'

let root: Root
const run = vi.fn<() => Promise<{ ok: true; value: string } | ReturnType<typeof formFailure>>>()
const onDone = vi.fn<(value: string) => void>()

beforeEach(() => {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })
  i18n.loadAndActivate({ locale: 'en', locales: ['en'], messages: {} })
  root = createRoot(document.body.appendChild(document.createElement('main')))
  for (const called of [run, onDone]) called.mockReset()
  run.mockResolvedValue({ ok: true, value: 'id' })
})

afterEach(() => {
  act(() => root.unmount())
  document.body.replaceChildren()
})

const render = (action: string | null, isDisabled = false) =>
  act(() =>
    root.render(
      <Form action={action} isDisabled={isDisabled} run={run} onDone={onDone}>
        <TextField name="name" label="Name" />
      </Form>,
    ),
  )
const submit = () =>
  act(async () =>
    document.querySelector('form')?.dispatchEvent(new Event('submit', { bubbles: true, cancelable: true })),
  )
const alert = () => document.querySelector('[role=alert]')?.textContent

it('a form calls onDone with the value of its action', async () => {
  render('Save')
  await submit()
  expect(onDone).toHaveBeenCalledWith('id')
})

it('Enter does not submit a form whose action is missing or disabled', async () => {
  render(null)
  expect(document.querySelector('button')).toBeNull()
  await submit()
  render('Save', true)
  await submit()
  expect(run).not.toHaveBeenCalled()
  render('Save')
  await submit()
  expect(run).toHaveBeenCalledTimes(1)
})

it('a form shows its failure until the next input', async () => {
  run.mockResolvedValue(formFailure('The server can’t be reached.'))
  render('Save')
  await submit()
  expect(alert()).toBe('The server can’t be reached.')
  expect(onDone).not.toHaveBeenCalled()
  act(() => {
    document.querySelector('input')?.dispatchEvent(new Event('input', { bubbles: true }))
  })
  expect(alert()).toBe('')
})

it('a form shows the failure of another control that shares its state', async () => {
  function Page() {
    const state = useAction()
    return (
      <Form
        state={state}
        action="Save"
        run={run}
        after={
          <button id="other" type="button" onClick={() => void state.run(() => formFailure('Not found.'))}>
            Other
          </button>
        }
      />
    )
  }
  act(() => root.render(<Page />))
  await act(async () => document.querySelector<HTMLElement>('#other')?.click())
  expect(alert()).toBe('Not found.')
})
