import type { SupabaseClient } from '@supabase/supabase-js'
import { someone, type AuthServer } from './startAuth.ts'

/** Someone with an account, at a place of their own, so that no two share a limit. */
export interface Person {
  id: string
  email: string
  ip: string
  client: SupabaseClient
}

/** The id of nobody and nothing. */
export const nobody = '00000000-0000-4000-8000-000000000000'

let places = 0
const place = (): string => `10.8.${++places >> 8}.${places & 255}`

/** Signs in by a link: without a password there is nothing to hash. The first time makes the account. */
export async function signIn(server: AuthServer, email = someone()): Promise<Person> {
  const ip = place()
  const client = server.client({ ip })
  const { data: link } = await server.asService().auth.admin.generateLink({ type: 'magiclink', email })
  const { hashed_token: token_hash, verification_type } = link.properties!
  const type = verification_type as 'magiclink'
  const { data, error } = await client.auth.verifyOtp({ type, token_hash })
  if (error) throw error
  return { id: data.user!.id, email, ip, client }
}

/** The access token as it is now. */
export async function tokenOf(person: Person): Promise<string> {
  return (await person.client.auth.getSession()).data.session!.access_token
}

/** What an access token says. */
export function claimsOf(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as Record<string, unknown>
}

/** Asks as this person, from where they are. */
export async function ask(
  server: AuthServer,
  person: Person,
  path: string,
  o: { json?: unknown; method?: string; ip?: string } = {},
): Promise<{ status: number; body: Record<string, unknown>; headers: Headers }> {
  const { json, method, ip = person.ip } = o
  const response = await server.request(path, {
    ...(json === undefined ? {} : { json }),
    ...(method ? { method } : {}),
    bearer: await tokenOf(person),
    headers: { 'x-forwarded-for': ip, 'x-supabase-api-version': '2024-01-01' },
  })
  const text = await response.text()
  return { status: response.status, body: text ? JSON.parse(text) : {}, headers: response.headers }
}
