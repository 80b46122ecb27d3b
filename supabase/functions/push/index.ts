// Sends notifications to browsers (Web Push). Called by the database when there are some, and by browsers.
import { createClient } from 'npm:@supabase/supabase-js@2'
import { respond, type Ports } from './respond.ts'
import type { ClaimedPush } from './sendPushes.ts'

const url = Deno.env.get('SUPABASE_URL')!
const service = createClient(url, Deno.env.get('SUPABASE_SERVICE_ROLE_KEY')!, {
  auth: { persistSession: false, autoRefreshToken: false },
})

/** Calls a function of the database. */
async function call<T>(name: string, args: Record<string, unknown>): Promise<T> {
  const { data, error } = await service.rpc(name, args)
  if (error) throw new Error(error.message === 'not_allowed' ? error.message : `${name}: ${error.message}`)
  return data as T
}

Deno.serve((request) =>
  respond(request, {
    fetch,
    publicUrl: (Deno.env.get('SUPABASE_PUBLIC_URL') ?? url).replace(/\/$/, ''),
    isTask: async (secret) => (await call<{ valid: boolean }>('check_task', { secret })).valid,
    keys: (made) => call<Awaited<ReturnType<Ports['keys']>>>('push_keys', { made }),
    claim: async () => (await call<{ pushes: ClaimedPush[] }>('claim_pushes', {})).pushes,
    async finish(results) {
      await call('finish_pushes', { results })
    },
    async report(token, message) {
      await call('report_push', { token, message })
    },
  }),
)
