import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import { join } from 'node:path'
import { WebSocket } from 'ws'
import { loadConfig } from '../../../backend/config/loadConfig.ts'
import { connectToUrl } from '../../../backend/postgres/connections/connectToUrl.ts'
import { generateTypes } from '../../../backend/optional/types/generateTypes.ts'

/** The supabase folder of a project, for `linnet start --supabase`. */
export const projectDir = (name: 'todo' | 'chat' | 'shop'): string =>
  join(import.meta.dirname, '../../support/projects', name, 'supabase')

/** A client with generated types, like in an application. */
export function clientOf<Database>({
  url,
  publishableKey,
}: {
  url: string
  publishableKey: string
}): SupabaseClient<Database> {
  return createClient<Database>(url, publishableKey, {
    auth: { persistSession: false, autoRefreshToken: false },
    realtime: { transport: WebSocket as never },
  })
}

/** A client of a user in the seed. */
export async function signIn<Database>(
  address: { url: string; publishableKey: string },
  email: string,
  password: string,
): Promise<SupabaseClient<Database>> {
  const client = clientOf<Database>(address)
  const { error } = await client.auth.signInWithPassword({ email, password })
  if (error) throw error
  return client
}

/** The output of `linnet types` for a running project. */
export async function typesOf(name: 'todo' | 'chat' | 'shop', dbUrl: string): Promise<string> {
  const schemas = loadConfig(projectDir(name)).at<string[]>('api.schemas', [])
  const client = await connectToUrl(dbUrl, 'test of types')
  try {
    const { types } = await generateTypes(client, { schemas, postgrestVersion: '14.12' })
    return `${types}\n`
  } finally {
    await client.end()
  }
}
