import type { SupabaseClient } from '@supabase/supabase-js'
import type { FakeProvider, Person } from '../../../support/oidc/startProvider.ts'
import { someone, type AuthServer } from './startAuth.ts'

let people = 5000
/** Somebody whom no other test knows. */
export function newPerson(more: Partial<Person> = {}): Person {
  return { id: String(++people), email: someone('ann'), verified: true, name: 'Ann Example', ...more }
}

/** Where a browser ends up after a sign-in over a provider. */
interface Danced {
  /** What the provider was asked. */
  asked: URLSearchParams
  /** The last address: the application's, with a code, tokens or an error. */
  end: URL
  /** What stands in its fragment. */
  fragment: URLSearchParams
  /** Where the provider sent the browser, to send it there again. */
  callback: string
}

/**
 * Signs in over a provider as a browser does: to the service, on to the provider, back by link or form, and on to
 * the application.
 */
export async function dance(
  provider: FakeProvider,
  client: SupabaseClient,
  name: string,
  options: { redirectTo?: string; scopes?: string; queryParams?: Record<string, string> } = {},
): Promise<Danced> {
  const { data } = await client.auth.signInWithOAuth({ provider: name as never, options })
  const start = await fetch(data.url!, { redirect: 'manual' })
  if (start.status !== 302) throw new Error(`authorize answered ${start.status}: ${await start.text()}`)
  return cross(provider, start.headers.get('location')!)
}

/** From the provider's address on. */
export async function cross(provider: FakeProvider, url: string): Promise<Danced> {
  const { asked, backTo, form } = await provider.visit(url)
  const end = await follow(backTo, form)
  return { asked, end, fragment: new URLSearchParams(end.hash.slice(1)), callback: backTo }
}

/** Where the service sends the browser that comes back from a provider. */
export async function follow(backTo: string, form: URLSearchParams | null = null): Promise<URL> {
  const response = await fetch(backTo, {
    redirect: 'manual',
    ...(form ? { method: 'POST', body: form } : {}),
  })
  const location = response.headers.get('location')
  if (location === null) throw new Error(`callback answered ${response.status}: ${await response.text()}`)
  return new URL(location)
}

/** Dances and exchanges the code. */
export async function signIn(
  auth: AuthServer,
  provider: FakeProvider,
  name: string,
  person: Person,
): Promise<{ client: SupabaseClient; userId: string }> {
  provider.person = person
  const client = auth.client()
  const { end } = await dance(provider, client, name)
  const { data, error } = await client.auth.exchangeCodeForSession(end.searchParams.get('code') ?? '')
  if (error) throw new Error(`${error.message}, from ${end.href}`)
  return { client, userId: data.user.id }
}
