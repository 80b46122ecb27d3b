// @vitest-environment happy-dom
import { i18n } from '@lingui/core'
import { createRoot } from 'react-dom/client'
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import type { SignInMethods } from '../../../data/account/signInMethods.ts'
import SignIn from './SignIn.tsx'

const all: SignInMethods = {
  mailedCodes: true,
  passwords: true,
  phone: false,
  passkeys: false,
  hasPasskeys: false,
  providers: ['github'],
  hasLocalMailbox: false,
  linnet: 'linnet',
}
let methods = all
vi.mock(import('../../../data/account/signInMethods.ts'), async () => {
  const { createQuery } = await import('../../../data/queries/createQuery.ts')
  return {
    signInMethods: createQuery({ fetch: () => Promise.resolve({ ok: true as const, value: methods }) }),
  } as never
})
vi.mock(
  import('../../../data/session/account.ts'),
  () => ({ useAccount: () => ({ status: 'signed-out', ended: null }) }) as never,
)

beforeEach(() => {
  i18n.loadAndActivate({ locale: 'en', messages: {} })
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: false })
})

const labels = () => [...document.querySelectorAll('button')].map((one) => one.textContent)

async function show(changed: Partial<SignInMethods>): Promise<string[]> {
  const { signInMethods } = await import('../../../data/account/signInMethods.ts')
  methods = { ...all, ...changed }
  signInMethods.invalidate()
  const root = createRoot(document.body.appendChild(document.createElement('main')))
  root.render(<SignIn />)
  onTestFinished(() => {
    root.unmount()
    document.body.replaceChildren()
  })
  await vi.waitUntil(() => labels().includes('Continue with GitHub'))
  return labels()
}

it('offers the methods of the server, and a mail first', async () => {
  expect(await show({})).toEqual(['Send me a link', 'Use a password', 'Continue with GitHub'])
})

it('offers no mail where the server sends no codes', async () => {
  expect(await show({ mailedCodes: false })).toEqual(['Sign in', 'Forgot password?', 'Continue with GitHub'])
})

it('offers no password where the server accepts none', async () => {
  expect(await show({ passwords: false })).toEqual(['Send me a link', 'Continue with GitHub'])
})

it('has no form where only services are left', async () => {
  expect(await show({ mailedCodes: false, passwords: false })).toEqual(['Continue with GitHub'])
  expect(document.querySelector('form')).toBeNull()
})
