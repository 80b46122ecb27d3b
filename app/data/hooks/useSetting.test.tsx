// @vitest-environment happy-dom
import { i18n } from '@lingui/core'
import { act } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createFailure, success, type Outcome } from '../failures/failures.ts'
import { useSetting } from './useSetting.ts'

let root: Root
let page: HTMLElement
/** What the server has. */
let saved: string
let requests: { value: string; respond: (outcome: Outcome) => Promise<void> }[]

const save = (value: string) =>
  new Promise<Outcome>((resolve) => {
    const respond = (outcome: Outcome) =>
      act(async () => {
        if (outcome.ok) saved = value
        resolve(outcome)
      })
    requests.push({ value, respond })
  })

function Choice({ read }: { read: () => string }) {
  const setting = useSetting(read(), save)
  return (
    <>
      {['admins', 'nobody', 'everyone'].map((value) => (
        <button key={value} type="button" onClick={() => setting.choose(value)}>
          {value}
        </button>
      ))}
      <output>{setting.value}</output>
      {setting.failure ? <p role="alert">{setting.failure}</p> : null}
    </>
  )
}

beforeEach(() => {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })
  i18n.loadAndActivate({ locale: 'en', locales: ['en'], messages: {} })
  page = document.body.appendChild(document.createElement('main'))
  root = createRoot(page)
  saved = 'members'
  requests = []
  act(() => root.render(<Choice read={() => saved} />))
})

afterEach(() => {
  act(() => root.unmount())
  page.remove()
})

const choose = (value: string) =>
  act(() =>
    Array.from(page.querySelectorAll('button'))
      .find((button) => button.textContent === value)!
      .click(),
  )
const shown = () => page.querySelector('output')!.textContent
const failure = () => page.querySelector('[role=alert]')?.textContent
const sent = () => requests.map(({ value }) => value)

it('displays a choice at once and saves it', async () => {
  choose('admins')
  expect(shown()).toBe('admins')
  expect(sent()).toEqual(['admins'])
  await requests[0]!.respond(success(undefined))
  expect(shown()).toBe('admins')
  expect(failure()).toBeUndefined()
})

it('saves a choice made during a request after it, and of several only the last', async () => {
  choose('admins')
  choose('nobody')
  choose('everyone')
  expect(shown()).toBe('everyone')
  expect(sent()).toEqual(['admins'])
  await requests[0]!.respond(success(undefined))
  expect(sent()).toEqual(['admins', 'everyone'])
  expect(shown()).toBe('everyone')
  await requests[1]!.respond(success(undefined))
  expect(shown()).toBe('everyone')
})

it('displays the saved value and the reason when the last choice fails', async () => {
  choose('admins')
  await requests[0]!.respond({ ok: false, failure: createFailure('network') })
  expect(shown()).toBe('members')
  expect(failure()).toBeTruthy()
  choose('admins')
  expect(failure()).toBeUndefined()
  await requests[1]!.respond(success(undefined))
  expect(shown()).toBe('admins')
})
