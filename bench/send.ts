import { randomUUID } from 'node:crypto'
import { compare, type Comparison } from './rest/compare.ts'
import { measureReplies } from './threads/measureReplies.ts'
import type { AddRow } from './table.ts'

/**
 * Measures a message by the command `send_message` through `/rest/v1`, against raw pg, and a reply in a thread with many
 * followers against one in a thread with few.
 */
export async function run(add: AddRow): Promise<void> {
  const body = 'A message, as long as what people write to each other.'
  const send = (workspace: Comparison['workspace'], concurrency: number): Comparison => ({
    what: 'send_message',
    workspace,
    concurrency,
    request: (n, channels) => ({
      method: 'POST',
      path: '/rest/v1/rpc/send_message',
      body: JSON.stringify({ id: randomUUID(), channel: channels[n % channels.length]!.channel, body }),
    }),
    statement: {
      name: 'send',
      text: 'select public.send_message($1::uuid, $2::uuid, $3::text) as body',
      values: (n, channels) => [randomUUID(), channels[n % channels.length]!.channel, body],
    },
  })
  await measureReplies(add)
  await compare([send('small', 1), send('small', 20), send('large', 20)], add)
}
