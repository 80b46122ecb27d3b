// Deno has no global Buffer.
import { Buffer } from 'node:buffer'
import { timingSafeEqual } from 'node:crypto'
import { createClient } from 'npm:@supabase/supabase-js@2'
import { cleanJson } from '../../../wire/texts.ts'

const serviceRoleKey = Deno.env.get('SUPABASE_SERVICE_ROLE_KEY')!

/** A client with the rights of the service role. It sends texts as PostgreSQL can store them. */
export const service = createClient(Deno.env.get('SUPABASE_URL')!, serviceRoleKey, {
  auth: { persistSession: false, autoRefreshToken: false },
  global: {
    fetch: (input, init) =>
      fetch(input, typeof init?.body === 'string' ? { ...init, body: cleanJson(init.body) } : init),
  },
})

/**
 * Calls a function of the database. Rejects with the message `not_allowed` alone, or with the name of the function
 * and its message.
 */
export async function call<T>(name: string, args: Record<string, unknown>): Promise<T> {
  const { data, error } = await service.rpc(name, args)
  if (error) throw new Error(error.message === 'not_allowed' ? error.message : `${name}: ${error.message}`)
  return data as T
}

/**
 * Whether the database calls. A platform that invokes functions for the database sends the key of the service role. Requests
 * of pg_net have the secret of the database in the header `x-linnet-task`.
 */
export async function isTask({ headers }: Request): Promise<boolean> {
  if (isServiceRole(headers.get('authorization'))) return true
  const secret = headers.get('x-linnet-task')
  return secret !== null && (await call<{ valid: boolean }>('check_task', { secret })).valid
}

const serviceRoleAuthorization = Buffer.from(`Bearer ${serviceRoleKey}`)

function isServiceRole(authorization: string | null): boolean {
  const given = Buffer.from(authorization ?? '')
  return given.length === serviceRoleAuthorization.length && timingSafeEqual(given, serviceRoleAuthorization)
}
