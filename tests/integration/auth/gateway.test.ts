import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, expect, it } from 'vitest'
import ws from 'ws'
import type { MailboxMessage } from '../../../backend/auth/mail/mailbox/mailbox.ts'
import { startBackend, type Backend } from '../../support/backend.ts'

let backend: Backend
beforeAll(async () => {
  backend = await startBackend()
})
afterAll(() => backend.stop())

function browser(key: string): SupabaseClient {
  const items = new Map<string, string>()
  return createClient(backend.url, key, {
    auth: {
      flowType: 'pkce',
      autoRefreshToken: false,
      detectSessionInUrl: false,
      storage: {
        getItem: (name: string) => items.get(name) ?? null,
        setItem: (name: string, value: string) => void items.set(name, value),
        removeItem: (name: string) => void items.delete(name),
      },
    },
    realtime: { transport: ws as never },
  })
}

async function mailTo(address: string): Promise<MailboxMessage> {
  const response = await fetch(`${backend.mailbox}/messages`)
  const messages = (await response.json()) as MailboxMessage[]
  return messages.find((message) => message.to === address)!
}

it.each(['publishableKey', 'anonKey'] as const)(
  'a new user gets a session with the link of Linnet’s own mail: %s',
  async (name) => {
    const email = `ann-${name.toLowerCase()}@example.com`
    const client = browser(backend[name])
    const emailRedirectTo = `${backend.url}/auth/callback?next=%2F`
    expect((await client.auth.signInWithOtp({ email, options: { emailRedirectTo } })).error).toBeNull()
    const link = new URL((await mailTo(email)).link!)
    expect(link.origin + link.pathname).toBe(`${backend.url}/confirm`)
    const verify = new URL(`${backend.url}/auth/v1/verify`)
    verify.search = new URLSearchParams({
      token: link.searchParams.get('token_hash')!,
      type: link.searchParams.get('type')!,
      redirect_to: link.searchParams.get('next')!,
    }).toString()
    // Without an API key, as a browser follows a link.
    const followed = await fetch(verify, { redirect: 'manual' })
    const target = new URL(followed.headers.get('location')!)
    expect(target.href.split('&code=')[0]).toBe(emailRedirectTo)
    const exchanged = await client.auth.exchangeCodeForSession(target.searchParams.get('code')!)
    expect(exchanged.error).toBeNull()
    expect((await client.auth.getUser()).data.user?.email).toBe(email)
    const admin = browser(backend.secretKey).auth.admin
    const made = await admin.generateLink({ type: 'magiclink', email })
    expect(made.data.properties?.verification_type).toBe('magiclink')
  },
)

it('rejects unknown paths and keys in GoTrue’s format', async () => {
  const unknown = await fetch(`${backend.url}/auth/v1/nowhere`, {
    headers: { apikey: backend.publishableKey },
  })
  expect([unknown.status, unknown.headers.get('x-sb-error-code')]).toEqual([404, 'not_found'])
  const admin = await fetch(`${backend.url}/auth/v1/admin/users`, {
    headers: { apikey: backend.publishableKey, authorization: `Bearer ${backend.publishableKey}` },
  })
  expect(admin.status).toBe(403)
  const keys = await fetch(`${backend.url}/auth/v1/.well-known/jwks.json`)
  expect(keys.status).toBe(200)
  expect(keys.headers.get('cache-control')).toMatch(/max-age/)
  // Requests of OAuth clients need no API key, also at the path of RFC 8414.
  for (const path of [
    '/auth/v1/oauth/authorize',
    '/auth/v1/oauth/userinfo',
    '/.well-known/oauth-authorization-server',
    '/.well-known/oauth-authorization-server/auth/v1',
  ]) {
    const response = await fetch(`${backend.url}${path}`)
    expect([path, response.headers.get('x-sb-error-code')]).toEqual([path, 'feature_disabled'])
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
  }
})

it.each(['settings', 'user', 'nowhere'])('responses are neither cached nor executed: %s', async (path) => {
  const { headers } = await fetch(`${backend.url}/auth/v1/${path}`, {
    headers: { apikey: backend.publishableKey },
  })
  expect(headers.get('cache-control')).toBe('no-store')
  expect(headers.get('x-content-type-options')).toBe('nosniff')
})
