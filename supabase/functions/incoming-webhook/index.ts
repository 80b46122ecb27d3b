// Posts the messages that other services send to the secret address of a webhook. It accepts the payloads of Slack's
// webhooks.
import type { Composed } from '../_shared/composeMessage.ts'
import type { DatabaseError } from '../_shared/refusalOf.ts'
import { service } from '../_shared/service.ts'
import { respond, type Posted } from './respond.ts'

Deno.serve((request) =>
  respond(request, {
    async read(token, body) {
      const { data, error } = await service.rpc('read_webhook', { token, body })
      if (error) console.warn('A webhook was not found.', error.code, error.message)
      return error ? { error } : { webhook: data }
    },
    async post(token, message, { thread, event }) {
      const { key = null, isEnd = false } = event ?? {}
      const args = { token, ...contentOf(message), thread: thread ?? null, event: key, is_end: isEnd }
      return resultOf(await service.rpc('post_by_webhook', args))
    },
    async replace(token, id, message) {
      const args = { token, message: id, ...contentOf(message) }
      return resultOf(await service.rpc('replace_by_webhook', args))
    },
  }),
)

function contentOf({ body, cards, sender, icon }: Composed): { body: string; extras: object | null } {
  const extras = { ...(cards && { cards }), ...(sender && { sender }), ...(icon && { icon }) }
  return { body, extras: Object.keys(extras).length > 0 ? extras : null }
}

function resultOf({ data, error }: { data: { message_id: string }; error: DatabaseError | null }): Posted {
  if (error === null) return { id: data.message_id }
  console.warn('A webhook was refused.', error.code, error.message)
  return { error }
}
