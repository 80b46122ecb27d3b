import { createServer, type AddressInfo, type Socket } from 'node:net'
import { createSecureContext, TLSSocket, type SecureContext } from 'node:tls'

/** A mail that the server has accepted. */
export interface AcceptedMail {
  from: string
  recipients: string[]
  data: string
  /** Whether it was sent by TLS, and the user. */
  secure: boolean
  user: string | null
}

/**
 * A fault of a connection: a response in place of the usual one ("RCPT" → "550 no"), or the command at which it is
 * closed. "END" is the end of the mail: a response there replaces accepting it.
 */
export type SmtpFault =
  | { at: string; answer: string }
  | { at: string; drop: true }
  /** The mail is accepted, but the response is not sent. */
  | { afterAccepting: true }
  /** The connection is closed after half of the mail. */
  | { midData: true }
  /** Waits before the response. */
  | { at: string; wait: Promise<unknown> }

export interface SmtpServer {
  port: number
  accepted: AcceptedMail[]
  /** Faults of consecutive connections; further ones have none. */
  faults: (SmtpFault | null)[]
  /** Lines that clients sent, including passwords. */
  lines: string[]
  connections: () => number
  /** Resolves when this number of mails has been accepted. */
  waitForMails(count: number): Promise<void>
  /** Resolves when a client has sent a line with this start. */
  waitForLine(start: string): Promise<void>
  stop(): Promise<void>
}

/** Implements enough SMTP (RFC 5321, 3207, 4954) to receive mails, and to fail on demand. */
export async function startSmtp(
  o: { tls?: { key: Buffer; cert: Buffer }; auth?: boolean } = {},
): Promise<SmtpServer> {
  const context = o.tls ? createSecureContext(o.tls) : null
  const watchers = new Set<() => void>()
  const sockets = new Set<Socket>()
  let connections = 0
  const until = (isMet: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const check = (): void => {
        if (!isMet()) return
        watchers.delete(check)
        resolve()
      }
      watchers.add(check)
      check()
    })
  const server: SmtpServer = {
    port: 0,
    accepted: [],
    faults: [],
    lines: [],
    connections: () => connections,
    waitForMails: (count) => until(() => server.accepted.length >= count),
    waitForLine: (start) => until(() => server.lines.some((line) => line.startsWith(start))),
    async stop() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => listener.close(resolve))
    },
  }
  const listener = createServer((socket) => {
    connections++
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    serve(socket, { server, context, auth: o.auth ?? false, fault: server.faults.shift() ?? null, notify })
  })
  const notify = (): void => {
    for (const watcher of watchers) watcher()
  }
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  server.port = (listener.address() as AddressInfo).port
  return server
}

interface Conversation {
  server: SmtpServer
  context: SecureContext | null
  auth: boolean
  fault: SmtpFault | null
  notify: () => void
}

/** Serves one connection. */
function serve(plain: Socket, o: Conversation): void {
  let socket: Socket = plain
  let secure = false
  let rest = ''
  let inData = false
  let mail: AcceptedMail = { from: '', recipients: [], data: '', secure, user: null }
  const reply = (answer: string): void => void socket.write(`${answer}\r\n`)

  /** False where the fault has replaced the response. */
  const passesFault = async (at: string): Promise<boolean> => {
    const { fault } = o
    if (!fault || !('at' in fault) || fault.at !== at) return true
    if ('wait' in fault) {
      await fault.wait
      return true
    }
    if ('drop' in fault) socket.destroy()
    else reply(fault.answer)
    return false
  }

  const upgrade = (): void => {
    reply('220 go on')
    plain.removeAllListeners('data')
    socket = new TLSSocket(plain, { isServer: true, secureContext: o.context! })
    socket.on('error', () => {})
    secure = true
    rest = ''
    socket.on('data', (chunk: Buffer) => void read(chunk))
  }

  const answers: Record<string, (line: string) => void> = {
    EHLO: () => {
      const offers = [
        ...(o.context && !secure ? ['STARTTLS'] : []),
        ...(o.auth ? ['AUTH PLAIN'] : []),
        'SIZE 1000000',
      ]
      for (const [at, offer] of offers.entries()) reply(`250${at === offers.length - 1 ? ' ' : '-'}${offer}`)
    },
    STARTTLS: upgrade,
    AUTH: (line) => {
      mail.user =
        Buffer.from(line.split(' ')[2] ?? '', 'base64')
          .toString()
          .split('\0')[1] ?? ''
      reply('235 welcome')
    },
    MAIL: (line) => {
      mail.from = line
      reply('250 fine')
    },
    RCPT: (line) => {
      mail.recipients.push(line)
      reply('250 fine')
    },
    DATA: () => {
      inData = true
      reply('354 go on')
    },
    QUIT: () => {
      reply('221 bye')
      socket.end()
    },
  }

  const readData = async (): Promise<void> => {
    if (o.fault && 'midData' in o.fault) {
      socket.destroy()
      return
    }
    const end = rest.indexOf('\r\n.\r\n')
    if (end < 0) return
    mail.data = rest.slice(0, end + 2).replaceAll('\r\n..', '\r\n.')
    rest = rest.slice(end + 5)
    inData = false
    if (!(await passesFault('END'))) return
    o.server.accepted.push({ ...mail, secure })
    mail = { from: '', recipients: [], data: '', secure, user: mail.user }
    if (o.fault && 'afterAccepting' in o.fault) socket.destroy()
    else reply('250 accepted')
    o.notify()
  }

  const read = async (chunk: Buffer): Promise<void> => {
    rest += chunk.toString()
    if (inData) return readData()
    for (;;) {
      const end = rest.indexOf('\r\n')
      if (end < 0 || inData) return
      const line = rest.slice(0, end)
      rest = rest.slice(end + 2)
      o.server.lines.push(line)
      o.notify()
      const verb = line.split(' ')[0]!.toUpperCase()
      if (await passesFault(verb)) (answers[verb] ?? (() => reply('500 what')))(line)
    }
  }

  plain.on('error', () => {})
  plain.on('data', (chunk: Buffer) => void read(chunk))
  void passesFault('GREETING').then((passes) => passes && reply('220 test'))
}
