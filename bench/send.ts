import { randomUUID } from 'node:crypto'
import { compare } from './rest/compare.ts'
import type { BenchTable } from './table.ts'

/** A message by the command `send_message` through `/rest/v1`, against raw pg. Goal: 0.8. */
export async function run(): Promise<BenchTable> {
  const body = 'A message, as long as what people write to each other.'
  const send = (concurrency: number): Parameters<typeof compare>[0][number] => ({
    what: 'send_message',
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
  return { name: 'send', rows: await compare([send(1), send(20)]) }
}
