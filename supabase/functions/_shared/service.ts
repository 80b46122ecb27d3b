import { createClient } from 'npm:@supabase/supabase-js@2'
import { cleanJson } from '../../../wire/texts.ts'

/** A client with the rights of the service role. It sends texts as PostgreSQL can store them. */
export const service = createClient(
  Deno.env.get('SUPABASE_URL')!,
  Deno.env.get('SUPABASE_SERVICE_ROLE_KEY')!,
  {
    auth: { persistSession: false, autoRefreshToken: false },
    global: {
      fetch: (input, init) =>
        fetch(input, typeof init?.body === 'string' ? { ...init, body: cleanJson(init.body) } : init),
    },
  },
)

/**
 * Calls a function of the database. Rejects with the message `not_allowed` alone, or with the name of the function
 * and its message.
 */
export async function call<T>(name: string, args: Record<string, unknown>): Promise<T> {
  const { data, error } = await service.rpc(name, args)
  if (error) throw new Error(error.message === 'not_allowed' ? error.message : `${name}: ${error.message}`)
  return data as T
}

/** Whether a secret is the secret of calls by the database, which send it in the header `x-linnet-task`. */
export async function isTask(secret: string | null): Promise<boolean> {
  return secret !== null && (await call<{ valid: boolean }>('check_task', { secret })).valid
}
