// @vitest-environment happy-dom
import { i18n } from '@lingui/core'
import { createRoot } from 'react-dom/client'
import { beforeAll, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import type { ReauthenticationMethods } from '../../../data/account/reauthenticationMethods.ts'
import ReauthenticationHost from './ReauthenticationHost.tsx'
import { isReauthenticating, reauthenticate } from '../../../data/client/reauthentication.ts'

const none: ReauthenticationMethods = {
  factors: [],
  hasOnlyNewFactors: false,
  methods: [],
  email: 'ann@harbour.example',
  codeAddress: null,
}
let methods = none
vi.mock(import('../../../data/account/reauthenticationMethods.ts'), async () => {
  const { createQuery } = await import('../../../data/queries/createQuery.ts')
  const succeed = () => Promise.resolve({ ok: true as const, value: undefined })
  return {
    reauthenticationMethods: createQuery({
      fetch: () => Promise.resolve({ ok: true as const, value: methods }),
    }),
    reauthenticateByPassword: succeed,
    reauthenticateByCode: succeed,
    reauthenticateByPasskey: succeed,
    sendCode: succeed,
  } as never
})

vi.mock(
  import('../../../data/client/settings.ts'),
  () => ({ loadSettings: () => new Promise(() => {}) }) as never,
)

const page = () => document.body.textContent
const button = (label: string) =>
  [...document.querySelectorAll('button')].find((one) => one.textContent === label)

function show(shown: Partial<ReauthenticationMethods>): Promise<boolean> {
  methods = { ...none, ...shown }
  const root = createRoot(document.body.appendChild(document.createElement('main')))
  root.render(<ReauthenticationHost />)
  onTestFinished(() => {
    root.unmount()
    document.body.replaceChildren()
  })
  return reauthenticate()
}

// The component loads it.
beforeAll(() => import('./ConfirmIdentity.tsx'))
beforeEach(() => {
  i18n.loadAndActivate({ locale: 'en', messages: {} })
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: false })
  vi.stubGlobal('matchMedia', () => ({
    matches: false,
    addEventListener: () => {},
    removeEventListener: () => {},
  }))
})

it('the dialog ends with the action once a code was accepted', async () => {
  const result = show({ methods: ['code', 'password'], codeAddress: { email: 'ann@harbour.example' } })
  await vi.waitUntil(() => button('Send code'))
  expect(page()).toContain('ann@harbour.example')
  expect(button('Use a password')).toBeDefined()
  button('Send code')!.click()
  const field = await vi.waitUntil(() =>
    document.querySelector<HTMLInputElement>('input[inputmode="numeric"]'),
  )
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')!.set!.call(field, '123456')
  field.dispatchEvent(new Event('input', { bubbles: true }))
  await vi.waitUntil(() => button('Confirm')?.disabled === false)
  button('Confirm')!.click()
  expect(await result).toBe(true)
  await vi.waitUntil(() => !page().includes('Confirm that it’s you'))
})

it('closing the dialog refuses the action', async () => {
  const result = show({ methods: ['password'] })
  await vi.waitUntil(() => button('Cancel'))
  button('Cancel')!.click()
  expect(await result).toBe(false)
  expect(isReauthenticating()).toBe(false)
})

it('a factor that was added during the session leads to another sign-in', async () => {
  const result = show({ hasOnlyNewFactors: true })
  await vi.waitUntil(() => page().includes('You added your second factor after signing in.'))
  expect(document.querySelector('input')).toBeNull()
  const closing = [...document.querySelectorAll('button')].filter((one) => one.textContent === 'Close')
  closing.at(-1)!.click()
  expect(await result).toBe(false)
})
