import { createServer, type AddressInfo, type Server } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { createLog } from '../../log/log.ts'
import { createMailer } from './createMailer.ts'

const log = createLog({ format: 'json', least: 'error', write: () => {} })
let server: Server | null = null
afterEach(() => server?.close())

/** Speaks just enough SMTP (RFC 5321) to be handed a mail. */
async function startSmtp(): Promise<{ port: number; received: { recipients: string[]; data: string }[] }> {
  const received: { recipients: string[]; data: string }[] = []
  server = createServer((socket) => {
    let mail = { recipients: [] as string[], data: '' }
    let inData = false
    socket.write('220 test\r\n')
    socket.on('data', (chunk) => {
      if (inData) {
        mail.data += chunk.toString()
        if (!mail.data.endsWith('\r\n.\r\n')) return
        inData = false
        received.push(mail)
        mail = { recipients: [], data: '' }
        socket.write('250 kept\r\n')
        return
      }
      for (const line of chunk.toString().split('\r\n').filter(Boolean)) {
        if (line.startsWith('RCPT')) mail.recipients.push(line)
        inData = line === 'DATA'
        socket.write(inData ? '354 go on\r\n' : line === 'QUIT' ? '221 bye\r\n' : '250 fine\r\n')
      }
    })
  })
  await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve))
  return { port: (server.address() as AddressInfo).port, received }
}

it('sends a mail in both forms to the one address, however it is written', async () => {
  const { port, received } = await startSmtp()
  const mailer = createMailer({
    templates: () => ({ subject: 'Grüße', html: '<p>Hi</p>', text: 'Hi', link: null, code: null }),
    smtp: {
      host: '127.0.0.1',
      port,
      user: '',
      password: '',
      from: { name: 'Linnet', address: 'chat@x.example' },
    },
    mailbox: null,
    log,
  })
  const send = mailer.prepare('magic_link', "o'neil+a@x.example", {})
  expect(received).toHaveLength(0)
  send()
  await mailer.drained()
  expect(received).toHaveLength(1)
  expect(received[0]?.recipients).toEqual(["RCPT TO:<o'neil+a@x.example>"])
  expect(received[0]?.data).toMatch(/^From: Linnet <chat@x\.example>/m)
  expect(received[0]?.data).toMatch(/text\/plain/)
  expect(received[0]?.data).toMatch(/text\/html/)
})
