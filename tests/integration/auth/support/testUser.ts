import type { SupabaseClient } from '@supabase/supabase-js'
import { uniqueEmail, type AuthServer } from './startAuth.ts'

/** A user with an account and an own IP address, so that no two share a limit. */
export interface TestUser {
  id: string
  email: string
  ip: string
  client: SupabaseClient
}

/** An id that does not exist. */
export const unknownId = '00000000-0000-4000-8000-000000000000'

let addressCount = 0
const nextAddress = (): string => `10.8.${++addressCount >> 8}.${addressCount & 255}`

/** Signs in with a link, which needs no hashing. Creates the account the first time. */
export async function signIn(server: AuthServer, email = uniqueEmail()): Promise<TestUser> {
  const ip = nextAddress()
  const client = server.client({ ip })
  const { data: link } = await server.asService().auth.admin.generateLink({ type: 'magiclink', email })
  const { hashed_token: token_hash, verification_type } = link.properties!
  const type = verification_type as 'magiclink'
  const { data, error } = await client.auth.verifyOtp({ type, token_hash })
  if (error) throw error
  return { id: data.user!.id, email, ip, client }
}

/** The current access token. */
export async function tokenOf(person: TestUser): Promise<string> {
  return (await person.client.auth.getSession()).data.session!.access_token
}

/** The claims of an access token. */
export function claimsOf(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as Record<string, unknown>
}

/** Sends a request as this user, from their IP address. */
export async function send(
  server: AuthServer,
  person: TestUser,
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
