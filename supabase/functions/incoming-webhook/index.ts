// Posts the messages that other services send to the secret address of a webhook. It accepts the payloads of Slack's
// webhooks.
import { service } from '../_shared/service.ts'
import { respond } from './respond.ts'

Deno.serve((request) =>
  respond(request, async (token, { body, cards, sender }) => {
    const given = { ...(cards && { cards }), ...(sender && { sender }) }
    const extras = cards || sender ? given : null
    const { error } = await service.rpc('post_by_webhook', { token, body, extras })
    if (error) console.warn('A webhook was refused.', error.code, error.message)
    return error
  }),
)
