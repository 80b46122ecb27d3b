import { createClient, type SupabaseClient, type User } from '@supabase/supabase-js'
import { randomUUID } from 'node:crypto'
import { afterAll, describe, inject } from 'vitest'
import { WebSocket } from 'ws'
import type { Target } from './startTarget.ts'

/** The server under test, with its keys. */
export const target: Target = inject('target')

/** Groups cases that need the tables of `supabase/migrations`. They are skipped on a server without these. */
export const describeWithSchema = target.hasSchema ? describe : describe.skip

/** Groups cases that need the function of `supabase/functions`. They are skipped on a server without it. */
export const describeWithFunction = target.hasFunction ? describe : describe.skip

/**
 * Groups cases that depend on the configuration in `supabase/config.toml`. They are skipped on a server that these
 * tests have not started.
 */
export const describeOwn = target.isOwn ? describe : describe.skip

const options = {
  auth: { persistSession: false, autoRefreshToken: false },
  realtime: { transport: WebSocket as never },
}

/** Creates a client with the public key and no session. */
export const anonymous = (): SupabaseClient => createClient(target.url, target.anonKey, options)

/** Creates a client with the secret key, to which row-level security does not apply. */
export const service = (): SupabaseClient => createClient(target.url, target.serviceKey, options)

/** Headers of a request by fetch with the public key. */
export const publicHeaders = { apikey: target.anonKey }

export interface Person {
  client: SupabaseClient
  user: User
  email: string
  password: string
}

/** Returns the claims of an access token. */
export function claimsOf(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as Record<string, unknown>
}

/** Returns the access token of a client's session. */
export async function tokenOf(client: SupabaseClient): Promise<string> {
  const { data } = await client.auth.getSession()
  return data.session!.access_token
}

/**
 * Creates confirmed accounts that are deleted after the last case of the file. Call it once in a file, at its top.
 */
export function usePeople(): { signUp(): Promise<Person>; signIn(person: Person): Promise<SupabaseClient> } {
  const created: string[] = []
  afterAll(async () => {
    const admin = service()
    for (const id of created) await admin.auth.admin.deleteUser(id)
  })
  const signIn = async ({ email, password }: Pick<Person, 'email' | 'password'>): Promise<SupabaseClient> => {
    const client = anonymous()
    const { error } = await client.auth.signInWithPassword({ email, password })
    if (error) throw error
    return client
  }
  return {
    signIn,
    async signUp() {
      const [email, password] = [`acceptance-${randomUUID()}@example.com`, `${randomUUID()}-Aa1`]
      const { data, error } = await service().auth.admin.createUser({ email, password, email_confirm: true })
      if (error) throw error
      created.push(data.user.id)
      return { client: await signIn({ email, password }), user: data.user, email, password }
    },
  }
}
