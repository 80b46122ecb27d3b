// Sends notifications to browsers (Web Push). The database calls it when notifications are due. Browsers call it to
// report.
import { canPin } from '../_shared/checkDestination.ts'
import { call, isTask } from '../_shared/service.ts'
import { createPoster } from './createPoster.ts'
import { respond, type StoredKeys } from './respond.ts'
import type { ClaimedPush } from './sendPushes.ts'

const url = Deno.env.get('SUPABASE_URL')!

Deno.serve((request) =>
  respond(request, {
    publicUrl: (Deno.env.get('SUPABASE_PUBLIC_URL') ?? url).replace(/\/$/, ''),
    isTask,
    keys: (made) => call<StoredKeys>('push_keys', { made }),
    createPoster: (allowed) => createPoster({ allowed, isPinned: canPin }),
    claim: async () => (await call<{ pushes: ClaimedPush[] }>('claim_pushes', {})).pushes,
    async finish(results) {
      await call('finish_pushes', { results })
    },
    async report(token, message) {
      await call('report_push', { token, message })
    },
  }),
)
