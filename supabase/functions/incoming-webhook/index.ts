// Posts the messages that other services send to the secret address of a webhook. It accepts the payloads of Slack's
// webhooks.
import { service } from '../_shared/service.ts'
import { respond } from './respond.ts'

Deno.serve((request) =>
  respond(request, {
    async read(token, body) {
      const { data, error } = await service.rpc('read_webhook', { token, body })
      if (error) console.warn('A webhook was not found.', error.code, error.message)
      return error ? { error } : { webhook: data }
    },
    async post(token, { body, cards, sender, icon }) {
      const given = { ...(cards && { cards }), ...(sender && { sender }), ...(icon && { icon }) }
      const extras = Object.keys(given).length > 0 ? given : null
      const { error } = await service.rpc('post_by_webhook', { token, body, extras })
      if (error) console.warn('A webhook was refused.', error.code, error.message)
      return error
    },
  }),
)
