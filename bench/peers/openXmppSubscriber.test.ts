import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { openXmppSubscriber } from './openXmppSubscriber.ts'

const server = createServer()
afterEach(() => server.close())

/** What a server sends in response to each stanza of a sign-in. */
const signIn: [string, string][] = [
  ['<stream:stream', '<stream:stream><stream:features><mechanisms/></stream:features>'],
  ['<auth', '<success/>'],
  ['<stream:stream', '<stream:stream><stream:features><bind/></stream:features>'],
  ['<iq', "<iq type='result' id='bind'><bind><jid>bea@localhost/1</jid></bind></iq>"],
  ['<presence', "<presence><x><status code='110'/></x></presence>"],
]

/** Listens on a free port and responds to one sign-in. Returns the URL, the connection and the stanzas received. */
async function listen(
  responses: [string, string][],
): Promise<{ url: string; connection: Promise<Socket>; received: string[] }> {
  const received: string[] = []
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const connection = once(server, 'connection').then(([socket]: Socket[]) => {
    socket!.setNoDelay()
    socket!.on('data', (chunk: Buffer) => {
      const response = responses[received.length]
      received.push(chunk.toString())
      if (response) socket!.write(received.at(-1)!.startsWith(response[0]) ? response[1] : '<stream:error/>')
    })
    return socket!
  })
  return {
    url: `xmpp://127.0.0.1:${(server.address() as AddressInfo).port}/bench@rooms`,
    connection,
    received,
  }
}

it('signs in, joins, sends, and finds each message, wherever the stream is divided', async () => {
  const { url, connection, received } = await listen(signIn)
  const numbers: number[] = []
  let ended = (): void => {}
  const end = new Promise<void>((resolve) => (ended = resolve))
  const subscriber = await openXmppSubscriber({ url, join: () => 'bea' }, 0, {
    onMessage: (n) => numbers.push(n),
    onEnd: ended,
  })
  const socket = await connection
  const stream = '<message><body>#=0000001 a</body></message><message><body>#=0000002 b</body></message>'
  for (const character of stream) {
    socket.write(character)
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  socket.write(stream)
  await expect.poll(() => numbers).toEqual([1, 2, 1, 2])
  subscriber.send('text')
  await expect
    .poll(() => received.at(-1))
    .toBe("<message to='bench@rooms' type='groupchat'><body>text</body></message>")
  expect(Buffer.from(/>(.*)</.exec(received[1]!)![1]!, 'base64').toString()).toBe('\0bea\0bench')
  subscriber.close()
  await end
})

it('rejects what the server refuses', async () => {
  const { url } = await listen([signIn[0]!, ['<auth', '<failure><not-authorized/></failure>']])
  await expect(
    openXmppSubscriber({ url, join: () => 'bea' }, 0, { onMessage() {}, onEnd() {} }),
  ).rejects.toThrow('not-authorized')
})
