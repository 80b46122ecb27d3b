// Accepts the responses of bots to slash commands: those that the database received, and later ones at response_url.
import { createClient } from 'npm:@supabase/supabase-js@2'
import { respond } from './respond.ts'

const service = createClient(Deno.env.get('SUPABASE_URL')!, Deno.env.get('SUPABASE_SERVICE_ROLE_KEY')!, {
  auth: { persistSession: false, autoRefreshToken: false },
})

Deno.serve((request) =>
  respond(request, {
    async isTask(secret) {
      const { data, error } = await service.rpc('check_task', { secret })
      if (error) throw new Error(error.message)
      return (data as { valid: boolean }).valid
    },
    async finish(args) {
      const { error } = await service.rpc('finish_command', args)
      if (error) throw new Error(error.message)
    },
    async add(args) {
      const { error } = await service.rpc('respond_to_command', args)
      if (error) console.warn('A response to a command was refused.', error.code, error.message)
      return error
    },
  }),
)
