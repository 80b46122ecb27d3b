// @vitest-environment happy-dom
import { afterEach, expect, it } from 'vitest'
import { cookieName, signedInByCookie, userOfSession } from './sessionCookie.ts'

const settings = { url: 'http://localhost', key: 'sb_publishable_x', installation: 'here' }
const tokenOf = (claims: object) => `e30.${btoa(JSON.stringify(claims)).replaceAll('=', '')}.x`
const session = {
  access_token: tokenOf({ aal: 'aal1', session_id: 'its-session' }),
  refresh_token: 'r',
  user: { id: 'a-person', email: 'änn@harbour.example' },
}
const encode = (value: unknown) => {
  const bytes = new TextEncoder().encode(JSON.stringify(value))
  return `base64-${btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')}`
}
const put = (name: string, value: string) => {
  document.cookie = `${name}=${value}; Path=/`
}

const open = (url: string) =>
  (window as unknown as { happyDOM: { setURL(url: string): void } }).happyDOM.setURL(url)
const names = () => document.cookie.split('; ').map((pair) => pair.split('=')[0])

afterEach(() => {
  for (const name of names()) document.cookie = `${name}=; Max-Age=0; Path=/; Secure`
  localStorage.clear()
  open('http://localhost:3000/')
})

it('reads the signed-in user from the cookie, whole or in chunks', () => {
  expect(signedInByCookie(settings)).toBeNull()
  put('sb-here-auth-token', encode(session))
  expect(signedInByCookie(settings)).toEqual({
    id: 'a-person',
    email: 'änn@harbour.example',
    sessionId: 'its-session',
    needsSecondFactor: false,
  })
})

it('joins the parts of a long one', () => {
  const value = encode(session)
  put('sb-here-auth-token.0', value.slice(0, 20))
  put('sb-here-auth-token.1', value.slice(20))
  expect(signedInByCookie(settings)?.id).toBe('a-person')
})

it('ignores cookies of another installation, broken ones, and those without a refresh token', () => {
  put('sb-there-auth-token', encode(session))
  expect(signedInByCookie(settings)).toBeNull()
  put('sb-here-auth-token', 'base64-%%%')
  expect(signedInByCookie(settings)).toBeNull()
  put('sb-here-auth-token', encode({ ...session, refresh_token: undefined }))
  expect(signedInByCookie(settings)).toBeNull()
})

it('reads whether a second factor is still required', () => {
  const halfWith = (aal: string, factors?: { status: string }[]) =>
    userOfSession({ access_token: tokenOf({ aal }), user: { ...session.user, factors } }).needsSecondFactor
  expect(halfWith('aal1', [{ status: 'unverified' }, { status: 'verified' }])).toBe(true)
  expect(halfWith('aal1', [{ status: 'unverified' }])).toBe(false)
  expect(halfWith('aal1')).toBe(false)
  expect(halfWith('aal2', [{ status: 'verified' }])).toBe(false)
})

it('names the cookie with the prefix __Host- on https only', () => {
  expect(cookieName(settings)).toBe('sb-here-auth-token')
  open('https://chat.harbour.example/')
  expect(cookieName(settings)).toBe('__Host-sb-here-auth-token')
})

it('reads no cookie without the prefix, which another program of the host may have set', () => {
  open('https://chat.harbour.example/')
  expect(signedInByCookie(settings)).toBeNull()
  put('sb-here-auth-token', encode({ ...session, user: { id: 'a-thief' } }))
  expect(signedInByCookie(settings)).toBeNull()
})
