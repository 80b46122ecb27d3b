import { connect } from 'node:net'
import { markedBytes, readNumber } from '../realtime/messageNumbers.ts'
import type { OpenSubscriber } from '../realtime/subscribers.ts'

/** The domain of the accounts, and the password that all of them have. */
export const xmppDomain = 'localhost'
export const xmppPassword = 'bench'

/** Shared by all sockets: each chunk is parsed before the next is read. */
const readBuffer = Buffer.allocUnsafe(64 * 1024)

/**
 * An account in a room, over TCP without TLS (RFC 6120, XEP-0045). `url` is `xmpp://HOST:PORT/ROOM`, and `join` returns the
 * name of the account. Messages are found by their markers instead of parsing XML, so that the server is measured.
 */
export const openXmppSubscriber: OpenSubscriber = async ({ url, join }, n, { onMessage, onEnd }) => {
  const { hostname, port, pathname } = new URL(url)
  const room = pathname.slice(1)
  const user = join(n)
  let received = ''
  let expected: { text: string; resolve: () => void; reject: (error: Error) => void } | null = null
  let isJoined = false
  let rest: Buffer | null = null

  const readHandshake = (text: string): void => {
    received += text
    if (!expected) return
    if (/<failure|<stream:error|type='error'/.test(received)) return expected.reject(new Error(received))
    const at = received.indexOf(expected.text)
    if (at < 0) return
    received = received.slice(at + expected.text.length)
    expected.resolve()
  }
  const readMessages = (chunk: Buffer): void => {
    const bytes = rest ? Buffer.concat([rest, chunk]) : chunk
    let at = 0
    for (let found = readNumber(bytes); found; found = readNumber(bytes, at)) {
      onMessage(found.number, found.end - at)
      at = found.end
    }
    // May contain the first bytes of a marker.
    rest = Buffer.from(bytes.subarray(Math.max(at, bytes.length - markedBytes + 1)))
  }

  const socket = connect({
    host: hostname,
    port: Number(port),
    noDelay: true,
    onread: {
      buffer: readBuffer,
      callback(length) {
        const chunk = readBuffer.subarray(0, length)
        if (isJoined) readMessages(chunk)
        else readHandshake(chunk.toString())
        return true
      },
    },
  })
  socket.on('error', (error) => expected?.reject(error))
  socket.on('close', () => {
    expected?.reject(new Error('The server ended the connection.'))
    onEnd()
  })
  /** Sends `stanza` and waits until `text` has arrived. */
  const exchange = (stanza: string, text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      expected = { text, resolve, reject }
      socket.write(stanza)
    })
  const stream = `<stream:stream to='${xmppDomain}' version='1.0' xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>`
  const credentials = Buffer.from(`\0${user}\0${xmppPassword}`).toString('base64')
  await exchange(stream, '</stream:features>')
  await exchange(
    `<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='PLAIN'>${credentials}</auth>`,
    '<success',
  )
  await exchange(stream, '</stream:features>')
  await exchange(`<iq type='set' id='bind'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/></iq>`, '</jid>')
  // The presence with this status code ends a join.
  await exchange(
    `<presence to='${room}/${user}'><x xmlns='http://jabber.org/protocol/muc'><history maxstanzas='0'/></x></presence>`,
    `code='110'`,
  )
  isJoined = true
  return {
    send: (body) => {
      socket.write(`<message to='${room}' type='groupchat'><body>${body}</body></message>`)
    },
    close: () => socket.destroy(),
  }
}
