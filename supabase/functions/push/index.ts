// Sends notifications to browsers (Web Push). Called by the database when there are some, and by browsers.
import { call, isTask } from '../_shared/service.ts'
import { respond, type Ports } from './respond.ts'
import type { ClaimedPush } from './sendPushes.ts'

const url = Deno.env.get('SUPABASE_URL')!

Deno.serve((request) =>
  respond(request, {
    fetch,
    publicUrl: (Deno.env.get('SUPABASE_PUBLIC_URL') ?? url).replace(/\/$/, ''),
    isTask,
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
