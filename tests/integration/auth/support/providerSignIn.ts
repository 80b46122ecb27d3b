import type { SupabaseClient } from '@supabase/supabase-js'
import type { FakeProvider, Person } from '../../../support/oidc/startProvider.ts'
import { uniqueEmail, type AuthServer } from './startAuth.ts'

let people = 5000
/** A user at the provider whom no other test uses. */
export function newProviderUser(more: Partial<Person> = {}): Person {
  return { id: String(++people), email: uniqueEmail('ann'), verified: true, name: 'Ann Example', ...more }
}

/** The result of a sign-in with a provider. */
interface ProviderSignInResult {
  /** The parameters of the authorization request. */
  authorizationParams: URLSearchParams
  /** The last URL: the application's, with a code, tokens or an error. */
  end: URL
  /** The parameters of its fragment. */
  fragment: URLSearchParams
  /** The callback URL, to be requested again. */
  callback: string
}

/**
 * Signs in with a provider like a browser: requests the service, the provider, the callback by link or form,
 * and ends at the application.
 */
export async function signInWithProvider(
  provider: FakeProvider,
  client: SupabaseClient,
  name: string,
  options: { redirectTo?: string; scopes?: string; queryParams?: Record<string, string> } = {},
): Promise<ProviderSignInResult> {
  const { data } = await client.auth.signInWithOAuth({ provider: name as never, options })
  const start = await fetch(data.url!, { redirect: 'manual' })
  if (start.status !== 302) throw new Error(`authorize answered ${start.status}: ${await start.text()}`)
  return continueAtProvider(provider, start.headers.get('location')!)
}

/** Continues at the provider's URL. */
export async function continueAtProvider(provider: FakeProvider, url: string): Promise<ProviderSignInResult> {
  const { query: authorizationParams, backTo, form } = await provider.visit(url)
  const end = await followCallback(backTo, form)
  return { authorizationParams, end, fragment: new URLSearchParams(end.hash.slice(1)), callback: backTo }
}

/** Requests the callback, and returns its redirect. */
export async function followCallback(backTo: string, form: URLSearchParams | null = null): Promise<URL> {
  const response = await fetch(backTo, {
    redirect: 'manual',
    ...(form ? { method: 'POST', body: form } : {}),
  })
  const location = response.headers.get('location')
  if (location === null) throw new Error(`callback answered ${response.status}: ${await response.text()}`)
  return new URL(location)
}

/** Signs in and exchanges the code. */
export async function signInAndExchange(
  auth: AuthServer,
  provider: FakeProvider,
  name: string,
  person: Person,
): Promise<{ client: SupabaseClient; userId: string }> {
  provider.person = person
  const client = auth.client()
  const { end } = await signInWithProvider(provider, client, name)
  const { data, error } = await client.auth.exchangeCodeForSession(end.searchParams.get('code') ?? '')
  if (error) throw new Error(`${error.message}, from ${end.href}`)
  return { client, userId: data.user.id }
}
