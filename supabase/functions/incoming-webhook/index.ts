// Posts what other services send to the secret address of a webhook. Accepts the payloads of Slack's webhooks.
import { createClient } from 'npm:@supabase/supabase-js@2'
import { respond } from './respond.ts'

const service = createClient(Deno.env.get('SUPABASE_URL')!, Deno.env.get('SUPABASE_SERVICE_ROLE_KEY')!, {
  auth: { persistSession: false, autoRefreshToken: false },
})

Deno.serve((request) =>
  respond(request, async (token, body) => {
    const { error } = await service.rpc('post_by_webhook', { token, body })
    if (error) console.warn('A webhook was refused.', error.code, error.message)
    return error
  }),
)
