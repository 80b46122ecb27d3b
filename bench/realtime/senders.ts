import { randomUUID } from 'node:crypto'
import { Agent, request } from 'node:http'
import { Client, type ClientConfig } from 'pg'
import type { Claims } from '../../wire/claims.ts'
import { rawReader } from '../load/rawReader.ts'
import { callerSettings } from '../rest/callerSettings.ts'
import type { Subscribers } from './subscribers.ts'

/** Sends messages to the channel; resolves when a message is committed. */
export interface Sender {
  send(body: string): Promise<unknown>
  close(): Promise<void>
}

/** As many connections as the server's pool, so that no more transactions wait for the channel's lock. */
const connections = 16

/**
 * By the command `send_message`, as the data API would: a transaction as one of the members in turn, pipelined.
 * By pg, so that the server only does the realtime part.
 */
export async function openSqlSender(o: {
  dbUrl: string
  channel: string
  people: Claims[]
}): Promise<Sender> {
  const config = { connectionString: o.dbUrl, pipeline: true } as ClientConfig
  const clients = Array.from({ length: connections }, () => new Client(config))
  await Promise.all(clients.map((client) => client.connect()))
  const settings = o.people.map((claims) =>
    callerSettings({ claims, method: 'POST', path: '/rest/v1/rpc/send_message', headers: {} }).flat(),
  )
  const calls = Array.from(
    { length: settings[0]!.length / 2 },
    (_, i) => `set_config($${i * 2 + 1}, $${i * 2 + 2}, true)`,
  )
  let sentCount = 0
  const idle = [...clients]
  const waiting: ((client: Client) => void)[] = []
  const transact = (client: Client, body: string): Promise<unknown> =>
    Promise.all([
      client.query({ name: 'begin', text: 'begin' }),
      client.query({
        name: 'settings',
        text: `select ${calls.join(', ')}`,
        values: settings[sentCount++ % settings.length]!,
      }),
      client.query({
        name: 'send',
        text: 'select public.send_message($1::uuid, $2::uuid, $3::text)',
        values: [randomUUID(), o.channel, body],
      }),
      client.query({ name: 'commit', text: 'commit' }),
    ])
  return {
    async send(body) {
      const client = idle.pop() ?? (await new Promise<Client>((resolve) => waiting.push(resolve)))
      try {
        await transact(client, body)
      } finally {
        const next = waiting.shift()
        if (next) next(client)
        else idle.push(client)
      }
    },
    async close() {
      await Promise.all(clients.map((client) => client.end()))
    },
  }
}

/** By a frame to a server that forwards it unchanged. */
export async function openSocketSender(url: string): Promise<Sender> {
  const reader = await rawReader(url, { onFrame() {}, onEnd() {} })
  return {
    send: (body) => Promise.resolve(reader.send(body)),
    close: () => Promise.resolve(reader.close()),
  }
}

/** By requests to the data API, as a member in turn each. */
export function openApiSender(o: {
  apiUrl: string
  publishableKey: string
  channel: string
  tokens: string[]
}): Sender {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const url = `${o.apiUrl}/rest/v1/rpc/send_message`
  let sentCount = 0
  return {
    send: (body) =>
      new Promise<void>((resolve, reject) => {
        const headers = {
          apikey: o.publishableKey,
          Authorization: `Bearer ${o.tokens[sentCount++ % o.tokens.length]}`,
          'Content-Type': 'application/json',
        }
        const sending = request(url, { method: 'POST', agent, headers }, (response) => {
          response.resume()
          response.once('end', () => {
            if (response.statusCode === 200) resolve()
            else reject(new Error(`send_message returned the status ${response.statusCode}.`))
          })
        })
        sending.once('error', reject)
        sending.end(JSON.stringify({ id: randomUUID(), channel: o.channel, body }))
      }),
    close() {
      agent.destroy()
      return Promise.resolve()
    },
  }
}

/** By the connections of the first subscribers in turn. */
export function openSubscriberSender(subscribers: Subscribers, o: { senders: number }): Sender {
  let sentCount = 0
  return {
    send: (body) => Promise.resolve(subscribers.send(sentCount++ % o.senders, body)),
    close: () => Promise.resolve(),
  }
}
