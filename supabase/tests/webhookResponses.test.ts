import { expect, it } from 'vitest'
import { respond as respondToCommand } from '../functions/command-response/respond.ts'
import { respond as respondToWebhook } from '../functions/incoming-webhook/respond.ts'

const request = (path: string) =>
  new Request(`https://linnet.example/functions/v1/${path}/${'t'.repeat(40)}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"text": "Hi"}',
  })

const webhook = { name: null, emoji: null, notifies_everyone: false, people: [] }

it.each([
  ['silenced', 'PT403', 403, 'action_prohibited'],
  ['posting_admins', 'PT403', 403, 'action_prohibited'],
  ['not_a_member', 'PT403', 404, 'channel_not_found'],
  ['archived', 'PT409', 410, 'channel_is_archived'],
  ['deadlock detected', '40P01', 500, 'service_error'],
])('programs that post learn of %s (%s) as %i %s', async (message, code, status, text) => {
  const post = async () => ({ message, code })
  const refuse = async () => ({ error: { message, code } })
  const ports = { isTask: async () => false, finish: async () => {}, add: post }
  for (const response of [
    await respondToWebhook(request('incoming-webhook'), {
      read: async () => ({ webhook }),
      post: refuse,
      replace: refuse,
    }),
    await respondToCommand(request('command-response'), ports),
  ]) {
    expect([response.status, await response.text()]).toEqual([status, text])
  }
})
