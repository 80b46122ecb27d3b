// Accepts the responses of bots to slash commands: responses that the database received, and later ones at
// response_url.
import { call, isTask, service } from '../_shared/service.ts'
import { respond } from './respond.ts'

Deno.serve((request) =>
  respond(request, {
    isTask,
    finish: (args) => call<void>('finish_command', args),
    async add(args) {
      const { error } = await service.rpc('respond_to_command', args)
      if (error) console.warn('A response to a command was refused.', error.code, error.message)
      return error
    },
  }),
)
