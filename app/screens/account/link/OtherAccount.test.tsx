// @vitest-environment happy-dom
import { i18n } from '@lingui/core'
import { act } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createFailure, success } from '../../../data/failures/failures.ts'

const account = vi.hoisted(() => ({ status: 'signed-in', email: 'ann@example.com' as string | null }))
vi.mock('../../../data/session/account.ts', () => ({ useAccount: () => account }))

const { OtherAccount } = await import('./OtherAccount.tsx')

let root: Root
let page: HTMLElement
const accept = vi.fn()
const decline = vi.fn()
const onAccepted = vi.fn()

beforeEach(() => {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })
  i18n.loadAndActivate({ locale: 'en', locales: ['en'], messages: {} })
  history.replaceState(null, '', '/confirm')
  account.email = 'ann@example.com'
  accept.mockReset().mockResolvedValue(success(undefined))
  decline.mockReset().mockResolvedValue(undefined)
  onAccepted.mockReset()
  page = document.body.appendChild(document.createElement('main'))
  root = createRoot(page)
})
afterEach(() => {
  act(() => root.unmount())
  page.remove()
})

function show(email: string | null = 'mallory@example.com'): void {
  act(() => root.render(<OtherAccount session={{ email, accept, decline }} onAccepted={onAccepted} />))
}

/** The text of the page without the characters that isolate the direction of addresses. */
const text = (): string => page.textContent.replaceAll(/[\u2066-\u2069]/g, '')

async function press(label: string): Promise<void> {
  const button = [...page.querySelectorAll('button')].find(
    ({ textContent }) => textContent.replaceAll(/[\u2066-\u2069]/g, '') === label,
  )
  if (!button) throw new Error(`no button ${label}: ${text()}`)
  await act(async () => button.click())
}

it('names both accounts, and stores nothing before the reader has chosen', () => {
  show()
  expect(text()).toContain('Switch accounts?')
  expect(text()).toContain(
    'You’re signed in as ann@example.com. This link signs you in as mallory@example.com.',
  )
  expect(accept).not.toHaveBeenCalled()
  expect(decline).not.toHaveBeenCalled()
})

it('staying signed in ends the offered session and opens the app', async () => {
  show()
  await press('Stay signed in as ann@example.com')
  expect(decline).toHaveBeenCalledOnce()
  expect(accept).not.toHaveBeenCalled()
  expect(onAccepted).not.toHaveBeenCalled()
  expect(location.pathname).toBe('/')
})

it('signing in as the other account goes on once it is stored', async () => {
  let finish!: (outcome: unknown) => void
  accept.mockReturnValue(new Promise((resolve) => (finish = resolve)))
  show()
  await press('Sign in as mallory@example.com')
  expect(onAccepted).not.toHaveBeenCalled()
  // A second press while it is stored is no second sign-in.
  await press('Sign in as mallory@example.com')
  expect(accept).toHaveBeenCalledOnce()
  await act(async () => finish(success(undefined)))
  expect(onAccepted).toHaveBeenCalledOnce()
  expect(decline).not.toHaveBeenCalled()
})

it('a failure is shown, and the choice stays', async () => {
  accept.mockResolvedValueOnce({ ok: false, failure: createFailure('network') })
  show()
  await press('Sign in as mallory@example.com')
  expect(onAccepted).not.toHaveBeenCalled()
  expect(page.querySelector('[role="alert"]')?.textContent).toBeTruthy()
  await press('Sign in as mallory@example.com')
  expect(onAccepted).toHaveBeenCalledOnce()
})

it('while nobody is signed in, it asks whether the account is the reader’s', async () => {
  account.email = null
  show()
  expect(text()).toContain('Is this your account?')
  expect(text()).toContain('This link signs you in as mallory@example.com.')
  await press('Cancel')
  expect(decline).toHaveBeenCalledOnce()
  expect(location.pathname).toBe('/sign-in')
})

it('an account without an address is named as one', () => {
  show(null)
  expect(text()).toContain('Sign in as an account without an email address')
})
