// @vitest-environment happy-dom
import { expect, it } from 'vitest'
import { readPreference } from '../../devicePreferences.ts'
import { setClientSession, type ClientSession } from '../session/clientSession.ts'
import { endSignInOffer, isMailedSession, requestSignInOffer } from './signInOffer.ts'

const tokenOf = (...methods: string[]): string => {
  const claims = { amr: methods.map((method) => ({ method, timestamp: 1 })) }
  return `header.${btoa(JSON.stringify(claims)).replaceAll('+', '-').replaceAll('/', '_')}.signature`
}

it('a session that has begun with a mailed code cannot be repeated without mails', () => {
  expect(isMailedSession(tokenOf('otp'))).toBe(true)
  expect(isMailedSession(tokenOf('email/signup', 'otp'))).toBe(true)
  expect(isMailedSession(tokenOf('password'))).toBe(false)
  expect(isMailedSession(tokenOf('otp', 'passkey'))).toBe(false)
  expect(isMailedSession(tokenOf('oauth'))).toBe(false)
  expect(isMailedSession(`header.${btoa('{}')}.signature`)).toBe(false)
})

it('nobody gets the offer who joins another workspace', () => {
  const join = (workspaces: object[]) => {
    endSignInOffer()
    setClientSession({ store: { get: () => ({ workspaces }) } } as unknown as ClientSession)
    requestSignInOffer()
    return readPreference('signInOffer')
  }
  expect(join([])).toBe(true)
  expect(join([{ id: 'w' }])).toBe(false)
  setClientSession(null)
  endSignInOffer()
})
