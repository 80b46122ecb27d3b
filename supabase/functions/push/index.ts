// Sends notifications to browsers (Web Push). The database calls it when notifications are due. Browsers call it to
// report.
import { canPin } from '../_shared/checkDestination.ts'
import { call, isTask } from '../_shared/service.ts'
import { createPoster } from './createPoster.ts'
import { respond, type StoredKeys } from './respond.ts'
import type { ClaimedPush } from './sendPushes.ts'

const url = Deno.env.get('SUPABASE_URL')!
// The embedded backend also serves the application, and sets SUPABASE_PUBLIC_URL.
const siteUrl = Deno.env.get('SITE_URL') ?? Deno.env.get('SUPABASE_PUBLIC_URL')

Deno.serve((request) =>
  respond(request, {
    publicUrl: (Deno.env.get('SUPABASE_PUBLIC_URL') ?? url).replace(/\/$/, ''),
    siteUrl: siteUrl?.replace(/\/$/, '') ?? null,
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
